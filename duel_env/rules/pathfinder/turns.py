"""Rounds and turns: what happens before, in and after a turn besides the castings."""

import numpy as np

from duel_env.rules.graph import TERMINAL
from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.abilities import ability_modifier
from duel_env.rules.pathfinder.apply_source import zero_source
from duel_env.rules.pathfinder.bodies import check_end, deal_damage
from duel_env.rules.pathfinder.casting import complete_one_round_spell, wait_for_player
from duel_env.rules.pathfinder.codes import (
    BLUDGEONING,
    CHA,
    CON,
    CONFUSED,
    CURSED_INACTION,
    DYING,
    INSANE,
    STR,
    WIS,
)
from duel_env.rules.pathfinder.dice import (
    FOR_ACTING,
    FOR_COIN,
    FOR_CONFUSION,
    FOR_DAMAGE,
    FOR_INITIATIVE,
    FOR_STABILIZING,
    FOR_STARE,
    roll,
)
from duel_env.rules.pathfinder.hindrances import any_no_actions, has
from duel_env.rules.pathfinder.ongoing import remove_casting, tick
from duel_env.rules.pathfinder.periodic import end_of_turn, start_of_turn
from duel_env.rules.pathfinder.state import (
    BY_JUDGEMENT,
    BY_ROUND_LIMIT,
    CHOOSE_NOTHING,
    CORE,
    CUP,
    NOBODY,
    NONE,
    RULES,
    RUNNING,
    SHEETS,
    STARE_DOWN,
    TURN,
)
from duel_env.rules.pathfinder.totals import recompute
from duel_env.rules.units import NUMBER, unit


@kernel
def finish(core, winner, end):
    """Go to the end: `winner` is a player or NOBODY."""
    core["node"] = TERMINAL
    core["current_player"] = NOBODY
    core["winner"] = winner
    core["end"] = end


@kernel
def close_if_over(core):
    """Go to the end if something has decided the duel; returns whether it is over."""
    if core["end"] == RUNNING:
        return False
    core["node"] = TERMINAL
    core["current_player"] = NOBODY
    return True


# ---- the beginning ------------------------------------------------------------------------------------------------------------


@kernel
def set_up(core, rules, sheets):
    """Two duelists as they come into the arena."""
    core["winner"] = NOBODY
    core["end"] = RUNNING
    core["active"] = NOBODY
    core["opener"] = NOBODY
    core["casting"]["spell"] = NONE
    core["casting"]["pick"] = NONE
    for k in range(core["casting"]["named"].shape[0]):
        core["casting"]["named"][k] = NONE
    for player in range(2):
        sheet = sheets[player]
        core["stare"][player] = NONE
        core["hit_points"][player] = sheet["hit_points"]
        core["staff_charges"][player] = sheet["staff_charges"]
        core["touch_spell"][player] = NONE
        core["concentrates_on"][player] = NONE
        core["one_round_spell"][player] = core["casting"]
        for level in range(sheet["slots"].shape[0]):
            core["slots"][player, level] = sheet["slots"][level]
        for entry in range(sheet["num_entries"]):
            core["copies"][player, entry] = sheet["entry_copies"][entry]
    for player in range(2):
        recompute(core, rules, sheets, player)


@kernel
def _opening_bonus(core, rules, sheets, player):
    """What is added to the opening d20: initiative, or the skill of the stare-down."""
    sheet = sheets[player]
    skill = core["stare"][player]
    if skill == NONE:
        return np.int64(sheet["initiative"]) + ability_modifier(core, rules, sheets, player, 1)
    ability = WIS if skill == 2 else CHA
    return np.int64(sheet["face_off"][skill]) + ability_modifier(core, rules, sheets, player, ability)


@kernel
def _struggle_for_control(core, rules, sheets, cup, player):
    """Confusion and the curse that takes half of the turns."""
    if any_no_actions(core, rules, player):
        return
    if has(core, player, CURSED_INACTION) and roll(cup, FOR_ACTING, player, 100, 0, 51, NONE) <= 50:
        core["turn_lost"] = 1
    if core["turn_lost"] == 0 and (has(core, player, CONFUSED) or has(core, player, INSANE)):
        face = roll(cup, FOR_CONFUSION, player, 100, 0, NONE, NONE)
        core["confused_roll"][player] = min(face, 100)
        if face > 25:
            # 76 to 100 attack the nearest creature: without weapons there is nothing to attack with.
            core["turn_lost"] = 1
        if 51 <= face <= 75:
            points = roll(cup, FOR_DAMAGE, player, 8, 0, NONE, NONE) + ability_modifier(core, rules, sheets, player, STR)
            core["source"]["caster"] = player
            deal_damage(core, rules, sheets, cup, player, max(points, 1), BLUDGEONING, 0, 0)
            zero_source(core["source"])
            check_end(core, rules, sheets, player)


@kernel
def _bleed(core, rules, sheets, cup, player):
    """Who is dying loses a hit point, unless a Constitution check, harder by each negative one, ends that (rules page, section 7).

    Only duels to the death go on so far.
    """
    hit_points = np.int64(core["hit_points"][player])
    if not has(core, player, DYING):
        core["stable_at"][player] = 0
    elif core["stable_at"][player] != hit_points:  # damage since then opens the wounds again
        core["stable_at"][player] = 0
        bonus = ability_modifier(core, rules, sheets, player, CON) + hit_points
        face = roll(cup, FOR_STABILIZING, player, 20, bonus, 10, NONE)
        if face == 20 or face + bonus >= 10:
            core["stable_at"][player] = hit_points
        else:
            core["hit_points"][player] = hit_points - 1
            recompute(core, rules, sheets, player)
            check_end(core, rules, sheets, player)


@kernel
def _share_of_hit_points(core, sheets, player):
    return (np.int64(core["hit_points"][player]) - np.int64(core["nonlethal"][player])) / np.float64(sheets[player]["hit_points"])


@kernel
def _end_by_limit(core, rules, sheets):
    """`max_rounds` is over: a draw that no rule knows, or the judges' verdict."""
    if rules["judged_by_hit_points"] == 0:
        finish(core, NOBODY, BY_ROUND_LIMIT)
        return
    share_0, share_1 = _share_of_hit_points(core, sheets, 0), _share_of_hit_points(core, sheets, 1)
    if share_0 == share_1:
        finish(core, NOBODY, BY_JUDGEMENT)
    else:
        finish(core, 0 if share_0 > share_1 else 1, BY_JUDGEMENT)


# ---- turns --------------------------------------------------------------------------------------------------------------------


@unit(CORE, RULES, SHEETS, CUP, NUMBER)
def begin_turn(core, rules, sheets, cup, player):
    """Everything before a player's first decision of a turn."""
    if player == core["opener"] and core["in_time_stop"][player] == 0:
        core["round"] += 1
        core["counter_used"][0] = 0
        core["counter_used"][1] = 0
        if core["round"] > rules["max_rounds"]:
            _end_by_limit(core, rules, sheets)
            return
    core["active"] = player
    core["asked"] = 0
    core["standard_used"] = 0
    core["move_used"] = 0
    core["swift_used"] = core["immediate_spent"][player]
    core["immediate_spent"][player] = 0
    core["turn_lost"] = 0
    core["readied"][player] = 0
    core["kept_concentration"][player] = 0
    core["confused_roll"][player] = 0
    if core["acted"][player] == 0:
        core["acted"][player] = 1
        recompute(core, rules, sheets, player)  # flat-footed no longer
    tick(core, rules, sheets, player)
    start_of_turn(core, rules, sheets, cup, player)
    zero_source(core["source"])
    if core["end"] == RUNNING:
        _bleed(core, rules, sheets, cup, player)
    if close_if_over(core):
        return
    complete_one_round_spell(core, rules, sheets, cup, player)
    if close_if_over(core):
        return
    _struggle_for_control(core, rules, sheets, cup, player)
    if close_if_over(core):
        return
    wait_for_player(core, player, TURN, CHOOSE_NOTHING)


@kernel
def roll_initiative(core, rules, sheets, cup):
    """Each rolls; the higher total acts first, then the higher bonus, then a coin (rules page, section 3)."""
    purpose = FOR_INITIATIVE if core["stare"][0] == NONE else FOR_STARE
    bonus_0, bonus_1 = _opening_bonus(core, rules, sheets, 0), _opening_bonus(core, rules, sheets, 1)
    total_0 = bonus_0 + roll(cup, purpose, 0, 20, bonus_0, NONE, NONE)
    total_1 = bonus_1 + roll(cup, purpose, 1, 20, bonus_1, NONE, NONE)
    if total_0 != total_1:
        first = 0 if total_0 > total_1 else 1
    elif bonus_0 != bonus_1:
        first = 0 if bonus_0 > bonus_1 else 1
    else:
        first = roll(cup, FOR_COIN, NOBODY, 2, 0, NONE, NONE) - 1
    core["opener"] = first
    begin_turn(core, rules, sheets, cup, first)


@unit(CORE, RULES, SHEETS, CUP, NUMBER)
def begin(core, rules, sheets, cup, start):
    """The opening: who acts first. `start` is 0 or 1, the player who does, or 2: as the terms say."""
    set_up(core, rules, sheets)
    if start < 2:
        core["opener"] = start
        begin_turn(core, rules, sheets, cup, start)
    elif rules["stare_down"] == 1:
        wait_for_player(core, 0, STARE_DOWN, CHOOSE_NOTHING)
    else:
        roll_initiative(core, rules, sheets, cup)


@unit(CORE, RULES, SHEETS, CUP, NUMBER)
def stare(core, rules, sheets, cup, skill):
    """A player chose a skill for the stare-down; the other chooses without knowing it."""
    player = np.int64(core["current_player"])
    core["stare"][player] = skill
    if player == 0:
        wait_for_player(core, 1, STARE_DOWN, CHOOSE_NOTHING)
    else:
        roll_initiative(core, rules, sheets, cup)


@unit(CORE, RULES, SHEETS, CUP)
def end_turn(core, rules, sheets, cup):
    """Everything after a player's last decision of a turn; the next turn begins."""
    player = np.int64(core["active"])
    if core["concentrates_on"][player] != NONE and core["kept_concentration"][player] == 0:
        casting = np.int64(core["concentrates_on"][player])
        core["concentrates_on"][player] = NONE
        remove_casting(core, rules, sheets, casting)
    end_of_turn(core, rules, sheets, cup, player)
    zero_source(core["source"])
    if close_if_over(core):
        return
    if core["extra_turns"][player] > 0:
        core["extra_turns"][player] -= 1
        core["in_time_stop"][player] = 1
        begin_turn(core, rules, sheets, cup, player)
    else:
        core["in_time_stop"][player] = 0
        begin_turn(core, rules, sheets, cup, 1 - player)
