"""Attacks of weapons of magic, and how far a granted action reaches."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.apply_gates import in_antimagic, passes_sanctuary, warded
from duel_env.rules.pathfinder.apply_source import makes_save, sourced
from duel_env.rules.pathfinder.codes import GRAPPLED, NO_ATTACK, NO_SAVE, RANGED_TOUCH, STR
from duel_env.rules.pathfinder.dice import FOR_ATTACK, FOR_COUNT, FOR_CRITICAL, FOR_MISS_CHANCE, roll
from duel_env.rules.pathfinder.rolls import miss_chance, roll_attack, roll_spell_resistance, throw_d20
from duel_env.rules.pathfinder.state import NONE
from duel_env.rules.pathfinder.totals import ability_modifier, any_untargetable, full_ac, has, touch_ac


@kernel
def attacks_in_round(sheets, player, effect, stage):
    """How many attacks a weapon of magic makes: one in the round of casting, then by base attack bonus if it is iterative."""
    if effect["iterative"] == 0 or stage == 0:
        return 1
    return min(1 + max(np.int64(sheets[player]["base_attack"]) - 1, 0) // 5, 4)


@kernel
def manoeuvre_defence(core, rules, sheets, player, attacker):
    """CMD: touch AC and base attack bonus and Strength; what adds to touch AC adds to it."""
    strength = ability_modifier(core, rules, sheets, player, STR)
    return touch_ac(core, rules, sheets, player, attacker, 0) + np.int64(sheets[player]["base_attack"]) + strength


@kernel
def _is_grip_proof(core, target):
    return (np.uint64(core["immune_conditions"][target]) >> np.uint64(GRAPPLED)) & np.uint64(1) != np.uint64(0)


@kernel
def weapon_attack(core, rules, sheets, cup, target, number, penalty):
    """One attack of an `auto_attack` effect: 0 a miss, 1 a hit, 2 a critical hit.

    Concealment hinders a weapon, not tentacles, which fill the place; images fool neither. Freedom of movement frees of grips before
    they close.
    """
    effect = rules["effects"][number]
    source = core["source"]
    caster, spell = np.int64(source["caster"]), np.int64(source["spell"])
    if any_untargetable(core, rules, target):
        return 0
    bonus = sourced(core, rules, sheets, cup, np.int64(effect["amount"]), FOR_COUNT) - penalty
    if effect["against_cmd"] == 1:
        if _is_grip_proof(core, target):
            return 0
        if has(core, target, GRAPPLED):
            bonus += np.int64(effect["bonus_if_grappling"])
        defence = manoeuvre_defence(core, rules, sheets, target, caster)
    else:
        defence = full_ac(core, rules, sheets, target, caster, 0)
    face = throw_d20(core, rules, sheets, cup, FOR_ATTACK, caster, bonus, defence, spell)
    if face == 1 or (face < 20 and face + bonus < defence):
        return 0
    if effect["against_cmd"] == 0:
        percent = miss_chance(core, rules, caster, target, 0)
        if percent > 0 and roll(cup, FOR_MISS_CHANCE, caster, 100, 0, percent + 1, spell) <= percent:
            return 0
    if face >= effect["critical_from"]:
        face = throw_d20(core, rules, sheets, cup, FOR_CRITICAL, caster, bonus, defence, spell)
        if face == 20 or (face > 1 and face + bonus >= defence):
            return 2
    return 1


@kernel
def _asks_for_save(rules, effect):
    """Whether the effects of a granted action need one save for all."""
    branch = rules["branches"][effect["first_branch"]]
    for number in range(branch["first"], branch["first"] + branch["count"]):
        inner = rules["effects"][number]
        if inner["on_save"] != 0 and inner["separate_saves"] == 0:
            return True
    return False


@kernel
def granted_reaches(core, rules, sheets, cup, target, number):
    """A use of a granted action: whether it reaches the target.

    Returns:
        NONE if it does not; else the result of the saving throw, 1 made, 0 failed or none.

    Mutates:
        core: `source.save` and `source.critical`, for the effects.
    """
    effect = rules["effects"][number]
    source = core["source"]
    caster = np.int64(source["caster"])
    if any_untargetable(core, rules, target) or in_antimagic(core, rules, caster) or warded(core, rules, target):
        return NONE
    if effect["attack"] != NO_ATTACK and not passes_sanctuary(core, rules, sheets, cup, target):
        return NONE
    resisted = effect["spell_resistance"] == 1
    if resisted and not roll_spell_resistance(core, rules, sheets, cup, caster, target, np.int64(source["caster_level"])):
        return NONE
    if effect["attack"] != NO_ATTACK:
        result = roll_attack(core, rules, sheets, cup, caster, target, 1 if effect["attack"] == RANGED_TOUCH else 0, 0)
        if result == 0:
            return NONE
        source["critical"] = 1 if result == 2 else 0
    source["save"] = effect["save"]
    if effect["save"] != NO_SAVE and _asks_for_save(rules, effect):
        return 1 if makes_save(core, rules, sheets, cup, target, np.int64(effect["save"]), 0) else 0
    return 0
