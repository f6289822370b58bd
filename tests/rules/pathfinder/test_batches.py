"""Spell duels in batches: rows taken out, copied, followed by the next duel, and played by a learner."""

from dataclasses import replace

import numpy as np

from duel_env.batch import DuelBatch
from duel_env.game import Game
from duel_env.learner import LearnerBatch
from duel_env.rules.pathfinder.ruleset import PATHFINDER
from duel_env.rules.pathfinder.terms import DuelTerms
from duel_env.rules.pathfinder.throws import at_decision
from tests.rules.pathfinder.fights import (
    COMPILED,
    assert_same,
    pick,
    play_out,
    random_batch,
    random_game,
    setup,
)


def with_open_states():
    """The game with what takes a duel out of a batch, also where the ruleset does not say it yet."""
    return Game(replace(PATHFINDER, at_decision=at_decision), DuelTerms(max_rounds=50 if COMPILED else 4))


def test_a_row_can_be_taken_out_as_a_duel():
    batch = random_batch(with_open_states(), 8, seed=71)
    rng = np.random.default_rng(72)
    for step, _ in enumerate(play_out(batch, rng)):
        if step % 20 == 0:
            for row in np.flatnonzero(~batch.is_over):
                assert_same(batch, row, batch.duel(row))
    for row in range(batch.num_envs):
        duel = batch.duel(row)
        assert duel.is_over
        assert duel.state["winner"][0] == batch.store.rows["winner"][row]


def test_a_copy_and_a_restored_snapshot_go_on_with_the_same_dice():
    batch = random_batch(with_open_states(), 8, seed=73)
    rng = np.random.default_rng(74)
    for _ in range(25):
        batch.step(pick(rng, batch.game, batch.action_mask))
    snapshot = batch.snapshot()
    twin = random_batch(batch.game, 8, seed=0)
    twin.restore(snapshot)
    for _ in range(25):
        actions = pick(rng, batch.game, batch.action_mask)
        for one in (batch, twin):
            one.step(actions)
        assert twin.store.states.tobytes() == batch.store.states.tobytes()
        np.testing.assert_array_equal(twin.observation, batch.observation)
    batch.restore(snapshot)
    np.testing.assert_array_equal(batch.store.states, snapshot["states"])


def test_duels_that_follow_each_other_are_those_that_are_begun_one_by_one():
    of = random_game(max_rounds=3)
    follow = DuelBatch(of, 6, setup(), engine="kernel", autoreset="same_step")
    follow.reset(seed=81)
    begun = random_batch(of, 6, seed=81)
    rng = np.random.default_rng(82)
    for _ in range(120 if COMPILED else 20):
        actions = pick(rng, of, follow.action_mask)
        follow.step(actions)
        begun.step(actions)
        np.testing.assert_array_equal(follow.rewards, begun.rewards)
        if begun.is_over.any():
            begun.reset(rows=begun.is_over.copy())
        assert follow.store.states.tobytes() == begun.store.states.tobytes()
        assert follow.store.sheets.tobytes() == begun.store.sheets.tobytes()
        np.testing.assert_array_equal(follow.observation, begun.observation)
    assert follow.store.rows["episode"].max() > 0 or not COMPILED


def test_a_learner_sees_its_own_decisions_only():
    of = random_game()
    learner = LearnerBatch(of, 6, setup(), seat="random", autoreset="disabled")
    learner.reset(seed=83)
    rng = np.random.default_rng(84)
    for _ in range(400):
        rows = learner.batch.store.rows
        running = rows["over"] == 0
        assert (rows["current_player"][running] == rows["seat"][running]).all()
        assert learner.action_mask.any(axis=1).all()
        learner.step(pick(rng, of, learner.action_mask))
        ended = learner.terminated | learner.truncated
        assert set(learner.reward[ended].tolist()) <= {-1.0, 0.0, 1.0}
        assert (learner.reward[~ended] == 0).all()
        if (rows["over"] == 1).all():
            break
    assert (rows["over"] == 1).all()
