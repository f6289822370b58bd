"""Laws that every spell duel obeys, over random duelists, terms and play."""

from typing import Any

import numpy as np
import pytest

from duel_env.duel import Duel
from duel_env.rules.graph import PLAYER
from duel_env.rules.pathfinder.abilities import max_hit_points
from duel_env.rules.pathfinder.actions import num_actions
from duel_env.rules.pathfinder.codes import AT_WILL, BONDED, CONVERTED, IMMEDIATE, KNOWN, PREPARED, STAFF, SWIFT
from duel_env.rules.pathfinder.counters import entry_to_spend, try_counter
from duel_env.rules.pathfinder.hindrances import any_no_actions
from duel_env.rules.pathfinder.legality import entry_to_cast, is_legal
from duel_env.rules.pathfinder.play import play
from duel_env.rules.pathfinder.resources import convertible
from duel_env.rules.pathfinder.state import (
    BY_DEFEAT,
    BY_JUDGEMENT,
    BY_ROUND_LIMIT,
    BY_WITHDRAWAL,
    CHOICE_IN_SPELL,
    CORE,
    CUP,
    NONE,
    REACTION,
    READIED,
    STARE_DOWN,
    TURN,
)
from duel_env.rules.pathfinder.totals import recompute
from duel_env.rules.pathfinder.turns import begin
from duel_env.rules.stores import CHOICE
from tests.rules.pathfinder.fights import (
    COMPILED,
    MANY,
    body,
    decisions,
    game,
    means,
    pick,
    play_out,
    random_batch,
    setup,
    used_up,
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
    of = game(**terms)
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
    for of, core, sheets in decisions(2, 0.02, **terms):
        mask = view(of, core, sheets, int(core["current_player"]))[1]
        legal = [bool(is_legal(core, of.rules[0], sheets, action)) for action in range(of.num_actions)]
        assert (mask == legal).all(), [of.actions[k].id for k in np.flatnonzero(mask != legal)]
        for outside in (-1, -(2**31), of.num_actions, of.num_actions + 1, 2**31):
            assert not is_legal(core, of.rules[0], sheets, outside)
    assert num_actions(of.rules[0]) == of.num_actions


@every_terms
def test_a_duel_with_open_dice_goes_the_way_of_the_batch(terms):
    of = game(**terms)
    batch = random_batch(of, min(MANY, 12), seed=5, num_events=512)
    duels = [Duel(of, setup(), 5 + row) for row in range(batch.num_envs)]
    opening = [batch.events(row).copy() for row in range(batch.num_envs)]
    for row, duel in enumerate(duels):
        _follow(duel, opening[row])
        _assert_same(batch, row, duel)
    for _ in play_out(batch, np.random.default_rng(3)):
        for row, duel in enumerate(duels):
            if not duel.is_over:
                _follow(duel, batch.events(row))
                _assert_same(batch, row, duel)
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


def _assert_same(batch, row, duel):
    assert duel.die is None, "a die is due that was not thrown"
    assert duel.state["now"][0].tobytes() == batch.store.states[row].tobytes()
    assert duel.is_over == batch.is_over[row]
    player = max(duel.current_player, 0)
    np.testing.assert_array_equal(duel.observation(player), batch.observation[row])
    np.testing.assert_array_equal(duel.action_mask(), batch.action_mask[row])
    if duel.is_over:
        assert duel.returns() == tuple(batch.rewards[row])
        assert duel.is_truncated == batch.truncated[row]


def test_a_row_plays_the_same_duels_in_a_batch_of_any_size():
    of = game()
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
        batch = random_batch(game(), 4, seed=seed)
        rng = np.random.default_rng(0)
        for _ in range(40):
            batch.step(pick(rng, batch.game, batch.action_mask))
        runs.append(batch.store.states.tobytes())
    assert runs[0] == runs[1] != runs[2]


def test_probabilities_of_open_dice_are_those_of_their_sum():
    of, rng = game(), np.random.default_rng(1)
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
    of = game(**terms)
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
        if core["phase"] == TURN or core["choosing"] == 8:
            assert core["casting"].tobytes() == _no_casting(), "nothing is being cast"
            assert core["strenuous"] == 0
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


# ---- castings and counters ----------------------------------------------------------------------------------------------------


def _cost(of, core, sheets, player, entry, slot_level, by_object):
    """What casting an entry uses up, by the sheet."""
    sheet = sheets[player]
    kind = sheet["entry_kind"][entry]
    if by_object:
        assert kind in (PREPARED, BONDED)
        assert sheet["has_bonded_object"] == 1
        assert sheet["entry_quickened"][entry] == 0
        return {("object", 0): 1}
    if kind == AT_WILL:
        return {}
    if kind == PREPARED:
        return {("copy", entry): 1}
    if kind == KNOWN:
        assert slot_level >= sheet["entry_slot"][entry]
        return {("slot", slot_level): 1}
    if kind == CONVERTED:
        turned = int(convertible(core, sheets, player, sheet["entry_slot"][entry]))
        assert sheet["entry_is_domain"][turned] == 0
        assert sheet["entry_slot"][turned] >= sheet["entry_slot"][entry]
        return {("copy", turned): 1}
    assert kind == STAFF
    return {("staff", 0): int(sheet["entry_slot"][entry])}


def test_castings_and_counters_use_up_exactly_what_they_say():
    of = game()
    rules, spells = of.rules[0], int(of.rules[0]["num_spells"])
    batch = random_batch(of, seed=21)
    rng = np.random.default_rng(22)
    before = batch.store.states.copy()
    kinds: set[int] = set()
    for actions in play_out(batch, rng):
        after = batch.store.states.copy()
        for row in np.flatnonzero(before["node"] == PLAYER):
            old, new, sheets, action = before[row], after[row], batch.store.sheets[row], int(actions[row])
            player = int(old["current_player"])
            used = [used_up(means(old, who), means(new, who)) for who in range(2)]
            assert used[1 - player] == {}, "nobody pays for the other"
            waits = new["phase"] == CHOICE_IN_SPELL and new["current_player"] == player and new["node"] == PLAYER
            if waits and new["casting"]["spell"] != NONE:
                assert used[player] == {}, "nothing is paid before all is chosen"
            elif old["phase"] == TURN and action < 2 * spells:
                entry = int(entry_to_cast(old, rules, sheets, player, action % spells, action // spells))
                kinds.add(int(sheets[player]["entry_kind"][entry]))
                _check_cast(of, old, sheets, player, entry, used[player])
            elif old["phase"] == CHOICE_IN_SPELL and old["casting"]["spell"] != NONE and old["casting"]["caster"] == player:
                _check_cast(of, old, sheets, player, int(old["casting"]["entry"]), used[player])
            elif old["phase"] in (READIED, REACTION) and 2 * spells <= action < 3 * spells:
                readied = int(old["phase"] == READIED)
                entry = int(entry_to_spend(old, rules, sheets, player, action - 2 * spells, readied))
                _check_counter(old, new, sheets, player, entry, readied, used[player])
            elif old["phase"] != CHOICE_IN_SPELL:
                assert used[player] == {}
        before = after
    assert {AT_WILL, PREPARED, KNOWN} <= kinds or not COMPILED


def _check_cast(of, core, sheets, player, entry, used):
    sheet = sheets[player]
    by_object = used == {("object", 0): 1}
    slots = [level for kind, level in used if kind == "slot"]
    slot_level = slots[0] if slots else 0
    assert used == _cost(of, core, sheets, player, entry, slot_level, by_object)
    if by_object and sheet["entry_kind"][entry] == PREPARED:
        assert core["copies"][player, entry] == 0, "the bonded object is for what is spent"


def _check_counter(old, new, sheets, player, entry, readied, used):
    sheet, casting = sheets[player], old["casting"]
    kind = sheet["entry_kind"][entry]
    assert kind in (AT_WILL, PREPARED, KNOWN)
    assert list(used.values()) == ([] if kind == AT_WILL else [1])
    if kind == PREPARED:
        assert used == {("copy", entry): 1}
        level = int(sheet["entry_slot"][entry])
    else:
        level = next((slot for _, slot in used), 0)
    if not readied and casting["identified"] == 1 and sheet["entry_spell"][entry] not in _dispels():
        assert level >= casting["level"]
    if casting["identified"] == 0:
        assert sheet["entry_spell"][entry] in _dispels()
    if readied:
        assert new["readied"][player] == 0 or new["current_player"] == player


def _dispels():
    rules = game().rules[0]
    return (int(rules["dispel_magic"]), int(rules["greater_dispel_magic"]))


def test_a_countered_spell_does_nothing():
    negated = 0
    for of, core, sheets in decisions(31, 1.0, flat_footed_start=False, ask_forced=True):
        if core["phase"] not in (READIED, REACTION):
            continue
        rules, player = of.rules[0], int(core["current_player"])
        spells, readied = int(rules["num_spells"]), int(core["phase"] == READIED)
        mask = view(of, core, sheets, player)[1]
        for action in np.flatnonzero(mask[2 * spells : 3 * spells])[:2] + 2 * spells:
            entry = int(entry_to_spend(core, rules, sheets, player, action - 2 * spells, readied))
            kind = int(sheets[player]["entry_kind"][entry])
            slot = int(sheets[player]["entry_slot"][entry])
            if kind == KNOWN:
                continue  # asks for a slot first
            trial, after = np.array([core], CORE), np.array([core], CORE)
            won = bool(try_counter(trial[0], rules, sheets, _cup(20)[0], player, entry, slot, readied))
            if not won:
                continue
            after["strenuous"] = 0  # what the casting costs a caster without hit points is none of the spell's effects
            play(after[0], rules, sheets, _cup(20)[0], int(action))
            negated += 1
            for who in range(2):
                assert body(after[0], who) == body(core, who)
            assert after[0]["castings"] == core["castings"], "it never took effect"
            assert after[0]["one_round_spell"]["spell"].tolist() == core["one_round_spell"]["spell"].tolist()
            assert after[0]["casting"]["spell"] == NONE
            assert means(after[0], int(core["active"])) == means(core, int(core["active"])), "it stays spent"
    assert negated > 0 or not COMPILED


def _cup(*faces):
    cup = np.zeros(1, CUP)
    cup["given"], cup["faces"][0, : len(faces)] = len(faces), faces
    return cup


def test_who_withdraws_loses_and_only_at_the_start_of_a_turn():
    found = 0
    for of, core, sheets in decisions(41, 0.3):
        withdraw, player = of.action_number("withdraw"), int(core["current_player"])
        allowed = core["phase"] == TURN and core["asked"] == 0
        assert bool(is_legal(core, of.rules[0], sheets, withdraw)) == allowed
        if allowed:
            found += 1
            play(core, of.rules[0], sheets, _cup()[0], withdraw)
            assert core["winner"] == 1 - player
            assert core["end"] == BY_WITHDRAWAL
            assert core["current_player"] == NONE
    assert found > 0


def test_an_action_outside_the_list_loses():
    batch = random_batch(game(), 3, seed=2)
    player = batch.current_player.copy()
    batch.step(np.array([game().num_actions, -1, 2**40]))
    assert batch.disqualified.all()
    assert (batch.rewards[np.arange(3), player] == -1).all()
