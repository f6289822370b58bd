"""Checks of records that come from outside: the kernels trust what they are given.

A state is checked field by field, then by what follows from other fields: totals by computing them again, dice by playing the action again
with them. What passes can be played on without reading or writing out of bounds.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from duel_env.errors import SchemaError
from duel_env.rules.graph import CHANCE, PLAYER, TERMINAL
from duel_env.rules.pathfinder.actions import num_actions
from duel_env.rules.pathfinder.castables import casting_powers, may_cast_with
from duel_env.rules.pathfinder.check_parts import COUNT, POINTS, check_casting, check_equal, check_ongoing
from duel_env.rules.pathfinder.check_sheets import FLAG, LEVEL_OF_SPELL, Ranges, check_ranges, check_sheets, require
from duel_env.rules.pathfinder.codes import (
    KNOWN,
    MELEE_TOUCH,
    ONE_ROUND,
)
from duel_env.rules.pathfinder.legality import is_legal, write_action_mask
from duel_env.rules.pathfinder.resources import has_own_means
from duel_env.rules.pathfinder.state import (
    BY_DISQUALIFICATION,
    BY_JUDGEMENT,
    BY_ROUND_LIMIT,
    BY_WITHDRAWAL,
    CHOICE_IN_SPELL,
    CHOOSE_DISMISSED,
    CHOOSE_NOTHING,
    CHOOSE_SLOT,
    CORE,
    LASTING,
    MAX_FACES,
    MAX_ONGOING,
    NOBODY,
    NONE,
    READIED,
    RUNNING,
    STARE_DOWN,
    TURN,
)
from duel_env.rules.pathfinder.throws import at_decision, play_again
from duel_env.rules.pathfinder.totals import recompute
from duel_env.rules.pathfinder.transition import BEGINNING

_MOST_CASTINGS = 10_000_000
_ROUNDS = (0, LASTING)
_NUM_CONDITIONS = 46

_CORE_RANGES: Final[Ranges] = {
    "node": (0, 2),
    "phase": (0, 4),
    "choosing": (0, 8),
    "current_player": (-1, 1),
    "active": (-1, 1),
    "opener": (-1, 1),
    "winner": (-1, 1),
    "end": (RUNNING, BY_JUDGEMENT),
    "castings": (0, _MOST_CASTINGS),
    "asked": FLAG,
    "near": FLAG,
    "stare": (-1, 2),
    "strenuous": FLAG,
    "stable_at": (-1_000, 0),
    "hit_points": POINTS,
    "nonlethal": COUNT,
    "temp_hp": COUNT,
    "temp_hp_rounds": _ROUNDS,
    "con_hp": (-10_000, 10_000),
    "ability_damage": (0, 100),
    "ability_drain": (0, 100),
    "fate": (0, _NUM_CONDITIONS),
    "last_continuous_damage": COUNT,
    "standard_used": FLAG,
    "move_used": FLAG,
    "swift_used": FLAG,
    "turn_lost": FLAG,
    "immediate_spent": FLAG,
    "counter_used": FLAG,
    "acted": FLAG,
    "readied": FLAG,
    "extra_turns": (0, 100),
    "in_time_stop": FLAG,
    "confused_roll": (0, 100),
    "sanctuary_failed": (0, 2),
    "touch_charges": (0, 100),
    "touch_level": LEVEL_OF_SPELL,
    "touch_caster_level": (0, 40),
    "kept_concentration": FLAG,
    "bonded_used": FLAG,
    "num_ongoing": (0, MAX_ONGOING),
}


def check_records(game: Any, state: NDArray[np.void], sheets: NDArray[np.void]) -> None:
    """Refuse a state that the kernels cannot play on.

    Args:
        game: the rules.
        state: STATE (1,).
        sheets: SHEET (2,).

    Raises:
        SchemaError: names the field and what is accepted.
    """
    rules, record = game.rules[0], state[0]
    check_sheets(rules, sheets)
    check_ranges(
        record, {"node": (0, 2), "current_player": (-1, 1), "action": (-2, game.num_actions - 1), "start": (0, 2)}, "state"
    )
    if record["action"] == BEGINNING:
        _check_dice(game, state, sheets)
        return
    _check_core(rules, record["now"], sheets)
    if record["node"] != CHANCE:
        _check_same(record, at_decision(record["now"])[0], "without dice that are due this follows from state.now")
        return
    require(record["now"]["node"] == PLAYER, "state.node", "dice are due only while the duel runs")
    require(is_legal(record["now"], rules, sheets, int(record["action"])), "state.action", f"{record['action']} is not legal")
    require(record["start"] == 0, "state.start", "expected 0 after the beginning")
    _check_dice(game, state, sheets)


def _check_same(record: Any, expected: Any, problem: str) -> None:
    """Refuse a STATE record that differs from what it should be."""
    check_equal(record, expected, "state", problem)


def _check_dice(game: Any, state: NDArray[np.void], sheets: NDArray[np.void]) -> None:
    """The dice of the action that is under way: played again they have to give the same state."""
    cup = state["cup"][0]
    check_ranges(cup, {"given": (0, MAX_FACES - 1)}, "state.cup")
    try:
        again, _ = play_again(game, state, sheets)
    except ValueError as error:
        raise SchemaError(f"state.cup.faces: {error}") from error
    _check_same(state[0], again[0], "the action played again with these dice gives another value")


# ---- the duel at a decision ---------------------------------------------------------------------------------------------------


def _check_core(rules: Any, core: Any, sheets: NDArray[np.void]) -> None:
    where = "state.now"
    check_ranges(core, _CORE_RANGES, where)
    spells = int(rules["num_spells"])
    check_ranges(core, {"touch_spell": (NONE, spells - 1), "concentrates_on": (NONE, int(core["castings"]))}, where)
    require(not core["seen"][:, spells:].any(), f"{where}.seen", "the book has fewer spells")
    for field in ("source", "aside"):
        require(not any(core[field].tobytes()), f"{where}.{field}", "expected zeros between decisions")
    for player in range(2):
        _check_duelist(rules, core, sheets, player)
    _check_node(rules, core, sheets)
    _check_totals(rules, core, sheets)
    if core["node"] == PLAYER:
        _check_decision(rules, core, sheets)


def _check_duelist(rules: Any, core: Any, sheets: NDArray[np.void], player: int) -> None:
    sheet, where = sheets[player], "state.now"
    limits = {"slots": sheet["slots"], "staff_charges": sheet["staff_charges"], "bonded_used": sheet["has_bonded_object"]}
    for field, most in {**limits, "copies": sheet["entry_copies"]}.items():
        left = core[field][player]
        require(
            np.all((left >= 0) & (left <= most)),
            f"{where}.{field}[{player}]",
            f"{left.tolist()}: expected 0 to what the sheet has, {most.tolist()}",
        )
    most_hp = int(sheet["hit_points"]) + int(core["con_hp"][player])
    require(core["hit_points"][player] <= most_hp, f"{where}.hit_points[{player}]", f"expected at most {most_hp}")
    touch, charges = int(core["touch_spell"][player]), int(core["touch_charges"][player])
    require((touch == NONE) == (charges == 0), f"{where}.touch_charges[{player}]", "charges belong to a spell")
    if touch == NONE:
        empty = core["touch_level"][player] == 0 and core["touch_caster_level"][player] == 0
        require(empty, f"{where}.touch_level[{player}]", "no touch is held")
    else:
        spell = rules["spells"][touch]
        held = spell["attack"] == MELEE_TOUCH and spell["touch_charges"] != NONE
        require(held, f"{where}.touch_spell[{player}]", "the charges of this spell cannot be held")
    check_casting(rules, core["one_round_spell"][player], sheets, f"{where}.one_round_spell[{player}]")
    pending = core["one_round_spell"][player]
    if pending["spell"] != NONE:
        takes_round = rules["spells"][pending["spell"]]["casting_time"] == ONE_ROUND
        require(takes_round, f"{where}.one_round_spell[{player}].spell", "is no casting of one round")
        require(pending["caster"] == player, f"{where}.one_round_spell[{player}].caster", f"expected {player}")
    check_ongoing(rules, core, player)


def _check_node(rules: Any, core: Any, sheets: NDArray[np.void]) -> None:
    """Node, end, whose turn and whose decision it is."""
    where = "state.now"
    check_casting(rules, core["casting"], sheets, f"{where}.casting")
    last = int(rules["max_rounds"])
    if core["node"] == TERMINAL:
        require(core["current_player"] == NOBODY, f"{where}.current_player", "expected -1 after the end")
        require(core["end"] != RUNNING, f"{where}.end", "a duel that is over has an end")
        drawn = {BY_ROUND_LIMIT: True, BY_WITHDRAWAL: False, BY_DISQUALIFICATION: False}.get(int(core["end"]))
        no_winner = core["winner"] == NOBODY
        require(drawn in (None, bool(no_winner)), f"{where}.winner", f"{core['winner']} does not go with end {core['end']}")
        check_ranges(core, {"round": (0, last + 1)}, where)
        return
    require(core["node"] == PLAYER, f"{where}.node", f"{core['node']}: expected 1, a decision, or 2, the end")
    require(core["end"] == RUNNING, f"{where}.end", "expected 0 while the duel runs")
    require(core["winner"] == NOBODY, f"{where}.winner", "expected -1 while the duel runs")
    check_ranges(core, {"current_player": (0, 1)}, where)
    if core["phase"] == STARE_DOWN:
        check_ranges(core, {"active": (NOBODY, NOBODY), "opener": (NOBODY, NOBODY), "round": (0, 0)}, where)
        return
    check_ranges(core, {"active": (0, 1), "opener": (0, 1), "round": (1, last)}, where)


def _check_totals(rules: Any, core: Any, sheets: NDArray[np.void]) -> None:
    """What follows from bodies and effects in force has to be what they come to."""
    copy = np.zeros(1, CORE)
    copy[0] = core
    for player in range(2):
        recompute(copy[0], rules, sheets, player)
    check_equal(core, copy[0], "state.now", "it follows from the effects in force and the bodies")


def _check_decision(rules: Any, core: Any, sheets: NDArray[np.void]) -> None:
    """Phase, choice and the casting that they are about."""
    where = "state.now"
    phase, choosing, player = int(core["phase"]), int(core["choosing"]), int(core["current_player"])
    casting, active = core["casting"], int(core["active"])
    is_choice = phase == CHOICE_IN_SPELL
    require(is_choice == (choosing != CHOOSE_NOTHING), f"{where}.choosing", f"{choosing} does not go with phase {phase}")
    about_casting = phase not in (STARE_DOWN, TURN) and choosing != CHOOSE_DISMISSED
    require(about_casting == (casting["spell"] != NONE), f"{where}.casting.spell", f"does not go with phase {phase}")
    answers = phase not in (STARE_DOWN, TURN, CHOICE_IN_SPELL)
    if about_casting:
        require(casting["caster"] == active, f"{where}.casting.caster", "expected the player whose turn it is")
        answers = answers or player != casting["caster"]
    if phase != STARE_DOWN:
        expected = 1 - active if answers else active
        require(player == expected, f"{where}.current_player", f"{player}: expected {expected}")
    if phase == READIED:
        require(core["readied"][player] == 1, f"{where}.readied", f"player {player} has no counterspell readied")
    if about_casting and not answers:
        _check_own_choice(rules, core, sheets, choosing)
    elif about_casting and is_choice:
        require(choosing == CHOOSE_SLOT, f"{where}.choosing", f"{choosing}: a counter asks for a slot only")
        entry = int(casting["counter_entry"])
        known = entry < sheets[player]["num_entries"] and sheets[player]["entry_kind"][entry] == KNOWN
        require(known, f"{where}.casting.counter_entry", "is no known spell")
    if not (about_casting and is_choice and answers):
        idle = casting["counter_entry"] == 0 and casting["counter_readied"] == 0
        require(idle, f"{where}.casting.counter_entry", "no slot for a counter is being chosen")
    mask = np.zeros(num_actions(rules), np.int8)
    require(write_action_mask(core, rules, sheets, mask) > 0, f"{where}.choosing", "nothing is legal here")


def _check_own_choice(rules: Any, core: Any, sheets: NDArray[np.void], choosing: int) -> None:
    """A decision inside the own spell, which is not paid for yet."""
    where, casting = "state.now.casting", core["casting"]
    player, entry = int(casting["caster"]), int(casting["entry"])
    powers = casting_powers(core, rules, sheets, player)
    require(
        may_cast_with(core, rules, sheets, player, entry, powers), f"{where}.entry", f"entry {entry} of the sheet cannot be cast"
    )
    by_object = not has_own_means(core, sheets, player, entry)
    require(casting["by_bonded_object"] == by_object, f"{where}.by_bonded_object", f"expected {int(by_object)}")
    record, kind = rules["spells"][casting["spell"]], sheets[player]["entry_kind"][entry]
    if choosing == CHOOSE_SLOT:
        require(kind == KNOWN, "state.now.choosing", "only a known spell asks for a slot")
        return
    asked = record["choices"][: record["num_choices"]].tolist()
    require(choosing in asked, "state.now.choosing", f"{choosing}: the spell asks for {asked}")
    if kind == KNOWN:
        slot = int(casting["slot_level"])
        has_slot = 1 <= slot <= LEVEL_OF_SPELL[1] and core["slots"][player, slot] > 0
        require(has_slot, f"{where}.slot_level", f"{slot}: no slot of this level is left")
