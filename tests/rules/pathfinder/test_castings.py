"""Random spell duels: castings and counters use up what they say, and what is countered does nothing."""

import numpy as np

from duel_env.rules.graph import PLAYER
from duel_env.rules.pathfinder.castables import entry_to_cast
from duel_env.rules.pathfinder.codes import AT_WILL, BONDED, CONVERTED, KNOWN, PREPARED, STAFF
from duel_env.rules.pathfinder.counters import entry_to_spend, try_counter
from duel_env.rules.pathfinder.legality import is_legal
from duel_env.rules.pathfinder.play import play
from duel_env.rules.pathfinder.resources import convertible
from duel_env.rules.pathfinder.state import (
    BY_WITHDRAWAL,
    CHOICE_IN_SPELL,
    CORE,
    CUP,
    NONE,
    REACTION,
    READIED,
    TURN,
)
from tests.rules.pathfinder.fights import (
    COMPILED,
    body,
    decisions,
    game,
    means,
    play_out,
    random_batch,
    random_game,
    used_up,
    view,
)


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
    of = random_game()
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
