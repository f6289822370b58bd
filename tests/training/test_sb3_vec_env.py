import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecMonitor

from duel_env.errors import ConfigError, InvalidActionError
from duel_env.learner import LearnerBatch
from training.sb3_vec_env import DuelSB3VecEnv


def new_env(game, num_envs=64, seed=3, **settings):
    env = DuelSB3VecEnv(game, game.setup(), num_envs, **settings)
    env.seed(seed)
    return env, env.reset()


def random_actions(env, rng):
    masks = env.action_masks()
    return np.argmax(rng.random(masks.shape) * masks, axis=1)


@pytest.mark.parametrize("opponent", ["random", "stupefy"])
@pytest.mark.parametrize("seat", ["first", "second", "random"])
def test_masks_rewards_and_last_observations_are_the_learners(game, rng, opponent, seat):
    env, observation = new_env(game, opponent=opponent, seat=seat)
    twin = LearnerBatch(game, 64, opponent=opponent, seat=seat, autoreset="next_step")
    twin.reset(3)
    ended = np.zeros(64, bool)
    total = 0
    for _ in range(60):
        np.testing.assert_array_equal(observation[~ended], twin.observation[~ended])
        np.testing.assert_array_equal(env.action_masks()[~ended], twin.action_mask[~ended] == 1)
        if ended.any():  # the twin begins these duels only now, with a step whose action does not count
            waiting = np.flatnonzero(ended)
            twin.reset(rows=ended)
            np.testing.assert_array_equal(observation[waiting], twin.observation[waiting])
            np.testing.assert_array_equal(env.action_masks()[waiting], twin.action_mask[waiting] == 1)
        seats = twin.seat.copy()
        actions = random_actions(env, rng)
        observation, rewards, dones, infos = env.step(actions)
        twin.step(actions)
        ended = twin.terminated | twin.truncated
        assert rewards.dtype == np.float32
        assert dones.dtype == np.bool_
        np.testing.assert_array_equal(rewards, twin.reward)
        np.testing.assert_array_equal(dones, ended)
        for row in np.flatnonzero(ended):
            np.testing.assert_array_equal(infos[row]["terminal_observation"], twin.observation[row])
            assert infos[row]["seat"] == seats[row]
            assert infos[row]["TimeLimit.truncated"] == twin.truncated[row]
        total += len(np.flatnonzero(ended))
    assert total > 100
    assert seat == "random" or set(env.learner.seat) == {0 if seat == "first" else 1}


def test_rewards_are_those_of_the_learners_seat(game, rng):
    """An observation with own hit points at 0 is a loss, one with the opponent's at 0 a win, whichever the seat."""
    names = [feature.name for feature in game.layout]
    own, opponent = names.index("own_hit_points"), names.index("opponent_hit_points")
    env, _ = new_env(game)
    seen = set()
    for _ in range(80):
        _, rewards, dones, infos = env.step(random_actions(env, rng))
        assert (rewards[~dones] == 0.0).all()
        for row in np.flatnonzero(dones):
            last = infos[row]["terminal_observation"]
            if last[own] == 0.0 or last[opponent] == 0.0:
                assert rewards[row] == (1.0 if last[opponent] == 0.0 else -1.0)
                seen.add((infos[row]["seat"], rewards[row]))
    assert len(seen) == 4


def test_the_round_limit_is_told_from_an_end_by_the_rules(rng):
    from duel_env.game import make_game

    game = make_game("hogwarts", {"max_rounds": 2})
    env, _ = new_env(game)
    kinds = {True: 0, False: 0}
    for _ in range(20):
        _, rewards, dones, infos = env.step(random_actions(env, rng))
        for row in np.flatnonzero(dones):
            kinds[infos[row]["TimeLimit.truncated"]] += 1
            assert not infos[row]["TimeLimit.truncated"] or rewards[row] == 0.0
    assert min(kinds.values()) > 0


def test_results_are_not_views_that_the_next_step_overwrites(game, rng):
    env, first = new_env(game)
    kept = first.copy()
    masks = env.action_masks()
    kept_masks = masks.copy()
    results = env.step(random_actions(env, rng))
    copies = [np.copy(array) for array in results[:3]]
    for _ in range(5):
        env.step(random_actions(env, rng))
    np.testing.assert_array_equal(first, kept)
    np.testing.assert_array_equal(masks, kept_masks)
    for array, copy in zip(results[:3], copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_seeds_decide_everything_and_are_used_once(game, rng):
    (first, seen), (second, also_seen) = new_env(game), new_env(game)
    np.testing.assert_array_equal(seen, also_seen)
    for _ in range(20):
        actions = random_actions(first, rng)
        np.testing.assert_array_equal(first.step(actions)[0], second.step(actions)[0])
    np.testing.assert_array_equal(first.reset(), second.reset())
    assert [info["seat"] for info in first.reset_infos] == first.learner.seat.tolist()
    first.seed(3)
    np.testing.assert_array_equal(first.reset(), seen)
    unseeded = DuelSB3VecEnv(game, game.setup(), 4)
    assert unseeded.reset().shape == (4, game.observation_size)


def test_the_info_that_rows_share_cannot_be_changed(game, rng):
    env, _ = new_env(game, 4)
    _, _, dones, infos = env.step(random_actions(env, rng))
    assert not dones.any()
    assert infos[0] is infos[1]
    for change in (lambda: infos[0].update(a=1), lambda: infos[0].setdefault("a", 1), lambda: infos[0].__setitem__("a", 1)):
        with pytest.raises(TypeError, match="shared by all rows"):
            change()
    copied = infos[0].copy()
    copied["a"] = 1
    assert infos[0] == {}


def test_the_rest_of_the_interface(game):
    env, _ = new_env(game, 8)
    assert is_masking_supported(env)
    np.testing.assert_array_equal(get_action_masks(env), env.action_masks())
    np.testing.assert_array_equal(env.env_method("action_masks", indices=[2, 5]), env.action_masks()[[2, 5]])
    np.testing.assert_array_equal(env.env_method("action_masks", indices=3), env.action_masks()[[3]])
    assert env.get_attr("render_mode") == [None] * 8
    assert env.get_attr("num_envs", [0, 1]) == [8, 8]
    assert not env.has_attr("nothing")
    env.set_attr("note", 5)
    assert env.get_attr("note", 0) == [5]
    with pytest.raises(ConfigError, match="attributes belong to all rows"):
        env.set_attr("note", 6, [0])
    assert env.env_is_wrapped(VecMonitor) == [False] * 8
    assert env.get_images() == [None] * 8
    env.set_options({"skills": (1, 2)})
    with pytest.raises(ConfigError, match="options of reset are not supported"):
        env.reset()
    env.set_options()
    env.reset()
    with pytest.raises(InvalidActionError, match="expected 8 integer actions"):
        env.step(np.zeros(8))
    env.close()
    env.close()


def test_settings_that_are_not_accepted_are_named(game):
    with pytest.raises(ConfigError, match="seat = 'third'"):
        DuelSB3VecEnv(game, game.setup(), 4, seat="third")
    with pytest.raises(ConfigError, match="opponent = 'nobody'"):
        DuelSB3VecEnv(game, game.setup(), 4, opponent="nobody")


def test_maskable_ppo_learns_on_it_within_sb3s_monitor_and_never_plays_an_illegal_action(game):
    env = VecMonitor(DuelSB3VecEnv(game, game.setup(), 16, illegal_action="raise"))
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=64, n_epochs=1, seed=0, device="cpu")
    model.learn(2 * 16 * 16)
    assert len(model.ep_info_buffer) > 5
    observation = env.reset()
    actions, _ = model.predict(observation, action_masks=get_action_masks(env))
    assert env.env_method("action_masks")[np.arange(16), actions].all()
