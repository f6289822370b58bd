"""From one decision to the next: what an action does. The dice come out of the cup at once; see `transition` for dice in the open."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.actions import (
    BACK_OFF,
    BLUFF,
    CAST,
    CONCENTRATE,
    DISMISS,
    END_TURN,
    ESCAPE,
    FIRST_GRANTED,
    LEAVE_ZONE,
    PASS,
    QUICKEN,
    READY_COUNTERSPELL,
    STAND_UP,
    TOUCH,
    WARD_OFF_OMEN,
    WITHDRAW,
    ability_choice,
    energy_choice,
    first_general,
    general_action,
    group_of,
    option_choice,
    pick_choice,
    slot_choice,
    spell_of,
    target_choice,
)
from duel_env.rules.pathfinder.apply_source import zero_source
from duel_env.rules.pathfinder.bodies import check_end
from duel_env.rules.pathfinder.casting import (
    DONE,
    WAITS,
    answer,
    begin_casting,
    counter_with,
    go_off,
    go_on_choosing,
    offer_counter,
    take_choice,
    touch_again,
    wait_for_player,
)
from duel_env.rules.pathfinder.choices import nth_dismissible
from duel_env.rules.pathfinder.codes import COST_MOVE, COST_STANDARD, DISABLED, PRONE, REROLL
from duel_env.rules.pathfinder.economy import pay
from duel_env.rules.pathfinder.hindrances import has
from duel_env.rules.pathfinder.legality import anything_left, escapable, granted_row
from duel_env.rules.pathfinder.ongoing import remove_casting, remove_condition, remove_ongoing
from duel_env.rules.pathfinder.periodic import hostile_act, leave_zone_step, try_escape, use_granted
from duel_env.rules.pathfinder.state import (
    BY_WITHDRAWAL,
    CHOICE_IN_SPELL,
    CHOOSE_ABILITY,
    CHOOSE_DISMISSED,
    CHOOSE_EFFECT,
    CHOOSE_ENERGY,
    CHOOSE_NOTHING,
    CHOOSE_OPTION,
    CHOOSE_SLOT,
    CHOOSE_SPELLS,
    CORE,
    CUP,
    NONE,
    READIED,
    RULES,
    RUNNING,
    SHEETS,
    STARE_DOWN,
    TURN,
)
from duel_env.rules.pathfinder.totals import recompute
from duel_env.rules.pathfinder.turns import close_if_over, end_turn, finish, stare
from duel_env.rules.units import NUMBER, unit


@kernel
def _strain(core, rules, sheets, player):
    """A strenuous action at 0 hit points costs one, unless it gave some back (rules page, section 7)."""
    core["strenuous"] = 0
    if core["end"] == RUNNING and has(core, player, DISABLED):
        core["hit_points"][player] -= 1
        recompute(core, rules, sheets, player)
        check_end(core, rules, sheets, player)


@kernel
def _go_on(core, rules, sheets, cup):
    """Back to the player whose turn it is; the turn ends by itself when nothing else is left to do in it."""
    player = np.int64(core["active"])
    if core["strenuous"] == 1:
        _strain(core, rules, sheets, player)
    if close_if_over(core):
        return
    wait_for_player(core, player, TURN, CHOOSE_NOTHING)
    if rules["ask_forced"] == 0 and not anything_left(core, rules, sheets, player):
        end_turn(core, rules, sheets, cup)


@kernel
def _ward_off_omen(core, rules, sheets, player):
    """A move action cancels one of the rolls that an ill omen spoils."""
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        if rules["effects"][row["effect"]]["kind"] == REROLL:
            row["uses"] -= 1
            if row["uses"] <= 0:
                remove_ongoing(core, rules, sheets, player, i)
            return


@kernel
def _dismiss(core, rules, sheets, player):
    core["strenuous"] = has(core, player, DISABLED)
    pay(core, COST_STANDARD)
    if rules["ask_forced"] == 1 or nth_dismissible(core, rules, player, 1) != NONE:
        wait_for_player(core, player, CHOICE_IN_SPELL, CHOOSE_DISMISSED)
        return WAITS
    remove_casting(core, rules, sheets, nth_dismissible(core, rules, player, 0))
    return DONE


@kernel
def _act(core, rules, sheets, cup, action):
    """An action in the own turn. Returns DONE or WAITS."""
    player = np.int64(core["active"])
    group = group_of(rules, action)
    unused, disabled = core["standard_used"] == 0, has(core, player, DISABLED)
    if group == CAST or group == QUICKEN:
        return begin_casting(core, rules, sheets, cup, player, spell_of(rules, action), 1 if group == QUICKEN else 0)
    number = action - first_general(rules)
    if number == END_TURN:
        end_turn(core, rules, sheets, cup)
        return WAITS
    if number == WITHDRAW:
        finish(core, 1 - player, BY_WITHDRAWAL)
    elif number == READY_COUNTERSPELL:
        pay(core, COST_STANDARD)
        core["readied"][player] = 1
    elif number == BACK_OFF:
        pay(core, COST_MOVE)
        core["near"] = 0
    elif number == STAND_UP:
        pay(core, COST_MOVE)
        remove_condition(core, rules, sheets, player, PRONE, 0)
    elif number == LEAVE_ZONE:
        pay(core, COST_MOVE)
        leave_zone_step(core, rules, sheets, cup, player)
    elif number == ESCAPE:
        row = escapable(core, rules, player)
        pay(core, np.int64(rules["effects"][core["ongoing"][player, row]["effect"]]["escape_cost"]))
        try_escape(core, rules, sheets, cup, player, row)
    elif number == WARD_OFF_OMEN:
        pay(core, COST_MOVE)
        _ward_off_omen(core, rules, sheets, player)
    elif number == DISMISS:
        return _dismiss(core, rules, sheets, player)
    elif number == TOUCH:
        touch_again(core, rules, sheets, cup, player)
    elif number == CONCENTRATE:
        pay(core, COST_STANDARD)
        core["kept_concentration"][player] = 1
    elif number >= FIRST_GRANTED:
        row = granted_row(core, rules, player, number - FIRST_GRANTED)
        pay(core, np.int64(rules["effects"][core["ongoing"][player, row]["effect"]]["cost"]))
        use_granted(core, rules, sheets, cup, player, row)
        if core["end"] == RUNNING:
            hostile_act(core, rules, sheets, player)
    zero_source(core["source"])
    core["strenuous"] = unused and disabled and core["standard_used"] == 1
    return DONE


@kernel
def _choose(core, rules, sheets, cup, action):
    """A decision inside a spell. Returns DONE or WAITS."""
    about = np.int64(core["choosing"])
    player = np.int64(core["current_player"])
    if about == CHOOSE_DISMISSED:
        remove_casting(core, rules, sheets, nth_dismissible(core, rules, player, max(action - pick_choice(rules, 0), 0)))
        return DONE
    if about == CHOOSE_SLOT:
        level = action - slot_choice(rules, 0)
        casting = core["casting"]
        if player != casting["caster"]:
            entry, readied = np.int64(casting["counter_entry"]), np.int64(casting["counter_readied"])
            casting["counter_entry"] = 0
            casting["counter_readied"] = 0
            return counter_with(core, rules, sheets, cup, player, entry, level, readied)
        take_choice(core, about, level)
    elif about == CHOOSE_OPTION:
        take_choice(core, about, action - option_choice(rules, 0))
    elif about == CHOOSE_ENERGY:
        take_choice(core, about, action - energy_choice(rules, 0))
    elif about == CHOOSE_ABILITY:
        take_choice(core, about, action - ability_choice(rules, 0))
    elif about == CHOOSE_EFFECT:
        take_choice(core, about, action - pick_choice(rules, 0))
    elif about == CHOOSE_SPELLS:
        take_choice(core, about, spell_of(rules, action))
    else:
        take_choice(core, about, action - target_choice(rules, 0))
    return go_on_choosing(core, rules, sheets, cup)


@kernel
def _answer(core, rules, sheets, cup, action):
    """An answer to a casting. Returns DONE or WAITS."""
    readied = 1 if core["phase"] == READIED else 0
    if action == general_action(rules, PASS):
        if readied == 1:
            return offer_counter(core, rules, sheets, cup)
        return go_off(core, rules, sheets, cup)
    return answer(core, rules, sheets, cup, spell_of(rules, action), readied)


@unit(CORE, RULES, SHEETS, CUP, NUMBER)
def play(core, rules, sheets, cup, action):
    """Play a legal action of the current player up to the next decision or the end.

    Args:
        core: CORE record at a PLAYER node.
        rules: RULES record.
        sheets: SHEET (2,).
        cup: CUP record, from which all dice come.
        action: a legal action id; legality is the caller's duty.

    Mutates:
        core, cup.
    """
    phase = core["phase"]
    number = action - first_general(rules)
    if phase == STARE_DOWN:
        stare(core, rules, sheets, cup, number - BLUFF)
    elif phase == TURN:
        core["asked"] = 1
        if _act(core, rules, sheets, cup, action) == DONE:
            _go_on(core, rules, sheets, cup)
    elif phase == CHOICE_IN_SPELL:
        if _choose(core, rules, sheets, cup, action) == DONE:
            _go_on(core, rules, sheets, cup)
    elif _answer(core, rules, sheets, cup, action) == DONE:
        _go_on(core, rules, sheets, cup)
