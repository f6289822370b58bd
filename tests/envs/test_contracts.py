"""The checkers of the common libraries, and our own check of whole episodes, which theirs leave out."""

import warnings

import gymnasium as gym
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import api_test, seed_test

import duel_env
from duel_env.envs import pettingzoo_env
from duel_env.registry import ENV_IDS

IDS = [row.id for row in ENV_IDS]


@pytest.mark.parametrize(("env_id", "opponent"), [*((env_id, "random") for env_id in IDS), ("duel_env/Hogwarts-v0", "stupefy")])
def test_gymnasium_check_env(env_id, opponent):
    check_env(gym.make(env_id, opponent=opponent).unwrapped)
    check_env(gym.make(env_id, opponent=opponent, render_mode="ansi").unwrapped)


@pytest.mark.parametrize("env_id", IDS)
def test_stable_baselines3_check_env(env_id):
    checker = pytest.importorskip("stable_baselines3.common.env_checker", reason="needs the extra: train")
    checker.check_env(gym.make(env_id))


@pytest.mark.parametrize("mask_in", ["observation", "info"])
def test_pettingzoo_api_and_seed(mask_in):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Observation")  # the checker would rather have no dictionaries
        api_test(pettingzoo_env.env(mask_in=mask_in), num_cycles=500)
    seed_test(lambda: pettingzoo_env.env(mask_in=mask_in))


@pytest.mark.parametrize("env_id", IDS)
def test_registries_know_the_environments(env_id):
    assert isinstance(pettingzoo.make("aec", env_id), pettingzoo_env.DuelAECEnv)
    vector = gym.make_vec(env_id, num_envs=3)
    assert vector.unwrapped.num_envs == 3
    assert vector.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    vector.close()


def play_whole(env: gym.Env, seed: int, rng: np.random.Generator) -> list:
    """Everything that three duels show, with actions that depend on `rng` only."""
    seen = []
    for episode in range(3):
        observation, info = env.reset(seed=seed if episode == 0 else None)
        over = False
        while not over:
            seen.append((observation.tobytes(), info["action_mask"].tobytes(), info["seat"]))
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            observation, reward, terminated, truncated, info = env.step(action)
            over = terminated or truncated
            seen.append((reward, terminated, truncated, info.get("disqualified")))
    return seen


@pytest.mark.parametrize("env_id", IDS)
def test_whole_episodes_are_determined_by_the_seed(env_id):
    def run(seed):
        return play_whole(gym.make(env_id), seed, np.random.default_rng(0))

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_observations_are_copies():
    env = gym.make("duel_env/Hogwarts-v0")
    observation, info = env.reset(seed=0)
    before, mask = observation.copy(), info["action_mask"].copy()
    env.step(int(np.flatnonzero(mask)[0]))
    np.testing.assert_array_equal(observation, before)
    np.testing.assert_array_equal(info["action_mask"], mask)
    vector = gym.make_vec("duel_env/Hogwarts-v0", num_envs=4)
    first, infos = vector.reset(seed=0)
    kept = first.copy(), infos["action_mask"].copy()
    vector.step(np.zeros(4, np.int64))
    np.testing.assert_array_equal(first, kept[0])
    np.testing.assert_array_equal(infos["action_mask"], kept[1])


def test_unseeded_environments_differ():
    envs = [gym.make("duel_env/Hogwarts-v0").unwrapped for _ in range(2)]
    runs = [play_whole(env, None, np.random.default_rng(0)) for env in envs]
    assert runs[0] != runs[1]


def test_version_is_that_of_the_distribution():
    assert duel_env.__version__[0].isdigit()
