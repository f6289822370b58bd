"""Laws that every spell duel obeys, over random duelists, terms and play."""

from typing import Any

import numpy as np
import pytest

from duel_env.duel import Duel
from duel_env.rules.graph import PLAYER
from duel_env.rules.pathfinder.abilities import max_hit_points
from duel_env.rules.pathfinder.actions import num_actions
from duel_env.rules.pathfinder.codes import IMMEDIATE, SWIFT
from duel_env.rules.pathfinder.hindrances import any_no_actions
from duel_env.rules.pathfinder.legality import is_legal
from duel_env.rules.pathfinder.state import (
    BY_DEFEAT,
    BY_JUDGEMENT,
    BY_ROUND_LIMIT,
    CHOOSE_DISMISSED,
    CORE,
    CUP,
    NONE,
    REACTION,
    STARE_DOWN,
    TURN,
)
from duel_env.rules.pathfinder.totals import recompute
from duel_env.rules.pathfinder.turns import begin
from duel_env.rules.stores import CHOICE
from tests.rules.pathfinder.fights import (
    COMPILED,
    MANY,
    assert_same,
    decisions,
    game,
    pick,
    play_out,
    random_batch,
    random_game,
    setup,
    view,
)

TERMS: dict[str, dict[str, Any]] = {
    "default": {},
    "other_readings": {
        "opening": "stare_down",
        "plants": True,
        "max_rounds": 12,
        "at_max_rounds": "hit_points",
        "counter_dc": "caster_level",
        "exact_copy": "sure",
        "counter_needs_sight": False,
        "counter_only_if_targeted": True,
        "counter_is_immediate": False,
        "flat_footed_start": False,
        "dispel_unidentified": False,
        "greater_dispel_bonus": False,
        "penalty_after_failed_dispel": False,
        "level_bonus": "spell",
        "spellcraft_distance": True,
        "abstract_range": True,
        "show_opponent_class": False,
        "show_hit_points": "exact",
        "recall": "current",
        "ask_forced": True,
    },
    "to_the_death": {"end": "death", "max_rounds": 40},
    "safe": {"arena": "safe", "max_rounds": 30, "ask_forced": True},
}
every_terms = pytest.mark.parametrize("terms", TERMS.values(), ids=TERMS.keys())


# ---- whole duels --------------------------------------------------------------------------------------------------------------


@every_terms
def test_duels_end_within_the_limit_and_returns_sum_to_zero(terms):
    of = random_game(**terms)
    batch = random_batch(of)
    rewards = np.zeros((batch.num_envs, 2))
    for _ in play_out(batch, np.random.default_rng(1)):
        rewards += batch.rewards
        running = ~batch.is_over
        assert (batch.action_mask.any(axis=1) == running).all(), "who is to choose can do something, and nobody else"
        assert (batch.store.states["round"][running] <= of.options.max_rounds).all()
    assert (rewards.sum(axis=1) == 0).all()
    ends = batch.store.states["end"]
    winners = batch.store.states["winner"]
    assert set(ends.tolist()) <= {BY_DEFEAT, BY_ROUND_LIMIT, BY_JUDGEMENT}
    assert ((rewards != 0).any(axis=1) == (winners != NONE)).all()
    assert (winners[ends == BY_ROUND_LIMIT] == NONE).all()
    assert (batch.store.rows["cut_short"] == (ends == BY_ROUND_LIMIT)).all()


@every_terms
def test_every_action_is_legal_exactly_where_the_mask_says_so(terms):
    assert num_actions(random_game(**terms).rules[0]) == random_game(**terms).num_actions
    for of, core, sheets in decisions(2, 0.02 if COMPILED else 0.2, **terms):
        mask = view(of, core, sheets, int(core["current_player"]))[1]
        legal = [bool(is_legal(core, of.rules[0], sheets, action)) for action in range(of.num_actions)]
        assert (mask == legal).all(), [of.actions[k].id for k in np.flatnonzero(mask != legal)]
        for outside in (-1, -(2**31), of.num_actions, of.num_actions + 1, 2**31):
            assert not is_legal(core, of.rules[0], sheets, outside)


@every_terms
def test_a_duel_with_open_dice_goes_the_way_of_the_batch(terms):
    of = random_game(**terms)
    batch = random_batch(of, min(MANY, 12), seed=5, num_events=512)
    duels = [Duel(of, setup(), 5 + row) for row in range(batch.num_envs)]
    opening = [batch.events(row).copy() for row in range(batch.num_envs)]
    for row, duel in enumerate(duels):
        _follow(duel, opening[row])
        assert_same(batch, row, duel)
    for _ in play_out(batch, np.random.default_rng(3)):
        for row, duel in enumerate(duels):
            if not duel.is_over:
                _follow(duel, batch.events(row))
                assert_same(batch, row, duel)
    assert all(duel.is_over for duel in duels)


def _follow(duel, events):
    for kind, player, value in events.tolist():
        if kind == CHOICE:
            assert duel.current_player == player
            duel.apply_action(value)
        else:
            die = duel.die
            assert die is not None, "a die was thrown that is not due"
            assert die.roller == player
            assert die.dice <= value <= die.dice * die.sides
            duel.roll(value)


def test_a_row_plays_the_same_duels_in_a_batch_of_any_size():
    of = random_game()
    large = random_batch(of, 6, seed=40)
    small = [random_batch(of, 1, seed=40 + row) for row in range(6)]
    rng = np.random.default_rng(7)
    for actions in play_out(large, rng):
        for row, batch in enumerate(small):
            if not batch.is_over[0]:
                batch.step(actions[row : row + 1])
                assert batch.store.states[0].tobytes() == large.store.states[row].tobytes()
                np.testing.assert_array_equal(batch.observation[0], large.observation[row])


def test_the_same_seed_gives_the_same_duels_and_another_one_others():
    runs = []
    for seed in (3, 3, 4):
        batch = random_batch(random_game(), 4, seed=seed)
        rng = np.random.default_rng(0)
        for _ in range(40):
            batch.step(pick(rng, batch.game, batch.action_mask))
        runs.append(batch.store.states.tobytes())
    assert runs[0] == runs[1] != runs[2]


def test_probabilities_of_open_dice_are_those_of_their_sum():
    of, rng = random_game(), np.random.default_rng(1)
    blasters = setup(("evoker_7", "pyromancer_3"))
    pools = 0
    for seed in range(3):
        duel = Duel(of, blasters, seed)
        while not duel.is_over:
            if duel.die is None:
                duel.apply_action(int(pick(rng, of, duel.action_mask()[None])[0]))
                continue
            die, probability = duel.die, duel.chance_outcomes()
            assert len(probability) == die.dice * (die.sides - 1) + 1
            assert probability.sum() == pytest.approx(1.0)
            mean = (np.arange(len(probability)) * probability).sum() + die.dice
            assert mean == pytest.approx(die.dice * (die.sides + 1) / 2)
            pools += die.dice > 1
            duel.apply_chance(int(rng.choice(len(probability), p=probability)))
    assert pools > 0


# ---- turns --------------------------------------------------------------------------------------------------------------------


@every_terms
def test_turns_alternate_and_allow_one_spell_one_swift_spell_and_one_counter_a_round(terms):
    of = random_game(**terms)
    spells = int(of.rules[0]["num_spells"])
    swift = [time in (SWIFT, IMMEDIATE) for time in of.rules[0]["spells"]["casting_time"][:spells]]
    batch = random_batch(of, seed=61)
    turns: list[Any] = [None] * batch.num_envs
    answers: list[set[tuple[int, int]]] = [set() for _ in range(batch.num_envs)]
    before = batch.store.states.copy()
    for actions in play_out(batch, np.random.default_rng(62)):
        for row in np.flatnonzero(before["node"] == PLAYER):
            core, action = before[row], int(actions[row])
            player = int(core["current_player"])
            if core["phase"] == TURN:
                assert player == core["active"]
                if core["asked"] == 0:
                    last = turns[row]
                    assert last is None or last["player"] != player or core["in_time_stop"][player] == 1, "turns alternate"
                    turns[row] = {"player": player, "spells": 0, "swift": 0}
                if action < 2 * spells:
                    turns[row]["swift" if action >= spells or swift[action] else "spells"] += 1
                assert max(turns[row]["spells"], turns[row]["swift"]) <= 1
            elif core["phase"] == REACTION:
                assert player != core["active"]
                if 2 * spells <= action < 3 * spells:
                    assert (int(core["round"]), player) not in answers[row], "one dueling counter a round"
                    answers[row].add((int(core["round"]), player))
        before = batch.store.states.copy()
    assert any(answers) or not COMPILED


@every_terms
def test_who_can_do_nothing_does_nothing(terms):
    found = 0
    for of, core, sheets in decisions(63, 1.0, **terms):
        player = int(core["current_player"])
        if not any_no_actions(core, of.rules[0], player):
            continue
        found += 1
        assert core["phase"] in (STARE_DOWN, TURN), "he is not asked for an answer"
        mask = view(of, core, sheets, player)[1]
        legal = {of.actions[number].id for number in np.flatnonzero(mask)}
        assert legal <= {"end_turn", "withdraw", "escape"}
        assert "end_turn" in legal
    assert found > 0 or not COMPILED


# ---- states between decisions -------------------------------------------------------------------------------------------------


@every_terms
def test_states_at_decisions_are_canonical(terms):
    for of, core, sheets in decisions(11, 0.3, **terms):
        rules = of.rules[0]
        assert not core["source"].tobytes().strip(b"\0")
        assert not core["aside"].tobytes().strip(b"\0")
        assert core["end"] == 0
        assert core["winner"] == NONE
        if core["phase"] == TURN or core["choosing"] == CHOOSE_DISMISSED:
            assert core["casting"].tobytes() == _no_casting(), "nothing is being cast"
        assert core["phase"] != TURN or core["strenuous"] == 0
        for player in range(2):
            count = int(core["num_ongoing"][player])
            rows = core["ongoing"][player]
            assert not rows[count:].tobytes().strip(b"\0")
            assert not rows["due"].any()
            assert (rows["rounds"][:count] > 0).all()
            assert (rules["effects"]["spell"][rows["effect"][:count]] == rows["spell"][:count]).all()
            assert core["hit_points"][player] <= max_hit_points(core, sheets, player)
            assert core["temp_hp"][player] >= 0
            assert core["nonlethal"][player] >= 0
            assert (core["slots"][player] >= 0).all()
            assert (core["copies"][player] >= 0).all()
            assert core["staff_charges"][player] >= 0
            assert core["touch_charges"][player] >= 0
            assert (core["touch_spell"][player] == NONE) == (core["touch_charges"][player] == 0)
        again = np.array([core], CORE)
        for player in range(2):
            recompute(again[0], rules, sheets, player)
        assert again[0].tobytes() == core.tobytes(), "what follows from the effects is up to date"


def _no_casting():
    return game_start()["one_round_spell"][0].tobytes()


def game_start():
    """A duel at its first decision."""
    core = np.zeros(1, CORE)
    of, cup = game(), np.zeros(1, CUP)
    begin(core[0], of.rules[0], setup()["pool"][0, :, 0].copy(), cup[0], 0)
    return core[0]


@every_terms
def test_observations_are_shares(terms):
    for of, core, sheets in decisions(12, 0.1, **terms):
        for player in range(2):
            observation = view(of, core, sheets, player)[0]
            assert observation.shape == (len(of.layout),)
            assert np.isfinite(observation).all()
            assert observation.min() >= 0.0
            assert observation.max() <= 1.0
