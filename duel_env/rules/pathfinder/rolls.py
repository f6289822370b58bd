"""Every d20 of a duelist: rerolls, bonuses to one roll, saves, attacks, checks (rules page, section 3)."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.bonuses import versus_in_attack, versus_in_save
from duel_env.rules.pathfinder.codes import (
    ANY_ONE_ROLL,
    ATTACK,
    ATTACKS_ANY,
    ATTACKS_RANGED,
    FORT,
    IGNORE_CONCEALMENT,
    IMAGES,
    MISS_CHANCE,
    MODIFIER,
    NO_SAVE,
    OUTLINED,
    PRESCIENCE,
    REROLL,
    SAVE_FORT,
    SENSE,
    SKILLS,
    SPELL_RESISTANCE,
    TRUE_SEEING,
    ZONE,
)
from duel_env.rules.pathfinder.dice import (
    FOR_ATTACK,
    FOR_CONCENTRATION,
    FOR_CRITICAL,
    FOR_ESCAPE,
    FOR_FORT,
    FOR_IMAGE,
    FOR_MISS_CHANCE,
    FOR_RESISTANCE,
    FOR_SPELLCRAFT,
    FOR_WILL,
    roll,
    roll_d20,
)
from duel_env.rules.pathfinder.hindrances import NUM_CONDITIONS, own_miss_chance
from duel_env.rules.pathfinder.ongoing import remove_ongoing
from duel_env.rules.pathfinder.sight import sees_invisible
from duel_env.rules.pathfinder.stacking import FOR_NO_ROLL, FOR_OTHER_ROLL, FOR_SKILL_ROLL, stacked
from duel_env.rules.pathfinder.state import CORE, CUP, NONE, RULES, SHEETS
from duel_env.rules.pathfinder.totals import (
    ability_check_bonus,
    attack_bonus,
    can_see,
    concentration_bonus,
    has,
    is_unseen,
    save_bonus,
    touch_ac,
)
from duel_env.rules.units import NUMBER, unit

TRUE_SIGHT = 1 << TRUE_SEEING
PIERCED_BY_TRUE_SEEING, PIERCED_BY_OUTLINE = 1, 2
"""Bits of `pierced_by` that concern attacks."""
FORCE_SPELL = 1 << 5

MISSED, HIT, CRITICAL_HIT = range(3)


# ---- single dice --------------------------------------------------------------------------------------------------------------


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER)
def throw_d20(core, rules, sheets, cup, purpose, player, modifier, target, spell):
    """Throw a d20 for a duelist; under an ill omen twice, and the worse counts.

    Args:
        core, rules, sheets, cup: as everywhere.
        purpose: dice.FOR_...
        player: who throws.
        modifier: what is added, for the log.
        target: the total that succeeds, for the log; NONE if there is none.
        spell: for which, NONE for none.

    Returns:
        the face that counts.

    Mutates:
        core: one use of the omen is gone; cup.
    """
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        if rules["effects"][row["effect"]]["kind"] == REROLL and row["suppressed"] == 0:
            row["uses"] -= 1
            if row["uses"] <= 0:
                remove_ongoing(core, rules, sheets, player, i)
            first = roll_d20(cup, purpose, player, modifier, target, spell)
            return min(first, roll_d20(cup, purpose, player, modifier, target, spell))
    return roll_d20(cup, purpose, player, modifier, target, spell)


@kernel
def _spend(core, rules, sheets, player, stat):
    """Take one use of every modifier of a statistic whose uses are limited."""
    i = 0
    while i < core["num_ongoing"][player]:
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        if effect["kind"] == MODIFIER and effect["stat"] == stat and effect["uses"] >= 0 and row["suppressed"] == 0:
            row["uses"] -= 1
            if row["uses"] <= 0:
                remove_ongoing(core, rules, sheets, player, i)
                continue
        i += 1


@kernel
def _stat_of(purpose):
    """The statistic that a roll uses, where a bonus to any one roll may help it; NONE elsewhere."""
    if purpose == FOR_ATTACK:
        return ATTACK
    if FOR_FORT <= purpose <= FOR_WILL:
        return SAVE_FORT + purpose - FOR_FORT
    return SKILLS if purpose == FOR_SPELLCRAFT else NONE


@kernel
def one_roll_bonus(core, rules, sheets, player, purpose, versus):
    """What bonuses to any one roll add to the roll that comes now; they are spent by it.

    They go to the first roll that they can help: guidance to an attack roll, save or skill check, moment of prescience to an attack roll
    or save (neither to caster level checks: their notes). A bonus of a type that the roll has already adds only what it is higher by.

    Args:
        core, rules, sheets: as everywhere.
        player: who throws.
        purpose: FOR_ATTACK, FOR_FORT, FOR_REF, FOR_WILL or FOR_SPELLCRAFT; others have no bonus.
        versus: bits of `versus` as in `stacking.stacked`.

    Mutates:
        core: the uses.
    """
    stat = _stat_of(purpose)
    if stat == NONE:
        return 0
    has_any = False
    for i in range(core["num_ongoing"][player]):
        effect = rules["effects"][core["ongoing"][player, i]["effect"]]
        if effect["kind"] == MODIFIER and (effect["stat"] == ANY_ONE_ROLL or effect["stat"] == PRESCIENCE):
            has_any = True
    if not has_any:
        return 0
    which = FOR_SKILL_ROLL if stat == SKILLS else FOR_OTHER_ROLL
    bonus = stacked(core, rules, player, stat, versus, 0, which) - stacked(core, rules, player, stat, versus, 0, FOR_NO_ROLL)
    if bonus <= 0:  # nobody spends what adds nothing
        return 0
    _spend(core, rules, sheets, player, ANY_ONE_ROLL)
    if which == FOR_OTHER_ROLL:
        _spend(core, rules, sheets, player, PRESCIENCE)
    return bonus


# ---- saves and checks ---------------------------------------------------------------------------------------------------------


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER)
def roll_save(core, rules, sheets, cup, player, save, dc, spell, bonus):
    """A saving throw: a natural 1 fails, a natural 20 succeeds.

    Args:
        core, rules, sheets, cup: as everywhere.
        player: who saves.
        save: FORT, REF or WILL; NO_SAVE fails without a die.
        dc: that is to be reached.
        spell: against which, NONE for no spell.
        bonus: added by the situation.

    Returns:
        whether it succeeds.

    Mutates:
        core: bonuses and omens that are spent; cup.
    """
    if save == NO_SAVE:
        return False
    purpose = FOR_FORT + save - FORT
    modifier = bonus + save_bonus(core, rules, sheets, player, save, spell)
    modifier += one_roll_bonus(core, rules, sheets, player, purpose, versus_in_save(rules, sheets, player, spell))
    face = throw_d20(core, rules, sheets, cup, purpose, player, modifier, dc, spell)
    return face == 20 or (face != 1 and face + modifier >= dc)


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER, NUMBER)
def roll_spell_resistance(core, rules, sheets, cup, caster, target, level):
    """Whether a spell of caster level `level` overcomes the target's spell resistance. One's own spells always do."""
    resistance = np.int64(core["totals"][target, SPELL_RESISTANCE])
    if resistance <= 0 or target == caster:
        return True
    bonus = level + np.int64(sheets[caster]["penetration"])
    spell = np.int64(core["source"]["spell"])
    return throw_d20(core, rules, sheets, cup, FOR_RESISTANCE, caster, bonus, resistance, spell) + bonus >= resistance


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER, NUMBER)
def roll_concentration(core, rules, sheets, cup, player, dc, spell):
    """A concentration check: whether the spell is not lost."""
    bonus = concentration_bonus(core, rules, sheets, player)
    return throw_d20(core, rules, sheets, cup, FOR_CONCENTRATION, player, bonus, dc, spell) + bonus >= dc


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER, NUMBER, NUMBER)
def ability_check(core, rules, sheets, cup, player, ability, dc, spell):
    """An ability check, to get free or out of somewhere."""
    bonus = ability_check_bonus(core, rules, sheets, player, ability)
    return throw_d20(core, rules, sheets, cup, FOR_ESCAPE, player, bonus, dc, spell) + bonus >= dc


# ---- attacks ------------------------------------------------------------------------------------------------------------------


@kernel
def _miss_chance_of_row(core, rules, attacker, target, row, ranged):
    """Percent by which an effect on the target makes an attack miss."""
    effect = rules["effects"][row["effect"]]
    ignores = np.int64(core["senses"][attacker]) & (1 << IGNORE_CONCEALMENT) != 0
    if effect["kind"] == ZONE:  # fog: total concealment, also from true seeing
        return 0 if ignores else np.int64(effect["concealment"])
    if effect["kind"] != MISS_CHANCE:
        return 0
    if effect["against"] != ATTACKS_ANY and not (effect["against"] == ATTACKS_RANGED and ranged == 1):
        return 0
    pierced = np.int64(effect["pierced_by"])
    if pierced & PIERCED_BY_TRUE_SEEING != 0 and (np.int64(core["senses"][attacker]) & TRUE_SIGHT != 0 or ignores):
        return 0
    if pierced & PIERCED_BY_OUTLINE != 0 and has(core, target, OUTLINED):
        return 0
    percent = np.int64(effect["percent"])
    if effect["reduced_percent"] >= 0:
        # Blink: half of the chance is that nobody sees the target, the rest that it is elsewhere, where force still strikes.
        sees = sees_invisible(core, attacker) or ignores
        strikes = np.int64(rules["spells"][core["source"]["spell"]]["descriptors"]) & FORCE_SPELL != 0
        if sees and strikes:
            return 0
        if sees or strikes:
            return np.int64(effect["reduced_percent"])
    return percent


@kernel
def miss_chance(core, rules, attacker, target, ranged):
    """Percent by which an attack that hits misses all the same: the best chance counts, they do not add up (rules page, section 3)."""
    best = 0
    if np.int64(core["senses"][attacker]) & (1 << IGNORE_CONCEALMENT) == 0:
        best = own_miss_chance(core, rules, attacker)
        for condition in range(NUM_CONDITIONS):
            if rules["conditions"][condition]["miss_chance"] > 0 and has(core, target, condition):
                if is_unseen(core, attacker, target):
                    best = max(best, np.int64(rules["conditions"][condition]["miss_chance"]))
    for side in range(2):
        holder = target if side == 0 else attacker
        for i in range(core["num_ongoing"][holder]):
            row = core["ongoing"][holder, i]
            if row["suppressed"] == 1:
                continue
            # Of what is on the attacker only fog hinders him.
            if side == 0 or rules["effects"][row["effect"]]["kind"] == ZONE:
                best = max(best, _miss_chance_of_row(core, rules, attacker, target, row, ranged))
    return best


@kernel
def _images_of(core, rules, attacker, target):
    """The row of the target's images, if they fool the attacker; NONE otherwise. True seeing, and seeing nothing, see no images."""
    if np.int64(core["senses"][attacker]) & TRUE_SIGHT != 0 or not can_see(core, rules, attacker, target):
        return NONE
    for i in range(core["num_ongoing"][target]):
        row = core["ongoing"][target, i]
        if rules["effects"][row["effect"]]["kind"] == IMAGES and row["suppressed"] == 0:
            return i
    return NONE


@kernel
def _destroy_image(core, rules, sheets, target, i):
    row = core["ongoing"][target, i]
    row["value"] -= 1
    if row["value"] <= 0:
        remove_ongoing(core, rules, sheets, target, i)


@kernel
def _spend_on_attack(core, rules, sheets, player):
    """True strike is for one attack roll: its bonus and its sense go together."""
    _spend(core, rules, sheets, player, ATTACK)
    i = 0
    while i < core["num_ongoing"][player]:
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        if effect["kind"] == SENSE and effect["uses"] >= 0 and row["suppressed"] == 0:
            row["uses"] -= 1
            if row["uses"] <= 0:
                remove_ongoing(core, rules, sheets, player, i)
                continue
        i += 1


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER, NUMBER, NUMBER)
def roll_attack(core, rules, sheets, cup, attacker, target, ranged, bonus):
    """A touch attack with a spell: attack roll, then miss chance, then images, then the roll that confirms a critical hit.

    Args:
        core, rules, sheets, cup: as everywhere.
        attacker: who attacks.
        target: who is attacked.
        ranged: 1 for a ranged touch, 0 for a melee touch.
        bonus: added by the situation.

    Returns:
        MISSED 0, HIT 1 or CRITICAL_HIT 2.

    Mutates:
        core: what is spent by the attack; images; cup.
    """
    spell = np.int64(core["source"]["spell"])
    modifier = bonus + attack_bonus(core, rules, sheets, attacker, target, ranged)
    modifier += one_roll_bonus(core, rules, sheets, attacker, FOR_ATTACK, versus_in_attack(core, sheets, attacker, target))
    defence = touch_ac(core, rules, sheets, target, attacker, ranged)
    percent = miss_chance(core, rules, attacker, target, ranged)
    face = throw_d20(core, rules, sheets, cup, FOR_ATTACK, attacker, modifier, defence, spell)
    _spend_on_attack(core, rules, sheets, attacker)
    if face == 1 or (face != 20 and face + modifier < defence):
        images = _images_of(core, rules, attacker, target)
        if images != NONE and face + modifier >= defence - 5:
            _destroy_image(core, rules, sheets, target, images)
        return MISSED
    if percent > 0 and roll(cup, FOR_MISS_CHANCE, attacker, 100, 0, percent + 1, spell) <= percent:
        return MISSED
    images = _images_of(core, rules, attacker, target)
    if images != NONE:
        count = np.int64(core["ongoing"][target, images]["value"])
        if roll(cup, FOR_IMAGE, attacker, count + 1, 0, NONE, spell) != 1:
            _destroy_image(core, rules, sheets, target, images)
            return MISSED
    if face == 20:
        face = throw_d20(core, rules, sheets, cup, FOR_CRITICAL, attacker, modifier, defence, spell)
        if face == 20 or (face != 1 and face + modifier >= defence):
            return CRITICAL_HIT
    return HIT
