"""What the effects in force on a duelist come to: `recompute`, to be called after every change, and the questions about it.

The questions are gathered here; they live in `hindrances` (conditions), `sight`, `abilities`, `bonuses`.
"""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.abilities import (
    ability_modifier,
    ability_score,
    casting_modifier,
    enduring_score,
    max_hit_points,
)
from duel_env.rules.pathfinder.bonuses import (
    ability_check_bonus,
    attack_bonus,
    caster_level,
    concentration_bonus,
    full_ac,
    save_bonus,
    spell_dc,
    spellcraft_bonus,
    touch_ac,
)
from duel_env.rules.pathfinder.codes import (
    ABILITY_CHECKS,
    AC,
    ANTIMAGIC,
    ATTACK,
    CON,
    CONDITION,
    COWERING,
    DEAD,
    DISABLED,
    DYING,
    EXHAUSTED,
    FATIGUED,
    FLAT_FOOTED,
    FRIGHTENED,
    IMMUNE_FEAR,
    IMMUNE_FLAT_FOOTED,
    IMMUNE_NEGATIVE_LEVELS,
    IMMUNITY,
    INSTANTANEOUS,
    INVISIBLE,
    MODIFIER,
    NEGATIVE_LEVELS,
    PANICKED,
    SAVE_ALL,
    SAVE_FORT,
    SAVE_REF,
    SAVE_WILL,
    SENSE,
    SHAKEN,
    SKILLS,
    SPELL_WARD,
    STAGGERED,
    UNCONSCIOUS,
    VERSUS,
    VS_ALL,
    VS_EVIL,
    VS_FEAR,
)
from duel_env.rules.pathfinder.hindrances import (
    NUM_CONDITIONS,
    any_helpless,
    any_loses_dex,
    any_no_actions,
    any_no_casting,
    any_no_counter,
    any_no_hostile,
    any_no_identifying,
    any_no_moves,
    any_no_targeting,
    any_no_verbal,
    any_one_action,
    any_only_moves,
    any_untargetable,
    can_act,
    concentration_dc,
    condition_of,
    has,
    verbal_failure,
)
from duel_env.rules.pathfinder.sight import can_see, is_unseen
from duel_env.rules.pathfinder.stacking import FOR_NO_ROLL, stacked, versus_opponent
from duel_env.rules.pathfinder.state import CORE, RULES, SHEETS
from duel_env.rules.units import NUMBER, unit

__all__ = [
    "ability_check_bonus",
    "ability_modifier",
    "ability_score",
    "any_helpless",
    "any_loses_dex",
    "any_no_actions",
    "any_no_casting",
    "any_no_counter",
    "any_no_hostile",
    "any_no_identifying",
    "any_no_moves",
    "any_no_targeting",
    "any_no_verbal",
    "any_one_action",
    "any_only_moves",
    "any_untargetable",
    "attack_bonus",
    "can_act",
    "can_see",
    "caster_level",
    "casting_modifier",
    "concentration_bonus",
    "concentration_dc",
    "condition_of",
    "enduring_score",
    "full_ac",
    "has",
    "is_unseen",
    "max_hit_points",
    "recompute",
    "save_bonus",
    "spell_dc",
    "spellcraft_bonus",
    "touch_ac",
    "verbal_failure",
]

HP_OF_A_LEVEL = 5
"""Hit points that a negative level takes."""


@kernel
def _bit(condition):
    return np.uint64(1) << np.uint64(condition)


@kernel
def _fear_step(condition):
    """1 shaken, 2 frightened, 3 panicked; 0 for what is no step of fear."""
    if condition == SHAKEN:
        return 1
    if condition == FRIGHTENED:
        return 2
    return 3 if condition == PANICKED else 0


@kernel
def _still_magic(core, rules, player):
    """An antimagic field suppresses all other magic on who stands in it; what is done already (instantaneous) stays as it is."""
    in_field = False
    for i in range(core["num_ongoing"][player]):
        effect = rules["effects"][core["ongoing"][player, i]["effect"]]
        if effect["kind"] == SPELL_WARD and effect["mode"] == ANTIMAGIC:
            in_field = True
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        is_field = effect["kind"] == SPELL_WARD and effect["mode"] == ANTIMAGIC
        if in_field and not is_field and row["suppressed"] == 0:
            if rules["spells"][row["spell"]]["duration"] != INSTANTANEOUS:
                row["suppressed"] = 1
                row["stilled"] = 1
        elif not in_field and row["stilled"] == 1:
            row["suppressed"] = 0
            row["stilled"] = 0


@kernel
def _gather_immunities(core, rules, sheets, player):
    """Immunities and senses."""
    conditions = np.uint64(0)
    immune, senses = 0, 0
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        if row["suppressed"] == 1:
            continue
        if effect["kind"] == IMMUNITY:
            if effect["versus"] == VS_ALL or (versus_opponent(sheets, player) >> np.int64(effect["versus"])) & 1 == 1:
                conditions |= np.uint64(effect["conditions"])
                immune |= np.int64(effect["immune"])
        elif effect["kind"] == SENSE:
            senses |= 1 << np.int64(effect["sense"])
    if immune & IMMUNE_FEAR != 0:
        conditions |= _bit(SHAKEN) | _bit(FRIGHTENED) | _bit(PANICKED) | _bit(COWERING)
    if immune & IMMUNE_FLAT_FOOTED != 0:
        conditions |= _bit(FLAT_FOOTED)
    core["immune_conditions"][player] = conditions
    core["immune"][player] = immune
    core["senses"][player] = senses


@kernel
def _fear(core, rules, player):
    """The step that fears of several spells come to together: they add up; those of one spell do not (rules page, section 6)."""
    total = 0
    count = core["num_ongoing"][player]
    for i in range(count):
        row = core["ongoing"][player, i]
        if rules["effects"][row["effect"]]["kind"] != CONDITION or row["suppressed"] == 1:
            continue
        step = _fear_step(condition_of(rules, row))
        if step == 0:
            continue
        outdone = False
        for j in range(count):
            other = core["ongoing"][player, j]
            if j != i and other["spell"] == row["spell"] and other["suppressed"] == 0:
                if rules["effects"][other["effect"]]["kind"] == CONDITION:
                    theirs = _fear_step(condition_of(rules, other))
                    outdone = outdone or theirs > step or (theirs == step and j < i)
        if not outdone:
            total += step
    return min(total, 3)


@kernel
def _gather_conditions(core, rules, player):
    """Conditions that effects bring. Immunity also frees of those that are there already, while it lasts (freedom of movement)."""
    bits = np.uint64(0)
    levels = 0
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        kind = rules["effects"][row["effect"]]["kind"]
        if row["suppressed"] == 1:
            continue
        if kind == CONDITION:
            condition = condition_of(rules, row)
            if _fear_step(condition) == 0:
                bits |= _bit(condition)
        elif kind == NEGATIVE_LEVELS:
            levels += np.int64(row["value"])
    step = _fear(core, rules, player)
    if step > 0:
        bits |= _bit(SHAKEN if step == 1 else (FRIGHTENED if step == 2 else PANICKED))
    if bits & _bit(EXHAUSTED) != np.uint64(0):  # which is more than fatigue, not besides it
        bits &= ~_bit(FATIGUED)
    if rules["flat_footed_start"] == 1 and core["acted"][player] == 0:
        bits |= _bit(FLAT_FOOTED)
    if np.int64(core["immune"][player]) & IMMUNE_NEGATIVE_LEVELS != 0:  # death ward lifts levels that are lost already
        levels = 0
    core["negative_levels"][player] = min(levels, 100)
    core["conditions"][player] = bits & ~np.uint64(core["immune_conditions"][player])


@kernel
def _gather_modifiers(core, rules, player):
    """Sums of modifiers. Only statistics that something modifies are summed up."""
    totals = core["totals"]
    for stat in range(SAVE_ALL + 1):
        totals[player, stat] = 0
    for save in range(3):
        for versus in range(VS_EVIL):
            core["saves_versus"][player, save, versus] = 0
    for versus in range(len(VERSUS)):
        core["attack_versus"][player, versus] = 0
    stats, against = 0, 0
    for i in range(core["num_ongoing"][player]):
        effect = rules["effects"][core["ongoing"][player, i]["effect"]]
        if effect["kind"] == MODIFIER:
            stats |= 1 << np.int64(effect["stat"])
            against |= 1 << np.int64(effect["versus"])
    if (stats >> SAVE_ALL) & 1 == 1:
        stats |= 1 << SAVE_FORT | 1 << SAVE_REF | 1 << SAVE_WILL
    for stat in range(SAVE_ALL):
        if (stats >> stat) & 1 == 1:
            totals[player, stat] = stacked(core, rules, player, stat, 0, 0, FOR_NO_ROLL)
    for versus in range(VS_FEAR, len(VERSUS)):
        if (against >> versus) & 1 == 0:
            continue
        attack = stacked(core, rules, player, ATTACK, 1 << versus, 0, FOR_NO_ROLL)
        core["attack_versus"][player, versus] = attack - np.int64(totals[player, ATTACK])
        if versus <= VS_EVIL:
            for save in range(3):
                bonus = stacked(core, rules, player, SAVE_FORT + save, 1 << versus, 0, FOR_NO_ROLL)
                core["saves_versus"][player, save, versus - VS_FEAR] = bonus - np.int64(totals[player, SAVE_FORT + save])


@kernel
def _add_conditions(core, rules, player):
    """What conditions and negative levels do to rolls, on top of the modifiers."""
    levels = np.int64(core["negative_levels"][player])
    attack, ac, saves, reflex, skills, checks = -levels, 0, -levels, 0, -levels, -levels
    for condition in range(NUM_CONDITIONS):
        if not has(core, player, condition):
            continue
        record = rules["conditions"][condition]
        if condition != INVISIBLE:  # its bonus depends on who is attacked: see `attack_bonus`
            attack += np.int64(record["attack"])
        ac += np.int64(record["ac"])
        saves += np.int64(record["saves"])
        reflex += np.int64(record["reflex"])
        skills += np.int64(record["skills"])
        checks += np.int64(record["ability_checks"])
    totals = core["totals"]
    totals[player, ATTACK] += attack
    totals[player, AC] += ac
    totals[player, SAVE_FORT] += saves
    totals[player, SAVE_REF] += saves + reflex
    totals[player, SAVE_WILL] += saves
    totals[player, SKILLS] += skills
    totals[player, ABILITY_CHECKS] += checks


@kernel
def _settle_hit_points(core, rules, sheets, player):
    """Hit points follow Constitution and lost levels."""
    sheet = sheets[player]
    level = np.int64(sheet["level"])
    usual = (np.int64(sheet["scores"][CON]) - 10) // 2
    change = (ability_modifier(core, rules, sheets, player, CON) - usual) * level
    change -= HP_OF_A_LEVEL * np.int64(core["negative_levels"][player])
    core["hit_points"][player] += change - np.int64(core["con_hp"][player])
    core["con_hp"][player] = change


@kernel
def _add_bodily_states(core, rules, sheets, player):
    """Conditions that follow from the body (rules page, section 7). A safe arena lets nobody die or bleed: he is unconscious instead."""
    bits = np.uint64(core["conditions"][player])
    hit_points = np.int64(core["hit_points"][player])
    nonlethal = np.int64(core["nonlethal"][player])
    levels = np.int64(core["negative_levels"][player])
    if nonlethal > max(hit_points, 0):
        bits |= _bit(UNCONSCIOUS)
    elif hit_points == 0:
        bits |= _bit(DISABLED)
    elif hit_points > 0 and nonlethal == hit_points:
        bits |= _bit(STAGGERED)
    if hit_points < 0:
        bits |= _bit(UNCONSCIOUS) | _bit(DYING)
    if hit_points < 0 and hit_points <= -ability_score(core, rules, sheets, player, CON):
        bits |= _bit(DEAD)
    if enduring_score(core, sheets, player, CON) == 0 or (levels > 0 and levels >= sheets[player]["level"]):
        bits |= _bit(DEAD)
    for ability in range(6):
        if ability != CON and enduring_score(core, sheets, player, ability) == 0:
            bits |= _bit(UNCONSCIOUS)
    if core["fate"][player] > 0:
        bits |= _bit(np.int64(core["fate"][player]) - 1)
    if rules["safe_arena"] == 1 and bits & (_bit(DEAD) | _bit(DYING)) != np.uint64(0):
        bits &= ~(_bit(DEAD) | _bit(DYING))
        bits |= _bit(UNCONSCIOUS)
    core["conditions"][player] = bits


@unit(CORE, RULES, SHEETS, NUMBER)
def recompute(core, rules, sheets, player):
    """Bring everything up to date that follows from a duelist's body and the effects in force on him.

    Args:
        core: CORE record.
        rules: RULES record.
        sheets: SHEET (2,).
        player: 0 or 1.

    Mutates:
        core: conditions, totals, saves_versus, attack_versus, negative_levels, immunities, senses, con_hp and with it hit_points, of
            `player`; which effects antimagic suppresses.
    """
    _still_magic(core, rules, player)
    _gather_immunities(core, rules, sheets, player)
    _gather_conditions(core, rules, player)
    _gather_modifiers(core, rules, player)
    _settle_hit_points(core, rules, sheets, player)
    _add_bodily_states(core, rules, sheets, player)
    _add_conditions(core, rules, player)
