"""The spell book as the record that the kernels read: `book_record`.

Some flags are no columns of the data but follow from it: what fire burns, what a curse is, which saves are used; see also `effect_record`.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from duel_env.config import shown
from duel_env.errors import ConfigError
from duel_env.rules.pathfinder import codes
from duel_env.rules.pathfinder.conditions import Condition
from duel_env.rules.pathfinder.effect_record import EffectWriter
from duel_env.rules.pathfinder.effects import walk
from duel_env.rules.pathfinder.spells import Spell, SpellBook
from duel_env.rules.pathfinder.state import (
    CHOOSE_ABILITY,
    CHOOSE_EFFECT,
    CHOOSE_ENERGY,
    CHOOSE_OPTION,
    CHOOSE_SPELLS,
    CHOOSE_TARGET,
    CONDITION_FLAGS,
    MAX_SPELLS,
)

NEAR_FEET: Final = 30
"""Spells that reach so far or less cost the approach (ruleset's README, "Space and distance")."""

_ALWAYS_HOLD: Final = ("in_combat", "caster_knows_name")
"""Situations of a save modifier that every duel is in; the two are of one creature type, so that one never holds."""

_NO_ACTIONS: Final = ("none", "mental_only", "escape_only", "controlled")
_NO_CASTING: Final = ("no", "controlled")
_NO_HOSTILE: Final = ("no_hostile", "no_hostile_vs_caster")


def book_record(book: SpellBook, rules: NDArray[np.void]) -> None:
    """Write a spell book into a RULES record: spells, effects, branches, amounts, conditions.

    Args:
        book: spells are numbered in its order.
        rules: RULES (1,); the fields of the terms are left as they are.

    Raises:
        ConfigError: a value that the kernels do not know, or too much of something; names the spell and the field.

    Mutates:
        rules.
    """
    record = rules[0]
    if len(book.spells) > MAX_SPELLS:
        raise ConfigError(f"{len(book.spells)} spells; at most {MAX_SPELLS} fit")
    for name in ("spells", "effects", "branches", "amounts", "conditions"):
        record[name] = np.zeros((), record[name].dtype)
    numbers = {spell.id: number for number, spell in enumerate(book.spells)}
    record["num_spells"] = len(book.spells)
    for name in ("dispel_magic", "greater_dispel_magic", "magic_missile"):
        record[name] = numbers.get(name, -1)
    writer = EffectWriter(record, numbers)
    dispersing = {name for spell in book.spells for effect in _all_effects(spell) for name in getattr(effect, "dispersed_by", ())}
    cursing = _curses(book)
    for number, spell in enumerate(book.spells):
        row = record["spells"][number]
        _write_header(row, spell, numbers, writer)
        row["disperses_mist"] = spell.id in dispersing
        row["curse"] = spell.id in cursing
        writer.spell, writer.number = spell, number
        row["first_effect"], row["num_effects"] = writer.write(spell.effects, "effects")
    record["num_effects"] = writer.used_effects
    _write_conditions(record["conditions"], book)
    write_condition_sets(record)


def _all_effects(spell: Spell) -> Iterator[Any]:
    for _, effect in walk(spell):
        yield effect


def _curses(book: SpellBook) -> set[str]:
    """Spells that what removes curses ends: said so, or countered by a spell that removes curses."""
    cursing = {spell.id for spell in book.spells if spell.curse}
    for spell in book.spells:
        if any(effect.kind == "remove" and "cursed" in effect.conditions for effect in _all_effects(spell)):
            cursing.update(spell.counters)
    return cursing


def _write_header(row: Any, spell: Spell, numbers: dict[str, int], writer: EffectWriter) -> None:
    writer.spell = spell
    row["level"] = [spell.levels.get(name, -1) for name in codes.CLASSES]
    row["school"] = codes.SCHOOLS.index(spell.school)
    row["descriptors"] = sum(1 << codes.DESCRIPTORS.index(name) for name in spell.descriptors)
    row["casting_time"] = codes.CASTING_TIMES.index(spell.casting_time)
    row["verbal"] = "V" in spell.components
    row["needs_approach"] = spell.range == "touch" or (spell.range == "feet" and (spell.range_ft or 0) <= NEAR_FEET)
    row["touch"] = spell.range == "touch"
    row["target"] = codes.TARGETS.index(spell.target)
    row["duel_target"] = codes.DUEL_TARGETS.index(spell.duel_target)
    row["may_target_self"] = spell.duel_target_alt == "self"
    if spell.duel_target_alt == "opponent":
        raise writer.refuse("duel_target_alt", "opponent", "self, of spells whose duel_target is opponent")
    row["hostile"] = spell.duel_target != "self"
    row["attack"] = codes.ATTACKS.index(spell.attack)
    row["attack_count"] = writer.amount(spell.attack_count, "attack_count")
    row["touch_charges"] = writer.amount(spell.touch_charges, "touch_charges")
    row["save"] = codes.SAVES.index(spell.save)
    row["save_used"] = any(
        effect.on_save in ("none", "half", "only") and not getattr(effect, "separate_saves", False) for effect in spell.effects
    )
    row["save_bonus"] = sum(modifier.value for modifier in spell.save_modifiers if modifier.when in _ALWAYS_HOLD)
    row["arcane_save_penalty"] = -sum(
        modifier.value for modifier in spell.save_modifiers if modifier.when == "target_arcane_caster"
    )
    row["beneficial"] = spell.beneficial
    row["spell_resistance"] = spell.spell_resistance
    row["duration"] = codes.DURATIONS.index(spell.duration.type)
    row["rounds"] = writer.amount(spell.duration.rounds, "duration.rounds")
    row["discharge"] = spell.duration.discharge
    row["dismissible"] = spell.duration.dismissible
    row["dispellable"] = spell.dispellable
    for name in ("max_hd", "max_hp", "min_int"):
        value = getattr(spell.limits, name)
        row[name] = -1 if value is None else value
    # Every duelist is a living, breathing humanoid of flesh who shares a language with the other.
    row["needs_hearing"] = spell.limits.hears or spell.limits.language
    row["needs_plants"] = spell.limits.arena == "plants"
    row["counters"] = -1
    if len(spell.counters) > len(row["counters"]):
        raise writer.refuse("counters", ", ".join(spell.counters), f"{len(row['counters'])} spells at most")
    for k, name in enumerate(spell.counters):
        row["counters"][k] = numbers[name]
    _write_choices(row, spell, writer)


def _write_choices(row: Any, spell: Spell, writer: EffectWriter) -> None:
    """Which decisions the spell asks of its caster, and what fire does."""
    choices: list[int] = []
    energies = 0
    effects = list(_all_effects(spell))
    for effect in effects:
        if effect.kind == "choice":
            choices.append(CHOOSE_OPTION)
            row["num_options"] = len(effect.options)
        elif effect.kind == "damage" and effect.type == "choice":
            choices.append(CHOOSE_ENERGY)
            energies |= sum(1 << codes.ENERGIES.index(name) for name in effect.choices)
        elif effect.kind == "energy_ward" and effect.energy == "choice":
            choices.append(CHOOSE_ENERGY)
            energies |= (1 << len(codes.ENERGIES)) - 1
        elif effect.kind == "ability" and "choice" in effect.ability:
            choices.append(CHOOSE_ABILITY)
        elif effect.kind == "spell_ward" and effect.mode == "named_choice":
            choices.append(CHOOSE_SPELLS)
        elif effect.kind == "dispel" and effect.mode == "targeted_one":
            choices.append(CHOOSE_EFFECT)
    if spell.duel_target_alt == "self":
        choices.insert(0, CHOOSE_TARGET)
    if len(set(choices)) != len(choices):
        raise writer.refuse(
            "effects", spell.id, "one option, energy, ability, named spells and spell to dispel in each spell at most"
        )
    if len(choices) > len(row["choices"]):
        raise writer.refuse("effects", spell.id, f"{len(row['choices'])} decisions inside a spell at most")
    row["num_choices"] = len(choices)
    row["choices"][: len(choices)] = choices
    row["energies"] = energies
    if "fire" in spell.descriptors:  # 2: only if fire was chosen
        row["fire"] = 2 if CHOOSE_ENERGY in choices else 1


def write_condition_sets(record: Any) -> None:
    """Write `condition_sets` of a RULES record from its `conditions`."""
    for name in CONDITION_FLAGS:
        bits = sum(1 << number for number, flag in enumerate(record["conditions"][name]) if flag == 1)
        record["condition_sets"][name] = np.uint64(bits)


def _write_conditions(rows: Any, book: SpellBook) -> None:
    known = set(codes.CONDITIONS)
    given = {condition.id for condition in book.conditions}
    if known != given:
        wrong = min(known ^ given)
        problem = "missing" if wrong in known else "unknown"
        raise ConfigError(f"conditions: {shown(wrong)} is {problem}; accepted: exactly {', '.join(codes.CONDITIONS)}")
    for number, name in enumerate(codes.CONDITIONS):
        condition = book.condition_by_id[name]
        _write_condition(rows[number], book.condition_by_id[condition.same_as] if condition.same_as else condition)


def _write_condition(row: Any, condition: Condition) -> None:
    actions, cast = condition.actions, condition.cast
    row["no_actions"] = actions in _NO_ACTIONS
    row["one_action"] = actions == "single"
    row["only_moves"] = actions == "move_only"
    row["no_moves"] = actions == "no_move"
    row["no_casting"] = cast in _NO_CASTING
    row["no_hostile"] = cast in _NO_HOSTILE
    row["no_verbal"] = cast == "no_verbal"
    row["no_targeting"] = cast == "no_targeted"
    row["verbal_failure"] = 20 if cast == "verbal_fail_20" else 0
    row["concentration"] = _concentration(condition)
    row["no_counter"] = condition.counter is False
    row["no_identifying"] = not condition.identify
    row["helpless"] = condition.helpless
    row["untargetable"] = condition.untargetable
    row["loses_dex"] = condition.lose_dex
    row["ends_duel"] = 2 if condition.ends_duel == "if_permanent" else int(condition.ends_duel)
    for field, name in (
        ("attack", "attack"),
        ("ac", "ac"),
        ("ac_ranged", "ac_vs_ranged"),
        ("ac_melee", "ac_vs_melee"),
        ("saves", "save_all"),
        ("reflex", "save_ref"),
        ("skills", "skill_all"),
        ("ability_checks", "ability_checks"),
        ("strength", "str"),
        ("dexterity", "dex"),
        ("own_miss_chance", "own_miss_chance"),
        ("miss_chance", "miss_chance_vs_me"),
    ):
        row[field] = getattr(condition, name)
    for name, value in (("str_set", 0), ("dex_set", 0), ("int_set", 1), ("cha_set", 1)):
        if getattr(condition, name) not in (None, value):
            raise ConfigError(f"condition {condition.id}: {name} = {getattr(condition, name)}; accepted: {value}, or nothing")
    row["sets_strength"] = condition.str_set is not None
    row["sets_mind"] = condition.int_set is not None
    row["immune_sonic"] = "sonic" in condition.immune


def _concentration(condition: Condition) -> int:
    """DC of casting without the spell's level: -1 none, -2 by the grip of who holds."""
    expression = condition.concentration_dc
    if expression is None:
        return -1
    if "CMB" in expression.variables:
        low = expression.value({"CMB": 0, "SL": 0})
        if low != 10:
            raise ConfigError(f"condition {condition.id}: concentration_dc = {expression}; accepted: 10+CMB+SL, or a number + SL")
        return -2
    return expression.value({"SL": 0})
