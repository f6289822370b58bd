"""What is added to a d20, and what it has to reach (rules page, section 3)."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.abilities import ability_modifier, casting_modifier
from duel_env.rules.pathfinder.codes import (
    ABILITY_CHECKS,
    AC,
    ATTACK,
    CON,
    DEATH,
    DEX,
    DODGE,
    FEAR,
    FORT,
    INT,
    INVISIBLE,
    MIND_AFFECTING,
    REF,
    SAVE_FORT,
    SKILLS,
    STR,
    VS_DEATH,
    VS_FEAR,
    VS_MIND,
    VS_SPELLS,
    VS_UNSEEING,
    WIS,
)
from duel_env.rules.pathfinder.hindrances import NUM_CONDITIONS, any_helpless, any_loses_dex, has
from duel_env.rules.pathfinder.sight import is_unseen, sees_invisible
from duel_env.rules.pathfinder.stacking import FOR_NO_ROLL, NOT_FOR_TOUCH, stacked, versus_opponent
from duel_env.rules.pathfinder.state import CORE, RULES, SHEETS
from duel_env.rules.units import NUMBER, unit


@kernel
def caster_level(core, sheets, player):
    """Level of what a duelist casts, 0 or more: each negative level takes one."""
    return max(np.int64(sheets[player]["level"]) - np.int64(core["negative_levels"][player]), 0)


@kernel
def spell_dc(core, rules, sheets, caster, spell, level):
    """DC of the saves against a spell: 10 + level + ability + Spell Focus."""
    focus = np.int64(sheets[caster]["focus"][rules["spells"][spell]["school"]])
    return 10 + level + casting_modifier(core, rules, sheets, caster) + focus


@unit(CORE, RULES, SHEETS, NUMBER, NUMBER)
def spellcraft_bonus(core, rules, sheets, player, spell):
    """What is added to a Spellcraft check that identifies a spell."""
    sheet = sheets[player]
    bonus = np.int64(sheet["spellcraft"]) + np.int64(sheet["identify"][rules["spells"][spell]["school"]])
    return bonus + ability_modifier(core, rules, sheets, player, INT) + np.int64(core["totals"][player, SKILLS])


@kernel
def concentration_bonus(core, rules, sheets, player):
    """What is added to a concentration check."""
    return (
        caster_level(core, sheets, player)
        + casting_modifier(core, rules, sheets, player)
        + np.int64(sheets[player]["concentration"])
    )


@kernel
def ability_check_bonus(core, rules, sheets, player, ability):
    """What is added to an ability check."""
    return ability_modifier(core, rules, sheets, player, ability) + np.int64(core["totals"][player, ABILITY_CHECKS])


# ---- armour class -------------------------------------------------------------------------------------------------------------


@kernel
def _condition_ac(core, rules, player, ranged):
    """What conditions do to AC; -4 against melee for who is helpless."""
    total = 0
    for condition in range(NUM_CONDITIONS):
        if has(core, player, condition):
            record = rules["conditions"][condition]
            total += np.int64(record["ac"]) + (np.int64(record["ac_ranged"]) if ranged == 1 else np.int64(record["ac_melee"]))
    if ranged == 0 and any_helpless(core, rules, player):
        total -= 4
    return total


@kernel
def _ac(core, rules, sheets, player, attacker, ranged, skipped):
    dexterity = ability_modifier(core, rules, sheets, player, DEX)
    if any_loses_dex(core, rules, player) or is_unseen(core, player, attacker):
        # "No Dexterity bonus": a penalty stays, and dodge bonuses go with the bonus.
        dexterity = min(dexterity, 0)
        skipped |= 1 << DODGE
    bonuses = stacked(core, rules, player, AC, versus_opponent(sheets, player), skipped, FOR_NO_ROLL)
    return 10 + np.int64(sheets[player]["size"]) + dexterity + bonuses + _condition_ac(core, rules, player, ranged)


@unit(CORE, RULES, SHEETS, NUMBER, NUMBER, NUMBER)
def touch_ac(core, rules, sheets, player, attacker, ranged):
    """AC against touches: without armour and shield.

    Args:
        core, rules, sheets: as everywhere.
        player: who is attacked.
        attacker: who attacks.
        ranged: 1 for ranged attacks, 0 for melee.
    """
    return _ac(core, rules, sheets, player, attacker, ranged, NOT_FOR_TOUCH)


@unit(CORE, RULES, SHEETS, NUMBER, NUMBER, NUMBER)
def full_ac(core, rules, sheets, player, attacker, ranged):
    """AC against what has to get through everything; see `touch_ac`."""
    return _ac(core, rules, sheets, player, attacker, ranged, 0)


# ---- attacks and saves --------------------------------------------------------------------------------------------------------


@kernel
def versus_in_attack(core, sheets, player, target):
    """The bits of `versus` of an attack."""
    bits = versus_opponent(sheets, player)
    if not sees_invisible(core, target):
        bits |= 1 << VS_UNSEEING
    return bits


@unit(CORE, RULES, SHEETS, NUMBER, NUMBER, NUMBER)
def attack_bonus(core, rules, sheets, player, target, ranged):
    """What is added to an attack roll; Dexterity for ranged touches, Strength for melee touches."""
    sheet = sheets[player]
    bonus = np.int64(sheet["base_attack"]) + np.int64(sheet["size"]) + np.int64(core["totals"][player, ATTACK])
    bonus += ability_modifier(core, rules, sheets, player, DEX if ranged == 1 else STR)
    versus = versus_in_attack(core, sheets, player, target)
    bonus += stacked(core, rules, player, ATTACK, versus, 0, FOR_NO_ROLL) - stacked(
        core, rules, player, ATTACK, 0, 0, FOR_NO_ROLL
    )
    if is_unseen(core, target, player):
        bonus += np.int64(rules["conditions"][INVISIBLE]["attack"])
    return bonus


@kernel
def versus_in_save(rules, sheets, player, spell):
    """The bits of `versus` of a save against a spell; spell NONE: against no spell."""
    bits = versus_opponent(sheets, player)
    if spell < 0:
        return bits
    bits |= 1 << VS_SPELLS
    descriptors = np.int64(rules["spells"][spell]["descriptors"])
    if descriptors & FEAR != 0:
        bits |= 1 << VS_FEAR
    if descriptors & DEATH != 0:
        bits |= 1 << VS_DEATH
    if descriptors & MIND_AFFECTING != 0:
        bits |= 1 << VS_MIND
    return bits


@unit(CORE, RULES, SHEETS, NUMBER, NUMBER, NUMBER)
def save_bonus(core, rules, sheets, player, save, spell):
    """What is added to a saving throw.

    Args:
        core, rules, sheets: as everywhere.
        player: who saves.
        save: FORT, REF or WILL.
        spell: against which, NONE for no spell; its descriptors and its situation count.
    """
    ability = CON if save == FORT else (DEX if save == REF else WIS)
    stat = SAVE_FORT + save - FORT
    bonus = np.int64(sheets[player]["saves"][save - FORT]) + np.int64(core["totals"][player, stat])
    bonus += ability_modifier(core, rules, sheets, player, ability)
    versus = versus_in_save(rules, sheets, player, spell)
    bonus += stacked(core, rules, player, stat, versus, 0, FOR_NO_ROLL) - stacked(core, rules, player, stat, 0, 0, FOR_NO_ROLL)
    if spell >= 0:
        record = rules["spells"][spell]
        bonus += np.int64(record["save_bonus"])
        if sheets[player]["arcane"] == 1:
            bonus -= np.int64(record["arcane_save_penalty"])
    return bonus
