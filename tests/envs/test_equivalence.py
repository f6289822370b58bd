"""One kernel, many callers: the same seed and actions give the same duel, bit for bit, through every interface."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import given, settings
from hypothesis import strategies as st

import duel_env
from duel_env.batch import DuelBatch
from duel_env.envs.pettingzoo_env import AGENTS, DuelAECEnv
from duel_env.envs.vector_env import DuelVectorEnv
from duel_env.game import make_game, make_game_and_setup
from duel_env.learner import LearnerBatch
from duel_env.rules.rng import keys_from_seeds
from duel_env.story import apply_event
from tests.helpers import random_options

SEEDS = st.integers(0, 2**32 - 1)
NUM_STEPS = 120


def choose(mask: np.ndarray, pick: np.ndarray) -> np.ndarray:
    """For each row a legal action, by a number in [0, 1); action 0 where none is."""
    legal = np.maximum(mask.sum(axis=1), 1)
    rank = np.minimum((pick * legal).astype(int), legal - 1)
    return np.argmax((np.cumsum(mask, axis=1) == rank[:, None] + 1) & (mask == 1), axis=1)


def record(batch: DuelBatch, picks: np.ndarray) -> list[tuple]:
    """Everything a caller can see, step by step."""
    seen = []
    for pick in picks:
        batch.step(choose(batch.action_mask, pick))
        seen.append(
            tuple(
                np.copy(part)
                for part in (
                    batch.observation,
                    batch.action_mask,
                    batch.current_player,
                    batch.rewards,
                    batch.terminated,
                    batch.truncated,
                    batch.disqualified,
                )
            )
        )
    return seen


def assert_same(left: list[tuple], right: list[tuple], rows: slice | int = slice(None)) -> None:
    for one, other in zip(left, right, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a[rows], b[rows] if isinstance(rows, slice) else b[0])


@given(seed=SEEDS)
@settings(max_examples=25)
def test_table_and_kernel_are_bitwise_equal(seed):
    rng = np.random.default_rng(seed)
    settings_of = random_options(rng) | {"skills": ((20, 95), (0, 100))}
    game, setup = make_game_and_setup("hogwarts", settings_of)
    picks = rng.random((NUM_STEPS, 16))
    seen = []
    for engine in ("table", "kernel"):
        batch = DuelBatch(game, 16, setup, engine=engine)
        batch.reset(seed=seed)
        seen.append(record(batch, picks))
        seen[-1].append((batch.store.rows["dice"].copy(), batch.store.sheets["skill"].copy()))
    assert_same(*seen)


def test_illegal_actions_end_duels_alike_in_both_engines():
    game = make_game("hogwarts")
    actions = np.random.default_rng(0).integers(-2, 12, (NUM_STEPS, 32))
    results = []
    for engine in ("table", "kernel"):
        batch = DuelBatch(game, 32, engine=engine)
        batch.reset(seed=5)
        results.append([])
        for step in actions:
            batch.step(step)
            results[-1].append((batch.observation.copy(), batch.rewards.copy(), batch.disqualified.copy()))
            assert np.all(batch.rewards.sum(axis=1) == 0.0)
    assert_same(*results)
    assert sum(step[2].sum() for step in results[0]) > 100


@pytest.mark.parametrize("autoreset", ["same_step", "next_step"])
def test_each_row_of_a_batch_is_a_batch_of_one(autoreset):
    game, setup = make_game_and_setup("hogwarts", {"skills": ((20, 95), (20, 95))})
    picks = np.random.default_rng(1).random((NUM_STEPS, 8))
    batch = DuelBatch(game, 8, setup, autoreset=autoreset)
    batch.reset(seed=100)
    together = record(batch, picks)
    for row in range(8):
        alone = DuelBatch(game, 1, setup, autoreset=autoreset)
        alone.reset(seed=100 + row)
        assert_same(together, record(alone, picks[:, row : row + 1]), row)


@pytest.mark.parametrize("engine", ["table", "kernel"])
def test_threads_change_nothing(engine):
    game = make_game("hogwarts")
    picks = np.random.default_rng(2).random((20, 8_192))
    seen = []
    for threads in (1, 2):
        batch = DuelBatch(game, 8_192, num_threads=threads, engine=engine)
        assert batch.uses_threads == (threads > 1)
        batch.reset(seed=3)
        seen.append(record(batch, picks))
    assert_same(*seen)


class UniformAgent:
    """A uniformly random opponent that goes the way of all agents, not through the fused loop."""

    def policy(self, observation, action_mask):
        return action_mask / action_mask.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("opponent", ["random", UniformAgent()])
@pytest.mark.parametrize("seat", ["first", "second", "random"])
def test_single_environment_is_a_row_of_the_vector_environment(opponent, seat):
    kwargs = {"opponent": opponent, "seat": seat, "skills": ((20, 95), (20, 95))}
    vector = DuelVectorEnv(6, autoreset_mode=AutoresetMode.DISABLED, **kwargs)
    singles = [gym.make("duel_env/Hogwarts-v0", **kwargs).unwrapped for _ in range(6)]
    observations, infos = vector.reset(seed=40)
    firsts = [env.reset(seed=40 + i) for i, env in enumerate(singles)]
    rng = np.random.default_rng(3)
    for _ in range(NUM_STEPS):
        for i, (observation, info) in enumerate(firsts):
            np.testing.assert_array_equal(observation, observations[i])
            np.testing.assert_array_equal(info["action_mask"], infos["action_mask"][i])
            assert info["seat"] == infos["seat"][i]
        actions = choose(infos["action_mask"], rng.random(6))
        observations, rewards, terminations, truncations, infos = vector.step(actions)
        steps = [env.step(action) for env, action in zip(singles, actions.tolist(), strict=True)]
        for i, (_, reward, terminated, truncated, _) in enumerate(steps):
            assert (reward, terminated, truncated) == (rewards[i], terminations[i], truncations[i])
        over = terminations | truncations
        firsts = [env.reset() if over[i] else (steps[i][0], steps[i][4]) for i, env in enumerate(singles)]
        if over.any():
            observations, infos = vector.reset(options={"reset_mask": over})


@pytest.mark.parametrize("mask_in", ["observation", "info"])
def test_aec_plays_the_duels_of_the_batch(mask_in):
    game = make_game("hogwarts")
    batch = DuelBatch(game, 1, autoreset="disabled")
    env = DuelAECEnv(mask_in=mask_in)
    rng = np.random.default_rng(4)
    for episode in range(20):
        seed = 7 if episode == 0 else None
        batch.reset(seed)
        env.reset(seed)
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            if terminated or truncated:
                assert reward == batch.rewards[0, AGENTS.index(agent)]
                env.step(None)
                continue
            features = observation["observation"] if mask_in == "observation" else observation
            mask = observation["action_mask"] if mask_in == "observation" else info["action_mask"]
            assert agent == AGENTS[batch.current_player[0]]
            np.testing.assert_array_equal(features, batch.observation[0])
            np.testing.assert_array_equal(mask, batch.action_mask[0])
            action = choose(mask[None], rng.random(1))
            batch.step(action)
            env.step(int(action[0]))
        assert env.agents == []


def test_learner_sees_the_duel_of_both_seats_from_one_of_them():
    """The environment with a scripted opponent is the two-seat batch with that script on one side."""
    game = make_game("hogwarts")
    learner = LearnerBatch(game, 64, opponent=UniformAgent(), seat="second", autoreset="disabled")
    learner.reset(seed=9)
    both = DuelBatch(game, 64, autoreset="disabled")
    both.reset(seed=9)
    rng = np.random.default_rng(5)
    while not learner.batch.is_over.all():
        actions = choose(learner.action_mask, rng.random(64))
        learner.step(actions)
        waiting = np.ones(64, bool)
        while True:  # let the batch's player 0 act until every player 1 has taken its one action
            own_turn = both.current_player == 1
            moves = np.where(own_turn & waiting, actions, 0)
            index = np.flatnonzero(((both.current_player == 0) | (own_turn & waiting)) & ~both.is_over)
            if len(index) == 0:
                break
            zero = index[both.current_player[index] == 0]
            both.view(zero)
            moves[zero] = both.sample(zero, UniformAgent().policy(None, both.action_mask[zero]))
            waiting[index[both.current_player[index] == 1]] = False
            both.play(index, moves[index])
        everywhere = np.arange(64)
        both.view(everywhere, np.ones(64, np.int8))
        np.testing.assert_array_equal(both.observation, learner.observation)
    np.testing.assert_array_equal(both.store.rows["winner"], learner.batch.store.rows["winner"])


def test_trace_replays_to_the_state_of_the_row():
    game, setup = make_game_and_setup("hogwarts", {"skills": (60, 60)})
    for engine in ("table", "kernel"):
        batch = DuelBatch(game, 1, setup, autoreset="disabled", num_events=16, engine=engine)
        rng = np.random.default_rng(6)
        for episode in range(30):
            batch.reset(11 if episode == 0 else None)
            duel = duel_env.Duel.begin(game, setup, batch.store.sheets[0])
            while True:
                for event in batch.events(0).tolist():
                    apply_event(duel, tuple(event))
                assert batch.duel(0) == duel
                if duel.is_over:
                    break
                actions = choose(batch.action_mask, rng.random(1)) if rng.random() < 0.97 else [99]
                batch.step(actions)


def test_seeds_give_different_dice_throughout():
    """Not one shifted stream: two seeds, and two episodes of one seed, agree no more often than chance."""
    game = make_game("hogwarts")
    batch = DuelBatch(game, 2_000)
    batch.reset(seed=0)
    assert len(set(batch.store.rows["key"].tolist())) == 2_000
    first = batch.store.rows["dice"].copy()
    batch.reset()
    assert len(set(first.tolist()) | set(batch.store.rows["dice"].tolist())) == 4_000


def test_keys_of_different_seeds_are_different():
    small = np.arange(10_000, dtype=np.uint64)
    seeds = np.concatenate([small, np.uint64(2**64 - 1) - small])
    assert len(set(keys_from_seeds(seeds).tolist())) == 20_000


def test_duel_of_a_seed_has_the_skills_of_the_environment_of_that_seed():
    game, setup = make_game_and_setup("hogwarts", {"skills": ((0, 100), (0, 100))})
    batch = DuelBatch(game, 50, setup)
    batch.reset(seed=2**63 - 25)
    for row in range(50):
        duel = duel_env.Duel(game, setup, seed=2**63 - 25 + row)
        assert duel.sheets["skill"].tolist() == batch.store.sheets["skill"][row].tolist()


@pytest.mark.parametrize("engine", ["table", "kernel"])
def test_dice_to_come_leave_no_trace_in_what_is_seen(engine):
    """Rows in one state under other keys and streams show the same to both players, and differ in what comes of it."""
    game = make_game("hogwarts")
    batch = DuelBatch(game, 200, engine=engine)
    batch.reset(seed=[7] * 200)
    for _ in range(3):
        batch.step(batch.action_mask.argmax(axis=1))
    others = batch.snapshot()
    for name in ("key", "dice", "policy"):
        others["rows"][name] = np.random.default_rng(0).integers(2**63, size=200)
    batch.restore(others)
    for player in range(2):
        batch.view(np.arange(200), np.full(200, player, np.int8))
        assert len({row.tobytes() for row in batch.observation}) == 1
        assert len({row.tobytes() for row in batch.action_mask}) == 1
    assert len({batch.duel(row) for row in range(200)}) == 1
    for _ in range(4):
        batch.step(batch.action_mask.argmax(axis=1))
    assert len({batch.duel(row) for row in range(200)}) > 1


def test_snapshot_goes_back_and_plays_the_same_dice():
    game = make_game("hogwarts")
    for engine in ("table", "kernel"):
        batch = DuelBatch(game, 32, engine=engine)
        batch.reset(seed=1)
        picks = np.random.default_rng(7).random((40, 32))
        record(batch, picks)
        snapshot = batch.snapshot()
        once = record(batch, picks)
        batch.restore(snapshot)
        assert_same(once, record(batch, picks))
        other = DuelBatch(game, 16, engine=engine)
        with pytest.raises(duel_env.SchemaError, match="does not fit"):
            other.restore(snapshot)
