"""The counter step of a casting: identification, the readied counterspell, the dueling counter (rules page, section 4)."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.bonuses import caster_level, spellcraft_bonus
from duel_env.rules.pathfinder.codes import CONFUSED, INSANE, KNOWN
from duel_env.rules.pathfinder.dice import FOR_COUNTER, FOR_DISPEL, FOR_SPELLCRAFT
from duel_env.rules.pathfinder.hindrances import (
    any_no_actions,
    any_no_casting,
    any_no_counter,
    any_no_identifying,
    any_no_verbal,
    has,
)
from duel_env.rules.pathfinder.resources import level_to_spend, pay_casting
from duel_env.rules.pathfinder.rolls import one_roll_bonus, throw_d20
from duel_env.rules.pathfinder.sight import can_see
from duel_env.rules.pathfinder.state import CORE, CUP, NONE, RULES, SHEETS
from duel_env.rules.units import NUMBER, unit


@kernel
def is_dispel(rules, spell):
    """Whether a spell is dispel magic or greater dispel magic."""
    return spell == rules["dispel_magic"] or spell == rules["greater_dispel_magic"]


@kernel
def touches_opponent(core, rules):
    """Whether the spell that is being cast affects the opponent."""
    casting = core["casting"]
    record = rules["spells"][casting["spell"]]
    return record["hostile"] == 1 and not (record["may_target_self"] == 1 and casting["at_self"] == 1)


@kernel
def perceives_casting(core, rules, player):
    """Whether a player perceives that the other is casting (step 3)."""
    if core["in_time_stop"][1 - player] == 1 or any_no_actions(core, rules, player):
        return False
    return rules["counter_needs_sight"] == 0 or can_see(core, rules, player, 1 - player)


@unit(CORE, RULES, SHEETS, CUP, NUMBER)
def identify(core, rules, sheets, cup, player):
    """Step 4: one Spellcraft check against the spell that is being cast, if the player can see the casting."""
    casting = core["casting"]
    if not perceives_casting(core, rules, player) or any_no_identifying(core, rules, player):
        return
    spell = np.int64(casting["spell"])
    dc = 15 + np.int64(casting["level"])
    if rules["spellcraft_distance_penalty"] == 1 and core["near"] == 0:
        dc += 3  # 30 ft
    bonus = spellcraft_bonus(core, rules, sheets, player, spell)
    bonus += one_roll_bonus(core, rules, sheets, player, FOR_SPELLCRAFT, 0)
    face = throw_d20(core, rules, sheets, cup, FOR_SPELLCRAFT, player, bonus, dc, spell)
    casting["identified"] = face + bonus >= dc
    if casting["identified"] == 1:
        casting["shown"] = 1


@unit(CORE, RULES, NUMBER)
def may_counter(core, rules, player):
    """Step 3: whether a player may make a dueling counter against the spell that is being cast, means aside."""
    casting = core["casting"]
    if casting["tried"] == 1 or core["counter_used"][player] == 1:
        return False
    if rules["counter_takes_immediate"] == 1 and core["immediate_spent"][player] == 1:
        return False
    if rules["counter_only_if_targeted"] == 1 and not touches_opponent(core, rules):
        return False
    if any_no_counter(core, rules, player) or any_no_casting(core, rules, player):
        return False
    confused = has(core, player, CONFUSED) or has(core, player, INSANE)
    if confused and core["confused_roll"][player] > 25:  # only after a roll that let him act as he likes
        return False
    return perceives_casting(core, rules, player)


@kernel
def _can_be_spoken(core, rules, player, spell):
    return rules["spells"][spell]["verbal"] == 0 or not any_no_verbal(core, rules, player)


@kernel
def may_spend(core, rules, sheets, player, entry):
    """Step 5: whether an entry can be spent on a dueling counter of the spell that is being cast."""
    casting = core["casting"]
    spell = np.int64(sheets[player]["entry_spell"][entry])
    if not _can_be_spoken(core, rules, player, spell):
        return False
    if is_dispel(rules, spell):
        open_to_dispel = casting["identified"] == 1 or rules["dispel_after_failed_identification"] == 1
        return open_to_dispel and level_to_spend(core, sheets, player, entry, 1) != NONE
    return casting["identified"] == 1 and level_to_spend(core, sheets, player, entry, np.int64(casting["level"])) != NONE


@kernel
def may_spend_readied(core, rules, sheets, player, entry):
    """Step 2a: whether an entry can be spent by a readied counterspell."""
    casting = core["casting"]
    sheet = sheets[player]
    spell = np.int64(sheet["entry_spell"][entry])
    if not _can_be_spoken(core, rules, player, spell) or level_to_spend(core, sheets, player, entry, 0) == NONE:
        return False
    if is_dispel(rules, spell):
        return True
    if casting["identified"] == 0:
        return False
    theirs, record = np.int64(casting["spell"]), rules["spells"][spell]
    if spell == theirs or record["counters"][0] == theirs or record["counters"][1] == theirs:
        return True
    same_school = record["school"] == rules["spells"][theirs]["school"]
    return sheet["improved_counterspell"] == 1 and same_school and sheet["entry_level"][entry] >= casting["level"] + 1


@unit(CORE, RULES, SHEETS, NUMBER, NUMBER, NUMBER)
def entry_to_spend(core, rules, sheets, player, spell, readied):
    """The entry that spending a spell takes: the one of the lowest slot; NONE if there is none."""
    best, best_level = NONE, 99
    sheet = sheets[player]
    for entry in range(sheet["num_entries"]):
        if sheet["entry_spell"][entry] != spell:
            continue
        if readied == 1:
            possible = may_spend_readied(core, rules, sheets, player, entry)
        else:
            possible = may_spend(core, rules, sheets, player, entry)
        if possible and sheet["entry_slot"][entry] < best_level:
            best, best_level = entry, np.int64(sheet["entry_slot"][entry])
    return best


@unit(CORE, RULES, SHEETS, NUMBER, NUMBER)
def can_spend_any(core, rules, sheets, player, readied):
    """Whether there is anything to spend."""
    for entry in range(sheets[player]["num_entries"]):
        if readied == 1 and may_spend_readied(core, rules, sheets, player, entry):
            return True
        if readied == 0 and may_spend(core, rules, sheets, player, entry):
            return True
    return False


@kernel
def least_slot_to_spend(core, rules, sheets, player, entry, readied):
    """The lowest slot that spending a known spell may take (the choice of step 5)."""
    sheet = sheets[player]
    own = np.int64(sheet["entry_slot"][entry])
    if readied == 1 or is_dispel(rules, np.int64(sheet["entry_spell"][entry])):
        return own
    return max(own, np.int64(core["casting"]["level"]))


@kernel
def needs_slot_choice(core, rules, sheets, player, entry, readied):
    """Whether spending an entry leaves a choice between slots, or the terms ask where there is none."""
    if sheets[player]["entry_kind"][entry] != KNOWN:
        return False
    least = max(least_slot_to_spend(core, rules, sheets, player, entry, readied), 1)
    count = 0
    for slot in range(least, core["slots"].shape[1]):
        count += core["slots"][player, slot] > 0
    return count > 1 or rules["ask_forced"] == 1


@kernel
def _dispels(core, rules, sheets, cup, player, spell, readied):
    """d20 + caster level against 11 + the other's: no modifiers of the table, but for greater dispel magic's own +4."""
    bonus = caster_level(core, sheets, player)
    if spell == rules["greater_dispel_magic"] and (readied == 1 or rules["greater_dispel_bonus"] == 1):
        bonus += 4
    dc = 11 + np.int64(core["casting"]["caster_level"])
    return throw_d20(core, rules, sheets, cup, FOR_DISPEL, player, bonus, dc, np.int64(core["casting"]["spell"])) + bonus >= dc


@kernel
def counter_bonus(core, rules, sheets, player, entry, slot_level):
    """What is added to the d20 of a counter with a spell or slot (step 7)."""
    casting = core["casting"]
    spell, theirs = np.int64(sheets[player]["entry_spell"][entry]), np.int64(casting["spell"])
    bonus = caster_level(core, sheets, player)
    if spell == theirs:
        bonus += 10
    elif rules["spells"][spell]["school"] == rules["spells"][theirs]["school"]:
        bonus += 2
    else:
        bonus -= 2
    level = slot_level if rules["level_bonus_by_slot"] == 1 else np.int64(sheets[player]["entry_level"][entry])
    return bonus + max(level - np.int64(casting["level"]), 0)


@kernel
def counter_dc(core, rules):
    """DC of a counter with a spell or slot (step 7)."""
    casting = core["casting"]
    return 15 + np.int64(casting["caster_level"] if rules["counter_dc_by_caster_level"] == 1 else casting["level"])


@kernel
def _matches(core, rules, sheets, cup, player, entry, slot_level):
    spell = np.int64(core["casting"]["spell"])
    if rules["exact_copy_is_sure"] == 1 and sheets[player]["entry_spell"][entry] == spell:
        return True
    bonus, dc = counter_bonus(core, rules, sheets, player, entry, slot_level), counter_dc(core, rules)
    return throw_d20(core, rules, sheets, cup, FOR_COUNTER, player, bonus, dc, spell) + bonus >= dc


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER, NUMBER, NUMBER)
def try_counter(core, rules, sheets, cup, player, entry, slot_level, readied):
    """Steps 6 to 8: spend an entry; returns whether the spell that is being cast is negated."""
    casting = core["casting"]
    pay_casting(core, sheets, player, entry, slot_level, 0)
    casting["tried"] = 1
    core["counters_seen"][player] = min(np.int64(core["counters_seen"][player]) + 1, 255)
    if readied == 1:
        core["readied"][player] = 0
        if core["opener"] != player:
            core["opener"] = player  # step 2c: just ahead of the other from now on
    else:
        core["counter_used"][player] = 1
        if rules["counter_takes_immediate"] == 1:
            core["immediate_spent"][player] = 1
    spell = np.int64(sheets[player]["entry_spell"][entry])
    negated = (
        _dispels(core, rules, sheets, cup, player, spell, readied)
        if is_dispel(rules, spell)
        else (readied == 1 or _matches(core, rules, sheets, cup, player, entry, slot_level))
    )
    if not negated and (not is_dispel(rules, spell) or rules["penalty_after_failed_dispel"] == 1):
        casting["save_penalty"] = 2
    return negated
