"""Who may do what: the only place that says so."""

import numpy as np

from duel_env.rules.graph import PLAYER
from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.actions import (
    BACK_OFF,
    BLUFF,
    CAST,
    CHOOSE,
    CONCENTRATE,
    DISMISS,
    END_TURN,
    ESCAPE,
    FIRST_GRANTED,
    GENERAL_GROUP,
    INTIMIDATE,
    LEAVE_ZONE,
    PASS,
    QUICKEN,
    READY_COUNTERSPELL,
    SENSE_MOTIVE,
    SPEND,
    STAND_UP,
    TOUCH,
    WARD_OFF_OMEN,
    WITHDRAW,
    cast_action,
    first_general,
    general_action,
    group_of,
    num_actions,
    quicken_action,
    slot_choice,
    spell_of,
    spend_action,
)
from duel_env.rules.pathfinder.castables import casting_powers, entry_to_cast, may_act_against, may_cast_with, needs_move
from duel_env.rules.pathfinder.choices import is_choice, may_name, nth_dismissible
from duel_env.rules.pathfinder.codes import (
    ACTION,
    CONDITION,
    COST_FULL_ROUND,
    COST_STANDARD,
    GRANTED_ACTIONS,
    NO_ESCAPE,
    PRONE,
    REROLL,
    ZONE,
)
from duel_env.rules.pathfinder.counters import may_spend, may_spend_readied
from duel_env.rules.pathfinder.economy import (
    can_approach,
    can_pay,
    full_rounds_left,
    moves_left,
    standards_left,
)
from duel_env.rules.pathfinder.hindrances import (
    any_no_casting,
    any_no_moves,
    has,
)
from duel_env.rules.pathfinder.resources import level_to_spend
from duel_env.rules.pathfinder.state import (
    CHOICE_IN_SPELL,
    CHOOSE_SPELLS,
    CORE,
    NONE,
    READIED,
    RULES,
    SHEETS,
    STARE_DOWN,
    TURN,
)
from duel_env.rules.units import MASK, NUMBER, unit


@kernel
def _can_ready(core, rules, sheets, player):
    if core["readied"][player] == 1 or not standards_left(core, rules, player) or any_no_casting(core, rules, player):
        return False
    for entry in range(sheets[player]["num_entries"]):
        if level_to_spend(core, sheets, player, entry, 0) != NONE:
            return True
    return False


@kernel
def _is_bound_beyond_struggling(core, rules, player):
    """Whether something that cannot be escaped from takes all actions."""
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        if effect["kind"] == CONDITION and row["suppressed"] == 0 and effect["escape"] == NO_ESCAPE:
            if rules["conditions"][effect["condition"]]["no_actions"] == 1:
                return True
    return False


@kernel
def escapable(core, rules, player):
    """The first effect that the active player may try to escape from now; NONE if there is none."""
    if core["turn_lost"] == 1:
        return NONE
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        if effect["kind"] != CONDITION or row["suppressed"] == 1 or effect["escape"] == NO_ESCAPE:
            continue
        cost = np.int64(effect["escape_cost"])
        if rules["conditions"][effect["condition"]]["no_actions"] == 1:
            fresh = core["standard_used"] == 0 and core["move_used"] == 0
            if fresh and not _is_bound_beyond_struggling(core, rules, player):
                return i
        elif can_pay(core, rules, player, cost) or (cost == COST_FULL_ROUND and full_rounds_left(core, rules, player)):
            return i
    return NONE


@kernel
def zone_to_leave(core, rules, player):
    """The first area around a player that takes moves to leave; NONE if there is none."""
    for i in range(core["num_ongoing"][player]):
        effect = rules["effects"][core["ongoing"][player, i]["effect"]]
        if effect["kind"] == ZONE and effect["exit_moves"] > 0:
            return i
    return NONE


@kernel
def _has_omen(core, rules, player):
    for i in range(core["num_ongoing"][player]):
        if rules["effects"][core["ongoing"][player, i]["effect"]]["kind"] == REROLL:
            return True
    return False


@kernel
def granted_row(core, rules, player, number):
    """The row of the effect that grants action `number` and can be used now; NONE if there is none."""
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        if (
            effect["kind"] == ACTION
            and effect["action"] == number
            and row["suppressed"] == 0
            and row["stage"] == 1
            and row["uses"] > 0
        ):
            return i
    return NONE


@kernel
def _may_use_granted(core, rules, player, number):
    i = granted_row(core, rules, player, number)
    if i == NONE or not may_act_against(core, rules, player):
        return False
    return can_pay(core, rules, player, np.int64(rules["effects"][core["ongoing"][player, i]["effect"]]["cost"]))


@kernel
def _may_touch(core, rules, player):
    if core["touch_charges"][player] <= 0 or not standards_left(core, rules, player):
        return False
    spell = np.int64(core["touch_spell"][player])
    if not may_act_against(core, rules, player):
        return False
    level = np.int64(core["touch_level"][player])
    return not needs_move(core, rules, player, spell, level) or can_approach(core, rules, player, COST_STANDARD)


@kernel
def _general_in_turn(core, rules, sheets, player, number):
    """Whether a general action may be taken in the own turn."""
    if number == END_TURN:
        return True
    if number == WITHDRAW:
        return core["asked"] == 0
    if number == READY_COUNTERSPELL:
        return _can_ready(core, rules, sheets, player)
    if number == BACK_OFF:
        free = core["near"] == 1 and rules["abstract_range"] == 0 and not any_no_moves(core, rules, player)
        return free and moves_left(core, rules, player) > 0
    if number == STAND_UP:
        return has(core, player, PRONE) and moves_left(core, rules, player) > 0
    if number == LEAVE_ZONE:
        bound = any_no_moves(core, rules, player) or zone_to_leave(core, rules, player) == NONE
        return not bound and moves_left(core, rules, player) > 0
    if number == ESCAPE:
        return escapable(core, rules, player) != NONE
    if number == WARD_OFF_OMEN:
        return _has_omen(core, rules, player) and moves_left(core, rules, player) > 0
    if number == DISMISS:
        return standards_left(core, rules, player) and nth_dismissible(core, rules, player, 0) != NONE
    if number == TOUCH:
        return _may_touch(core, rules, player)
    if number == CONCENTRATE:
        kept = core["kept_concentration"][player] == 1 or core["concentrates_on"][player] == NONE
        return not kept and standards_left(core, rules, player)
    if number >= FIRST_GRANTED:
        return _may_use_granted(core, rules, player, number - FIRST_GRANTED)
    return False


@unit(CORE, RULES, SHEETS, NUMBER)
def anything_left(core, rules, sheets, player):
    """Whether the active player can do anything more in a turn in which he was asked already, but end it."""
    if core["turn_lost"] == 1:
        return False
    for number in range(END_TURN + 1, FIRST_GRANTED + len(GRANTED_ACTIONS)):
        if _general_in_turn(core, rules, sheets, player, number):
            return True
    powers = casting_powers(core, rules, sheets, player)
    for entry in range(sheets[player]["num_entries"] if powers != 0 else 0):
        if may_cast_with(core, rules, sheets, player, entry, powers):
            return True
    return False


@kernel
def _may_spend_spell(core, rules, sheets, player, spell):
    sheet = sheets[player]
    readied = core["phase"] == READIED
    for entry in range(sheet["num_entries"]):
        if sheet["entry_spell"][entry] == spell:
            if readied and may_spend_readied(core, rules, sheets, player, entry):
                return True
            if not readied and may_spend(core, rules, sheets, player, entry):
                return True
    return False


@unit(CORE, RULES, SHEETS, NUMBER)
def is_legal(core, rules, sheets, action):
    """Whether the player who is to choose may take `action` (any integer); False when nobody is to choose."""
    if core["node"] != PLAYER or action < 0 or action >= num_actions(rules):
        return False
    player = np.int64(core["current_player"])
    phase = core["phase"]
    group = group_of(rules, action)
    if phase == TURN:
        if group == CAST or group == QUICKEN:
            return entry_to_cast(core, rules, sheets, player, spell_of(rules, action), 1 if group == QUICKEN else 0) != NONE
        return group == GENERAL_GROUP and _general_in_turn(core, rules, sheets, player, action - first_general(rules))
    if phase == CHOICE_IN_SPELL:
        return (group == CHOOSE or group == SPEND) and is_choice(core, rules, sheets, player, action)
    number = action - first_general(rules)
    if phase == STARE_DOWN:
        return number == BLUFF or number == INTIMIDATE or number == SENSE_MOTIVE
    return number == PASS or (group == SPEND and _may_spend_spell(core, rules, sheets, player, spell_of(rules, action)))


@unit(CORE, RULES, SHEETS, MASK)
def write_action_mask(core, rules, sheets, mask):
    """Mark what the player whose decision it is may do; all 0 when nobody is to choose.

    Args:
        core: CORE record.
        rules: RULES record.
        sheets: SHEET (2,).
        mask: int8 (A,); 1 = legal.

    Returns:
        how many actions are legal.

    Mutates:
        mask: all its A entries.
    """
    for action in range(num_actions(rules)):
        mask[action] = 0
    if core["node"] != PLAYER:
        return 0
    player = np.int64(core["current_player"])
    sheet = sheets[player]
    phase = core["phase"]
    if phase == TURN:
        powers = casting_powers(core, rules, sheets, player)
        for entry in range(sheet["num_entries"] if powers != 0 else 0):
            if may_cast_with(core, rules, sheets, player, entry, powers):
                spell = np.int64(sheet["entry_spell"][entry])
                mask[quicken_action(rules, spell) if sheet["entry_quickened"][entry] == 1 else cast_action(rules, spell)] = 1
        for number in range(FIRST_GRANTED + len(GRANTED_ACTIONS)):
            mask[general_action(rules, number)] = _general_in_turn(core, rules, sheets, player, number)
    elif phase == CHOICE_IN_SPELL:
        if core["choosing"] == CHOOSE_SPELLS:
            for spell in range(rules["num_spells"]):
                mask[spend_action(rules, spell)] = may_name(rules, core["casting"], spell)
        else:
            for action in range(slot_choice(rules, 1), first_general(rules)):
                mask[action] = is_choice(core, rules, sheets, player, action)
    elif phase == STARE_DOWN:
        for number in range(BLUFF, SENSE_MOTIVE + 1):
            mask[general_action(rules, number)] = 1
    else:
        mask[general_action(rules, PASS)] = 1
        for entry in range(sheet["num_entries"]):
            spell = np.int64(sheet["entry_spell"][entry])
            if phase == READIED:
                possible = may_spend_readied(core, rules, sheets, player, entry)
            else:
                possible = may_spend(core, rules, sheets, player, entry)
            if possible:
                mask[spend_action(rules, spell)] = 1
    count = 0
    for action in range(num_actions(rules)):
        count += mask[action]
    return count
