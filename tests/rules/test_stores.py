"""The loops over rows, small enough to run uncompiled too: both stores behave alike in every loop and autoreset mode."""

import numpy as np
import pytest
from numba import config

from duel_env.batch import DuelBatch
from duel_env.errors import ConfigError
from duel_env.game import make_game_and_setup
from duel_env.learner import LearnerBatch
from duel_env.rules import loops
from duel_env.rules.graph import build_graph

OPTIONS = {"hit_points": 1, "max_rounds": 4, "skills": ((20, 95), (0, 100))}
NUM_ENVS = 4
NUM_STEPS = 40


def seen(batch: DuelBatch) -> list[np.ndarray]:
    rows = batch.store.rows
    fields = ("dice", "policy", "episode", "num_steps", "current_player", "over", "seat", "rewards", "reward")
    ends = ("terminated", "truncated", "disqualified")
    return [np.copy(part) for part in (batch.observation, batch.action_mask, *(rows[name] for name in fields + ends))]


def assert_alike(runs: list[list[list[np.ndarray]]]) -> None:
    for left, right in zip(*runs, strict=True):
        for a, b in zip(left, right, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("autoreset", ["next_step", "same_step", "disabled"])
@pytest.mark.parametrize("hidden", [False, True])
def test_both_stores_behave_alike_for_both_seats(autoreset, hidden):
    game, setup = make_game_and_setup("hogwarts", OPTIONS | {"observe_opponent_skill": not hidden})
    runs = []
    for engine in ("table", "kernel"):
        rng = np.random.default_rng(0)
        batch = DuelBatch(game, NUM_ENVS, setup, autoreset=autoreset, engine=engine, num_events=16)
        batch.reset(seed=3)
        runs.append([])
        for _ in range(NUM_STEPS):
            actions = np.where(rng.random(NUM_ENVS) < 0.9, batch.action_mask.argmax(axis=1), rng.integers(-1, 10, NUM_ENVS))
            batch.step(actions)
            runs[-1].append([*seen(batch), *(batch.events(row).copy() for row in range(NUM_ENVS))])
            if autoreset == "disabled" and batch.is_over.any():
                batch.reset(rows=batch.is_over.copy())
    assert_alike(runs)
    assert runs[0][-1][4].min() > 2, "several duels were played"


@pytest.mark.parametrize("autoreset", ["next_step", "same_step", "disabled"])
def test_both_stores_behave_alike_for_a_learner(autoreset):
    game, setup = make_game_and_setup("hogwarts", OPTIONS)
    runs = []
    for engine in ("table", "kernel"):
        rng = np.random.default_rng(0)
        learner = LearnerBatch(game, NUM_ENVS, setup, autoreset=autoreset, engine=engine)
        learner.reset(seed=3)
        runs.append([])
        for _ in range(NUM_STEPS):
            picks = rng.random((NUM_ENVS, game.num_actions)) * learner.action_mask
            learner.step(picks.argmax(axis=1))
            ended = learner.terminated | learner.truncated
            runs[-1].append([*seen(learner.batch), np.where(ended[:, None], learner.final_observation, 0)])
            if autoreset == "disabled" and ended.any():
                learner.reset(rows=ended)
    assert_alike(runs)


def test_fused_random_play_is_alike_in_both_stores():
    game, setup = make_game_and_setup("hogwarts", OPTIONS)
    runs = []
    for engine in ("table", "kernel"):
        batch = DuelBatch(game, NUM_ENVS, setup, engine=engine)
        batch.reset(seed=1)
        loops.random_play(batch.store, np.zeros(NUM_ENVS, np.int64), NUM_STEPS)
        runs.append([seen(batch)])
    assert_alike(runs)


def test_sampling_follows_the_probabilities_and_never_takes_what_has_none():
    game, setup = make_game_and_setup("hogwarts", OPTIONS)
    batch = DuelBatch(game, NUM_ENVS, setup)
    batch.reset(seed=0)
    index = np.zeros(2_000, np.int64)
    probabilities = np.zeros((2_000, game.num_actions))
    probabilities[:, 2], probabilities[:, 5] = 0.25, 0.75
    actions = batch.sample(index, probabilities)
    assert set(actions.tolist()) == {2, 5}
    assert np.mean(actions == 2) == pytest.approx(0.25, abs=5 * np.sqrt(0.25 * 0.75 / 2_000))


class Uniform:
    def policy(self, observation, action_mask):
        return action_mask / action_mask.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("autoreset", ["next_step", "same_step", "disabled"])
def test_random_opponent_plays_alike_fused_and_as_a_policy(autoreset):
    game, setup = make_game_and_setup("hogwarts", OPTIONS)
    runs = []
    for opponent in ("random", Uniform()):
        learner = LearnerBatch(game, NUM_ENVS, setup, opponent=opponent, autoreset=autoreset, num_events=32)
        learner.reset(seed=3)
        runs.append([])
        for _ in range(NUM_STEPS):
            ended = learner.step(learner.action_mask.argmax(axis=1))
            over = learner.terminated | learner.truncated
            assert ended == over.sum()
            runs[-1].append([learner.action_mask.copy(), learner.observation.copy(), learner.reward.copy(), over])
            if autoreset == "disabled" and ended:
                learner.reset(rows=over)
    # The fused opponent picks by rank, the sampled one by cumulated probability: the dice agree, the choices only in distribution.
    assert np.mean([step[3] for step in runs[0]]) == pytest.approx(np.mean([step[3] for step in runs[1]]), abs=0.2)


def test_search_for_states_stops_at_its_limit():
    game, _ = make_game_and_setup("hogwarts", {"hit_points": 1})
    starts = game.graph.states[game.graph.starts]
    sheets = np.zeros(2, game.ruleset.sheet_dtype)
    with pytest.raises(ConfigError, match="more than 50 states"):
        build_graph(starts, game.ruleset.rules_record(game.options, unlimited=True), sheets, game.num_actions, 50)


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="the search takes minutes uncompiled")
def test_rules_too_large_for_a_table_are_played_by_the_kernel():
    game, setup = make_game_and_setup("hogwarts", {"hit_points": 10_000})
    batch = DuelBatch(game, 2, setup)
    batch.reset(seed=0)
    assert type(batch.store).__name__ == "KernelStore"
    with pytest.raises(ConfigError, match="use 'kernel'"):
        DuelBatch(game, 2, setup, engine="table")
