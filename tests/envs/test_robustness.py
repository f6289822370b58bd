"""Odd orders, wrong types, copies and pickles: every public edge answers with a named error, or does what it says."""

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest

from duel_env import Duel, DuelBatch, make_game, make_game_and_setup
from duel_env.envs.gym_env import DuelEnv
from duel_env.envs.pettingzoo_env import DuelAECEnv
from duel_env.envs.vector_env import DuelVectorEnv
from duel_env.errors import ConfigError, DuelError, SchemaError, UsageError
from duel_env.learner import LearnerBatch
from tests.envs.test_gymnasium import Spammer

ENGINES = ["table", "kernel"]


# ---- rows that have no duel -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("autoreset", ["next_step", "same_step", "disabled"])
def test_rows_that_never_began_are_not_played(game, engine, autoreset):
    batch = DuelBatch(game, 3, engine=engine, autoreset=autoreset)
    batch.seed([1, 2, 3])
    with pytest.raises(UsageError, match=r"rows \[0, 1, 2\] have no duel yet"):
        batch.step([99, 99, 99])
    batch.reset(rows=np.array([True, False, False]))
    with pytest.raises(UsageError, match=r"rows \[1, 2\]"):
        batch.step([0, 0, 0])
    assert batch.is_over.tolist() == [False, True, True]
    batch.play(np.array([1, 2]), np.array([99, 99]))
    batch.report(np.arange(3))
    assert not batch.rewards.any()
    batch.reset(rows=np.array([False, True, True]))
    batch.step([0, 0, 0])


def test_vector_environment_needs_all_rows_before_a_step():
    env = DuelVectorEnv(3)
    env.reset(seed=1, options={"reset_mask": np.array([True, False, False])})
    with pytest.raises(UsageError, match=r"rows \[1, 2\]"):
        env.step(np.array([99, 99, 99]))


def test_first_reset_needs_a_seed_also_for_the_seed_whose_key_is_zero(game):
    with pytest.raises(UsageError, match="needs a seed"):
        DuelBatch(game, 2).reset()
    batch = DuelBatch(game, 1)
    batch.seed([2**64 - 0x6475656C5F656E76])
    assert batch.store.rows["key"][0] == 0
    batch.reset()


def test_reset_with_a_seed_and_a_mask_leaves_the_other_rows_alone(game):
    batch, other = DuelBatch(game, 3), DuelBatch(game, 3)
    for each in (batch, other):
        each.reset(seed=5)
    batch.reset(seed=77, rows=np.array([True, False, False]))
    for name in ("key", "episode", "dice", "node"):
        assert batch.store.rows[name][1:].tolist() == other.store.rows[name][1:].tolist()
    alone = DuelBatch(game, 1)
    alone.reset(seed=77)
    assert batch.store.rows["dice"][0] == alone.store.rows["dice"][0]
    assert batch.duel(1) == other.duel(1)


@pytest.mark.parametrize(
    "call",
    [
        lambda batch: batch.reset(rows=np.ones(2_000_000, bool)),
        lambda batch: batch.reset(rows=np.array([1, 0, 0])),
        lambda batch: batch.reset(1.5),
        lambda batch: batch.reset(float("nan")),
        lambda batch: batch.reset(np.array(5)),
        lambda batch: batch.reset([1, 2]),
        lambda batch: batch.reset([1, 2, -3]),
        lambda batch: batch.set_seats(5),
        lambda batch: batch.set_seats(-2),
        lambda batch: batch.set_seats(1.5),
        lambda batch: batch.set_seats(True),
        lambda batch: batch.duel(99),
        lambda batch: batch.duel("a"),
        lambda batch: batch.events(-1),
        lambda batch: batch.view(np.array([7])),
        lambda batch: batch.view(np.array([0]), np.array([2])),
        lambda batch: batch.play(np.array([-1]), np.array([0])),
        lambda batch: batch.play(np.array([0]), np.array([0, 1])),
        lambda batch: batch.report(np.array([3])),
        lambda batch: batch.begin(np.array([5])),
        lambda batch: batch.sample(np.array([0]), np.zeros((1, 4))),
        lambda batch: batch.restore(None),
        lambda batch: batch.restore({}),
        lambda batch: batch.step([0.0, 0.0, 0.0]),
        lambda batch: batch.step([[0, 0, 0]]),
        lambda batch: batch.step(None),
    ],
)
def test_wrong_calls_of_a_batch_are_named_errors_and_change_nothing(game, call):
    batch = DuelBatch(game, 3)
    batch.reset(seed=1)
    before = batch.snapshot()
    with pytest.raises(DuelError):
        call(batch)
    after = batch.snapshot()
    assert all(np.array_equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize(
    "settings",
    [
        {"num_envs": True},
        {"num_envs": 0},
        {"num_envs": 1.5},
        {"num_threads": "a"},
        {"num_threads": None},
        {"num_events": -1},
        {"autoreset": np.array(["next_step"])},
        {"autoreset": 1},
        {"setup": 3},
        {"setup": {}},
        {"setup": np.zeros(2)},
        {"game": None},
    ],
)
def test_wrong_settings_of_a_batch_are_named_errors(game, settings):
    with pytest.raises(ConfigError):
        DuelBatch(**({"game": game, "num_envs": 2} | settings))


@pytest.mark.parametrize("seed", [-1, 2**64, "a", None, [1], float("nan"), 1.5, True])
def test_seeds_of_a_duel_are_checked(game, seed):
    with pytest.raises(ConfigError, match="seed"):
        Duel(game, seed=seed)


def test_other_wrong_arguments_are_named_errors(game):
    for player in (-1, 2, 5, "a"):
        with pytest.raises(ConfigError, match="expected 0 or 1"):
            Duel(game).observation(player)
    for call in (
        lambda: Duel(None),
        lambda: Duel(game, setup=3),
        lambda: game.setup({"skills": (1, 2)}),
        lambda: make_game("hogwarts", [1]),
        lambda: make_game(3),
        lambda: make_game_and_setup("hogwarts", {5: 1}),
        lambda: make_game_and_setup("hogwarts", {"first_caster": True}),
        lambda: DuelEnv(seat=np.array(["first"])),
        lambda: DuelVectorEnv(num_envs=True),
        lambda: DuelVectorEnv(2).reset(seed=-1),
        lambda: DuelVectorEnv(2).reset(seed=1.5),
        lambda: DuelVectorEnv(2).reset(seed=[1, 2, 3]),
        lambda: DuelAECEnv(mask_in="both"),
    ):
        with pytest.raises(ConfigError):
            call()


def test_numpy_numbers_are_numbers():
    assert make_game("hogwarts", {"hit_points": np.int64(3)}) is make_game("hogwarts", {"hit_points": 3})
    DuelVectorEnv(np.int64(2)).reset(seed=[np.uint64(2**63), None])


@pytest.mark.parametrize("action", [10**30, -(10**30), np.uint64(2**64 - 1), 2**32, 2**31])
def test_integers_of_every_size_are_illegal_actions_and_nothing_worse(action):
    env = DuelEnv(seat="first", first_caster=0, render_mode="ansi")
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step(action)
    assert (reward, terminated, info["disqualified"]) == (-1.0, True, True)
    assert "disqualified" in env.render()
    aec = DuelAECEnv(first_caster=0)
    aec.reset(seed=0)
    aec.step(action)
    assert aec.rewards == {"player_0": -1.0, "player_1": 1.0}


# ---- PettingZoo out of order ----------------------------------------------------------------------------------------------------


def test_aec_calls_out_of_order_are_named_errors():
    env = DuelAECEnv()
    for call in (env.last, env.agent_iter, lambda: env.observe("player_0"), lambda: env.step(0), env.duel):
        with pytest.raises(UsageError, match="reset"):
            call()
    env.reset(seed=0)
    with pytest.raises(ConfigError, match="expected player_0 or player_1"):
        env.observe("zz")
    env.step(99)
    env.step(None)
    env.step(None)
    assert env.agents == []
    with pytest.raises(UsageError, match="reset"):
        env.step(None)


# ---- an opponent that fails -----------------------------------------------------------------------------------------------------


class Fails(Spammer):
    """Raises at its n-th decision."""

    def __init__(self, when):
        super().__init__(0)
        self.left = when

    def policy(self, observation, action_mask):
        self.left -= 1
        if self.left == 0:
            raise RuntimeError("no idea")
        return super().policy(observation, action_mask)


def test_learner_never_plays_for_an_opponent_that_failed_in_a_reset():
    env = DuelEnv(seat="first", first_caster=1, opponent=Fails(2))
    env.reset(seed=0)
    with pytest.raises(RuntimeError, match="no idea"):
        env.reset(seed=1)
    with pytest.raises(UsageError, match="reset"):
        env.step(99)
    env.reset(seed=1)
    env.step(0)
    vector = DuelVectorEnv(2, seat="first", first_caster=1, opponent=Fails(1))
    with pytest.raises(RuntimeError, match="no idea"):
        vector.reset(seed=1)
    with pytest.raises(UsageError, match="reset"):
        vector.step(np.array([99, 99]))


# ---- copies and pickles ---------------------------------------------------------------------------------------------------------


def finish(env):
    """Rewards until the end, with the first legal action each time."""
    mask, rewards, over = env.action_masks(), [], False
    while not over:
        _, reward, terminated, truncated, info = env.step(int(mask.argmax()))
        mask, over = info["action_mask"], terminated or truncated
        rewards.append(reward)
        assert len(rewards) < 500
    return rewards


COPIES = [copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))]


@pytest.mark.parametrize("duplicate", COPIES)
@pytest.mark.parametrize("opponent", ["random", "stupefy"])
def test_copy_of_an_environment_goes_on_by_itself(duplicate, opponent):
    env = gym.make("duel_env/Hogwarts-v0", opponent=opponent, render_mode="ansi").unwrapped
    env.reset(seed=3)
    env.step(0)
    twin = duplicate(env)
    assert twin.render() == env.render()
    before = env.duel()
    rewards = finish(twin)
    assert env.duel() == before, "the copy's steps are not the original's"
    assert finish(env) == rewards
    assert rewards[-1] != 0.0


@pytest.mark.parametrize("duplicate", COPIES)
def test_copy_of_a_vector_environment_goes_on_by_itself(duplicate):
    env = DuelVectorEnv(16)
    _, infos = env.reset(seed=3)
    twin = duplicate(env)
    totals = []
    for each in (twin, env):
        mask, total = infos["action_mask"], 0.0
        for _ in range(100):
            _, rewards, _, _, after = each.step(mask.argmax(axis=1))
            mask, total = after["action_mask"], total + np.abs(rewards).sum()
        totals.append(total)
    assert totals[0] == totals[1] > 10


@pytest.mark.parametrize("duplicate", COPIES)
def test_copy_of_an_aec_environment_goes_on_by_itself(duplicate):
    env = DuelAECEnv()
    env.reset(seed=3)
    twin = duplicate(env)
    lengths = []
    for each in (twin, env):
        steps = 0
        for _ in each.agent_iter(1_000):
            observation, _, terminated, truncated, _ = each.last()
            each.step(None if terminated or truncated else int(observation["action_mask"].argmax()))
            steps += 1
        assert each.agents == []
        lengths.append(steps)
    assert lengths[0] == lengths[1] > 4


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("duplicate", [*COPIES, copy.copy])
def test_copy_of_a_batch_has_buffers_of_its_own(game, engine, duplicate):
    batch = DuelBatch(game, 4, engine=engine, autoreset="disabled")
    batch.reset(seed=3)
    twin = duplicate(batch)
    assert twin.game is game
    while not twin.is_over.all():
        twin.step(twin.action_mask.argmax(axis=1))
    assert (twin.current_player == -1).all()
    assert (batch.current_player >= 0).all()
    while not batch.is_over.all():
        batch.step(batch.action_mask.argmax(axis=1))
    assert batch.store.rows["winner"].tolist() == twin.store.rows["winner"].tolist()


@pytest.mark.parametrize("duplicate", [*COPIES, copy.copy])
def test_copies_of_games_and_duels(game, duplicate):
    assert duplicate(game) is game
    duel = Duel(game, seed=1)
    twin = duplicate(duel)
    twin.roll(1)
    assert duel.die is not None
    assert twin.game is game


# ---- snapshots from outside -----------------------------------------------------------------------------------------------------


OUT_OF_BOUNDS = [("current_player", 2), ("current_player", -1), ("seat", 7), ("over", 3), ("winner", 9)]


@pytest.mark.parametrize(
    ("engine", "field", "value"),
    [("table", "node", 2_000_000_000), ("table", "node", -5), *((engine, *case) for engine in ENGINES for case in OUT_OF_BOUNDS)],
)
def test_snapshots_that_would_lead_out_of_bounds_are_refused(game, engine, field, value):
    batch = DuelBatch(game, 4, engine=engine)
    batch.reset(seed=1)
    hostile = batch.snapshot()
    hostile["rows"][field][2] = value
    kept = batch.snapshot()
    with pytest.raises(SchemaError, match="snapshot"):
        batch.restore(hostile)
    assert np.array_equal(batch.snapshot()["rows"], kept["rows"])


def test_snapshots_of_states_are_checked_state_by_state(game):
    batch = DuelBatch(game, 4, engine="kernel")
    batch.reset(seed=1)
    hostile = batch.snapshot()
    hostile["states"]["action"][1] = 120
    with pytest.raises(SchemaError, match=r"state\.action"):
        batch.restore(hostile)


# ---- what the reviewers' mutations showed to be untested -------------------------------------------------------------------------


def test_random_seat_is_either_seat_about_equally_often():
    learner = LearnerBatch(make_game("hogwarts"), 2_000, seat="random")
    learner.reset(seed=0)
    assert learner.seat.mean() == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(2_000))


@pytest.mark.parametrize("engine", ENGINES)
def test_chances_are_in_the_first_observation_also_of_skills_that_are_zero(engine):
    spells = [{"id": "easy", "en": "Easy", "fr": "Facile", "penalty": -40, "damage": 1}]
    game, setup = make_game_and_setup("hogwarts", {"skills": (0, 0), "spells": spells})
    batch = DuelBatch(game, 2, setup, engine=engine)
    batch.reset(seed=0)
    index = [feature.name for feature in game.layout].index("own_chance_easy")
    assert batch.observation[:, index].tolist() == pytest.approx([0.4, 0.4])
