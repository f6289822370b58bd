"""The single and the vector environment of Gymnasium: rewards, ends, autoreset, illegal actions, settings, text."""

import re

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from duel_env.envs.gym_env import DuelEnv
from duel_env.envs.vector_env import DuelVectorEnv
from duel_env.errors import ConfigError, IllegalActionError, InvalidActionError, SchemaError, UsageError

PROTEGO, RETRIEVE, SEIZE, PASS = 5, 6, 7, 8
ONE_SPELL = [{"id": "poke", "en": "Poke", "fr": "Poke", "penalty": 0}]


class Spammer:
    """Always one action, or what must be done instead."""

    def __init__(self, action):
        self.action = action

    def policy(self, observation, action_mask):
        wanted = np.where(action_mask[:, self.action] == 1, self.action, action_mask.argmax(axis=1))
        return np.eye(action_mask.shape[1])[wanted]


def pick(info, rng):
    return int(rng.choice(np.flatnonzero(info["action_mask"])))


@pytest.mark.parametrize(("skills", "reward"), [((100, 0), 1.0), ((0, 100), -1.0)])
@pytest.mark.parametrize("opponent", ["random", Spammer(0)])
def test_learner_gets_its_own_reward_also_when_the_opponent_ends_the_duel(skills, reward, opponent):
    env = DuelEnv(skills=skills, seat="first", opponent=opponent if reward < 0 else "random", max_rounds=10_000)
    rng = np.random.default_rng(0)
    for episode in range(10):
        _, info = env.reset(seed=1 if episode == 0 else None)
        total, over = 0.0, False
        while not over:
            action = 0 if info["action_mask"][0] else pick(info, rng)
            _, got, terminated, truncated, info = env.step(action)
            over = terminated or truncated
            assert over or got == 0.0
            total += got
        assert total == reward
        assert terminated is True
        assert truncated is False


def test_round_limit_truncates_as_a_draw():
    env = DuelEnv(max_rounds=2, skills=(100, 100), opponent=Spammer(PROTEGO))
    _, info = env.reset(seed=0)
    ends = []
    while not ends or not ends[-1]:
        _, reward, terminated, truncated, info = env.step(PROTEGO)
        ends.append(terminated or truncated)
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["disqualified"] is False
    assert np.all(info["action_mask"] == 1)


def test_illegal_action_forfeits_at_once():
    for action in (PASS, 9, -1, 10**9):
        env = DuelEnv(seat="first", first_caster=0)
        env.reset(seed=0)
        _, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated, info["disqualified"]) == (-1.0, True, False, True)


def test_illegal_action_raises_and_plays_nothing_if_asked_to():
    env = DuelEnv(seat="first", first_caster=0, illegal_action="raise")
    observation, info = env.reset(seed=0)
    with pytest.raises(IllegalActionError, match=r"action 8 \(pass\) is illegal for player 0; legal: 0 stupefy"):
        env.step(PASS)
    np.testing.assert_array_equal(env.action_masks(), info["action_mask"])
    other = DuelEnv(seat="first", first_caster=0)
    other.reset(seed=0)
    np.testing.assert_array_equal(env.step(0)[0], other.step(0)[0])
    vector = DuelVectorEnv(3, seat="first", first_caster=0, illegal_action="raise")
    vector.reset(seed=0)
    with pytest.raises(IllegalActionError, match=r"in row 1"):
        vector.step(np.array([0, PASS, 0]))
    np.testing.assert_array_equal(observation[:2], [1.0, 0.0])


@pytest.mark.parametrize("action", [None, 1.0, "stupefy", True, np.array([0, 1]), np.float32(0)])
def test_what_is_no_action_is_an_error_in_every_mode(action):
    env = DuelEnv()
    env.reset(seed=0)
    with pytest.raises(InvalidActionError):
        env.step(action)


@pytest.mark.parametrize("action", [0, np.int64(0), np.uint8(0), np.array(0), np.array([0])])
def test_integers_of_every_kind_are_actions(action):
    env, other = DuelEnv(seat="first", first_caster=0), DuelEnv(seat="first", first_caster=0)
    for each in (env, other):
        each.reset(seed=0)
    observation, *_, info = env.step(action)
    assert "disqualified" not in info
    np.testing.assert_array_equal(observation, other.step(0)[0])


def test_calls_out_of_order_are_errors():
    env = DuelEnv()
    with pytest.raises(UsageError, match="reset"):
        env.step(0)
    env.reset(seed=0)
    env.step(99)
    with pytest.raises(UsageError, match="reset"):
        env.step(0)
    with pytest.raises(UsageError, match="reset"):
        DuelVectorEnv(2).step(np.zeros(2, int))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hit_point": 3}, "unknown key hit_point; allowed: skills, first_caster, riposte_sees_roll"),
        ({"hit_points": 0}, "hit_points = 0"),
        ({"hit_points": 2.5}, "hit_points = 2.5"),
        ({"resolution": "both"}, "resolution = 'both': input should be 'ordered' or 'simultaneous'"),
        ({"skills": (60, 101)}, "skills"),
        ({"skills": (60,)}, "expected one skill for each of the two players"),
        ({"skills": ((95, 20), 60)}, "the other way round"),
        ({"first_caster": 2}, "first_caster = 2"),
        ({"seat": "third"}, "seat = 'third'"),
        ({"illegal_action": "noop"}, "illegal_action = 'noop'"),
        ({"engine": "fast"}, "engine = 'fast'"),
        ({"render_mode": "rgb_array"}, "render_mode"),
        ({"lang": "de"}, "lang = 'de'"),
        ({"opponent": 3}, "opponent = 3"),
        ({"opponent": "nobody"}, "nobody"),
        ({"ruleset": "chess"}, "unknown ruleset 'chess'; available: hogwarts"),
        ({"spells": "missing.toml"}, "cannot read missing.toml"),
    ],
)
def test_settings_that_are_not_accepted_say_what_is(settings, message):
    with pytest.raises(ConfigError) as caught:
        DuelEnv(**settings)
    assert message in str(caught.value)


@pytest.mark.parametrize("seed", [-1, 2**64, "a", 1.5, True])
def test_seeds_out_of_range_are_errors(seed):
    with pytest.raises(ConfigError, match="seed"):
        DuelEnv().reset(seed=seed)


def test_skills_are_drawn_for_each_duel_from_their_ranges():
    vector = DuelVectorEnv(500, skills=((20, 30), 60), seat="first", autoreset_mode="SameStep")
    observations, _ = vector.reset(seed=0)
    index = [feature.name for feature in vector.game.layout].index("own_skill")
    skills = set(np.round(observations[:, index] * 100).astype(int).tolist())
    assert skills == set(range(20, 31))


def test_forced_first_caster():
    for first in (0, 1):
        env = DuelEnv(first_caster=first, skills=(90, 10), seat="first")
        observation, _ = env.reset(seed=0)
        assert observation[[feature.name for feature in env.game.layout].index("acts_first")] == (first == 0)


def test_opponent_that_gives_no_probabilities_is_named():
    class Broken:
        def __init__(self, answer):
            self.answer = answer

        def policy(self, observation, action_mask):
            return self.answer(observation, action_mask)

    for answer in (lambda o, m: np.zeros(m.shape), lambda o, m: np.zeros(3), lambda o, m: np.full(m.shape, np.nan)):
        env = DuelEnv(opponent=Broken(answer), seat="first", first_caster=0)
        env.reset(seed=0)
        with pytest.raises(SchemaError, match="opponent's policy gave"):
            env.step(0)
        with pytest.raises(UsageError, match="reset before going on"):
            env.step(0)


# ---- text -----------------------------------------------------------------------------------------------------------------------


def test_ansi_shows_hit_points_states_and_dice_in_both_languages():
    for lang, words in (("en", ("Round 1", "5/5 HP", "wand in hand", "rolls")), ("fr", ("Manche 1", "5/5 PV", "lance"))):
        env = DuelEnv(render_mode="ansi", lang=lang, seat="second", first_caster=0)
        env.reset(seed=1)
        text = env.render()
        assert all(word in text for word in words), text


def test_text_keeps_a_hidden_skill_to_itself():
    """Duels that differ in the opponent's skill only, and in nothing that happens, read alike to the learner."""
    texts = []
    for skill in (61, 62):
        settings = {
            "skills": (40, skill),
            "observe_opponent_skill": False,
            "first_caster": 1,
            "max_rounds": 1,
            "spells": ONE_SPELL,
        }
        env = DuelEnv(render_mode="ansi", seat="first", opponent=Spammer(0), **settings)
        text = ""
        for seed in range(20):
            env.reset(seed=seed)
            text += env.render()
            env.step(0)
            text += env.render()
        texts.append(text)
    faces = [re.sub(r"rolls 62: (success|a miss)", "", text) for text in texts]
    assert "skill 40" in faces[0]
    assert "skill ?" in faces[0]
    assert "needs 40" in faces[0]
    assert "needs 6" not in texts[0]
    assert "61" not in faces[0].replace("rolls 61", "")
    shown = DuelEnv(render_mode="ansi", seat="first", skills=(40, 62), first_caster=1)
    shown.reset(seed=0)
    assert "skill 62" in shown.render()


def test_human_prints_each_step(capsys):
    env = gym.make("duel_env/Hogwarts-v0", render_mode="human", seat="first", first_caster=0)
    env.reset(seed=0)
    env.step(0)
    printed = capsys.readouterr().out
    assert "Duelist 0: Stupefy." in printed
    assert printed.count("Round") == 2
    env.close()
    env.close()


# ---- autoreset of the vector environment, counted by hand -----------------------------------------------------------------------


def one_round(mode):
    """Row 0 forfeits in its first step, row 1 goes on."""
    vector = DuelVectorEnv(2, autoreset_mode=mode, seat="first", first_caster=0, opponent=Spammer(PROTEGO))
    observations, _ = vector.reset(seed=0)
    return vector, observations, vector.step(np.array([99, PROTEGO]))


def test_next_step_autoreset():
    vector, start, (observations, rewards, terminations, truncations, infos) = one_round(AutoresetMode.NEXT_STEP)
    assert rewards.tolist() == [-1.0, 0.0]
    assert terminations.tolist() == [True, False]
    assert truncations.tolist() == [False, False]
    assert infos["disqualified"].tolist() == [True, False]
    assert infos["action_mask"][0].tolist() == [1] * 9
    observations, rewards, terminations, truncations, infos = vector.step(np.array([PASS, PROTEGO]))  # row 0's action is ignored
    assert rewards[0] == 0.0
    assert not terminations[0]
    np.testing.assert_array_equal(observations[0], start[0])
    assert infos["action_mask"][0].tolist() == [1] * 6 + [0] * 3


def test_same_step_autoreset():
    _, start, (observations, rewards, terminations, _, infos) = one_round(AutoresetMode.SAME_STEP)
    assert rewards.tolist() == [-1.0, 0.0]
    assert terminations.tolist() == [True, False]
    np.testing.assert_array_equal(observations[0], start[0])
    assert infos["action_mask"][0].tolist() == [1] * 6 + [0] * 3
    assert infos["_final_obs"].tolist() == [True, False]
    np.testing.assert_array_equal(infos["final_obs"][0], start[0])
    assert infos["final_obs"][1] is None
    assert infos["final_info"]["disqualified"].tolist() == [True, False]
    assert infos["final_info"]["action_mask"].tolist() == [[1] * 9, [0] * 9]


def test_disabled_autoreset():
    vector, start, _ = one_round(AutoresetMode.DISABLED)
    with pytest.raises(UsageError, match=r"rows \[0\] are over"):
        vector.step(np.zeros(2, int))
    with pytest.raises(ConfigError, match="reset_mask"):
        vector.reset(options={"reset_mask": np.array([1, 0])})
    observations, _ = vector.reset(options={"reset_mask": np.array([True, False])})
    np.testing.assert_array_equal(observations[0], start[0])
    vector.step(np.array([0, PROTEGO]))


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_rewards_of_every_autoreset_mode_agree_with_the_single_environment(mode):
    """Returns of the first duels of 50 seeds under one fixed rule of play are those of the single environment."""
    expected = []
    for seed in range(50):
        env = DuelEnv(seat="random")
        _, info = env.reset(seed=seed)
        reward, over = 0.0, False
        while not over:
            _, reward, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
            over = terminated or truncated
        expected.append(reward)
    vector = DuelVectorEnv(50, autoreset_mode=mode, seat="random")
    _, infos = vector.reset(seed=0)
    returns, pending = np.zeros(50), np.ones(50, bool)
    while pending.any():
        _, rewards, terminations, truncations, infos = vector.step(infos["action_mask"].argmax(axis=1))
        over = terminations | truncations
        returns[over & pending] = rewards[over & pending]
        pending &= ~over
        if mode is AutoresetMode.DISABLED and over.any():
            _, infos = vector.reset(options={"reset_mask": over})
    assert returns.tolist() == expected


def test_wrappers_of_gymnasium_count_episodes():
    vector = gym.wrappers.vector.RecordEpisodeStatistics(gym.make_vec("duel_env/Hogwarts-v0", num_envs=8))
    _, infos = vector.reset(seed=0)
    finished = 0
    for _ in range(200):
        _, _, _, _, infos = vector.step(infos["action_mask"].argmax(axis=1))
        if "episode" in infos:
            ended = infos["_episode"]
            finished += ended.sum()
            assert set(infos["episode"]["r"][ended].tolist()) <= {-1.0, 0.0, 1.0}
    assert finished > 20
