"""Effects as rows of the record that the kernels read: what each field of the data becomes."""

from collections.abc import Sequence
from typing import Any, Final

from duel_env.config import shown
from duel_env.errors import ConfigError
from duel_env.rules.pathfinder import codes
from duel_env.rules.pathfinder.amount_form import Amount
from duel_env.rules.pathfinder.expressions import Expression
from duel_env.rules.pathfinder.fields import Rounds
from duel_env.rules.pathfinder.spells import Spell
from duel_env.rules.pathfinder.state import MAX_AMOUNTS, MAX_BRANCHES, MAX_EFFECTS, MAX_LEVEL, NO_CAP

NUM_NAMED: Final = 5
"""Spells that one spell immunity can name: a row for each."""

_MINUS_ONE: Final = (
    *(
        "amount",
        "rounds",
        "uses",
        "hits",
        "split_type",
        "repeat_rounds",
        "repeat_amount",
        "condition",
        "escape_dc",
        "escalates_to",
    ),
    *("rounds_on_critical", "at_zero", "reduced_percent", "named_spell", "max_dispelled", "exit_dc", "action", "sense", "stat"),
)
"""Fields of an effect whose "none" is -1."""
_NEVER_CRITICAL: Final = 21
_GRANTED_ROUNDS: Final = 600
"""Of the temporary hit points that damage gives (vampiric touch): the kernels know this length only."""


class EffectWriter:
    """Writes effects one spell after the other; amounts that occur twice are kept once."""

    def __init__(self, record: Any, numbers: dict[str, int]) -> None:
        self._effects, self._branches, self._amounts = record["effects"], record["branches"], record["amounts"]
        self._spell_numbers = numbers
        self._amount_numbers: dict[tuple[Amount, ...], int] = {}
        self.used_effects = 0
        self._used_branches = 0
        self.spell: Spell
        self.number = 0

    def refuse(self, field: str, value: Any, accepted: str) -> ConfigError:
        """The error for a value that the kernels do not know."""
        return ConfigError(
            f"spell {self.spell.id}: {field} = {shown(value)}: the duel's rules do not know this; accepted: {accepted}"
        )

    # ---- amounts ----------------------------------------------------------------------------------------------------------------

    def amount(self, expression: Expression | int | None, field: str) -> int:
        """The number of an amount, -1 for none."""
        if expression is None:
            return -1
        expression = Expression.of(expression)
        if "SL" in expression.variables or "TCL" in expression.variables:
            raise self.refuse(field, str(expression), "amounts that depend on CL, MOD and BAB only")
        forms = tuple(expression.normal_form(level) for level in range(1, MAX_LEVEL + 1))
        return self._table((forms[0], *forms), field)  # who has lost all levels casts as at level 1

    def _table(self, forms: tuple[Amount, ...], field: str) -> int:
        if forms not in self._amount_numbers:
            number = len(self._amount_numbers)
            if number >= MAX_AMOUNTS:
                raise self.refuse(field, "a further amount", f"{MAX_AMOUNTS} different amounts in all spells")
            self._amount_numbers[forms] = number
            for level, form in enumerate(forms):
                row = self._amounts[number, level]
                for name in Amount._fields:
                    value = getattr(form, name)
                    row[name] = min(value, NO_CAP) if name == "cap" else value
        return self._amount_numbers[forms]

    def _constant(self, expression: Expression | None, field: str) -> int:
        """A number that depends on nothing; 0 for none."""
        if expression is None:
            return 0
        if expression.variables or not expression.normal_form(1).is_number:
            raise self.refuse(field, str(expression), "a plain number")
        return expression.value({})

    # ---- lists and branches -----------------------------------------------------------------------------------------------------

    def write(self, effects: Sequence[Any], field: str, *, in_zone: bool = False, in_band: bool = False) -> tuple[int, int]:
        """Write a list of effects; returns number of the first, and how many rows there are."""
        rows = [(effect, k) for effect in effects for k in range(_rows_of(effect))]
        first = self.used_effects
        self.used_effects += len(rows)
        if self.used_effects > MAX_EFFECTS:
            raise self.refuse(field, "a further effect", f"{MAX_EFFECTS} effects in all spells")
        for offset, (effect, k) in enumerate(rows):
            row = self._effects[first + offset]
            for name in _MINUS_ONE:
                row[name] = -1
            row["critical_from"] = _NEVER_CRITICAL
            row["kind"] = codes.EFFECT_KINDS.index(effect.kind)
            row["spell"] = self.number
            row["to_self"] = effect.to == "self"
            row["on_save"] = codes.ON_SAVE.index(effect.on_save or "always")
            where = f"{field}.{effect.kind}"
            getattr(self, f"_{effect.kind}")(row, effect, where)
            if effect.kind == "spell_ward":
                row["named_index"] = k
            if effect.kind == "auto_attack" and in_zone:
                row["rounds_kind"] = codes.AT_ONCE  # strikes once, whenever the area acts
        for offset, (effect, _) in enumerate(rows):
            before = rows[offset - 1][0] if offset else None
            row = self._effects[first + offset]
            if in_band and before is not None:
                self._outlasting(row, before, effect, field)
            damaged = any(other.kind == "damage" for other, _ in rows[:offset])
            if effect.kind == "condition" and damaged:
                # What comes with the damage of an area (sirocco) or lasts as long as its wounds (frostbite) needs damage that got through.
                row["needs_damage"] = effect.escalates is not None or effect.rounds.kind == "until_healed"
        return first, len(rows)

    def _outlasting(self, row: Any, before: Any, effect: Any, field: str) -> None:
        """Conditions of a band whose durations begin with the same dice throw them once (color spray)."""
        if before.kind != "condition" or effect.kind != "condition":
            return
        if before.rounds.kind != "amount" or effect.rounds.kind != "amount":
            return
        shorter = [before.rounds.amount.normal_form(level) for level in range(1, MAX_LEVEL + 1)]
        longer = [effect.rounds.amount.normal_form(level) for level in range(1, MAX_LEVEL + 1)]
        if not all(_begins_with(long, short) for long, short in zip(longer, shorter, strict=True)):
            return
        rest = [
            Amount(n1=long.n1 - short.n1, f1=long.f1 if long.n1 > short.n1 else 0, constant=long.constant - short.constant)
            for long, short in zip(longer, shorter, strict=True)
        ]
        row["outlasts"] = 1
        row["rounds"] = self._table((rest[0], *rest), f"{field}.rounds")

    def _branch(self, row: Any, lists: Sequence[tuple[Sequence[Any], int]], field: str, **inside: bool) -> None:
        """Give an effect its branches: lists of effects, each with a limit; a count of -1 for None."""
        first = self._used_branches
        self._used_branches += len(lists)
        if self._used_branches > MAX_BRANCHES:
            raise self.refuse(field, "a further branch", f"{MAX_BRANCHES} branches in all spells")
        row["first_branch"], row["num_branches"] = first, len(lists)
        for k, (effects, limit) in enumerate(lists):
            branch = self._branches[first + k]
            branch["limit"] = limit
            branch["first"], branch["count"] = self.write(effects, field, **inside)

    def _rounds(self, row: Any, rounds: Rounds | None, field: str) -> None:
        if rounds is None:
            row["rounds_kind"] = codes.AT_ONCE
            return
        row["rounds_kind"] = codes.ROUNDS.index(rounds.kind)
        row["rounds"] = self.amount(rounds.amount, field)

    def _condition_number(self, name: str, field: str) -> int:
        if name not in codes.CONDITIONS:
            raise self.refuse(field, name, ", ".join(codes.CONDITIONS))
        return codes.CONDITIONS.index(name)

    def _dc(self, dc: Any, field: str) -> int:
        return -1 if dc == "spell_dc" else self.amount(dc, field)

    # ---- kinds ------------------------------------------------------------------------------------------------------------------

    def _damage(self, row: Any, effect: Any, field: str) -> None:
        row["amount"] = self.amount(effect.amount, f"{field}.amount")
        if effect.type == "split":
            shares = [part.share for part in effect.split]
            if shares != [0.5, 0.5]:
                raise self.refuse(f"{field}.split", shares, "two halves")
            row["damage_type"], row["split_type"] = (codes.DAMAGE_TYPES.index(part.type) for part in effect.split)
        else:
            row["damage_type"] = codes.DAMAGE_TYPES.index(effect.type)
        row["hits"] = self.amount(effect.hits, f"{field}.hits")
        for name in ("separate_saves", "nonlethal", "kill_at_zero", "on_miss", "returns_at_end"):
            row[name] = getattr(effect, name)
        if (effect.min_hp_left or 0) > 100:
            raise self.refuse(f"{field}.min_hp_left", effect.min_hp_left, "100 at most")
        row["min_hp_left"] = effect.min_hp_left or 0
        row["save_penalty_on_hit"] = effect.save_penalty_on_hit or 0
        if effect.gain_temp_hp is not None:
            rounds = effect.gain_temp_hp.rounds
            if rounds.kind != "amount" or self._constant(rounds.amount, f"{field}.gain_temp_hp.rounds") != _GRANTED_ROUNDS:
                raise self.refuse(f"{field}.gain_temp_hp.rounds", str(rounds), str(_GRANTED_ROUNDS))
            row["gains_temp_hp"] = 1
        row["delayed"] = effect.delay is not None
        row["extra_save"] = codes.SAVES.index(effect.extra_save or "none")
        row["rounds_kind"] = codes.LIKE_SPELL if effect.returns_at_end else codes.AT_ONCE
        self._repeat(row, effect, field)

    def _repeat(self, row: Any, effect: Any, field: str) -> None:
        repeat = effect.repeat
        if repeat is None:
            return
        row["repeat_amount"] = self.amount(effect.amount if repeat.amount is None else repeat.amount, f"{field}.repeat.amount")
        if repeat.rounds.kind == "until_free":
            row["repeat_until_free"] = 1
            row["rounds_kind"] = codes.UNTIL_FREE
        elif repeat.rounds.kind == "amount":
            row["repeat_rounds"] = self.amount(repeat.rounds.amount, f"{field}.repeat.rounds")
        else:
            raise self.refuse(f"{field}.repeat.rounds", str(repeat.rounds), "a number of rounds, or until_free")
        row["repeat_on_casters_turn"] = repeat.start == "next_caster_turn"
        row["repeat_save"] = codes.SAVES.index(repeat.save)
        row["repeat_save_ends"] = repeat.save_ends

    def _heal(self, row: Any, effect: Any, field: str) -> None:
        row["amount"] = self.amount(effect.amount, f"{field}.amount")

    def _temp_hp(self, row: Any, effect: Any, field: str) -> None:
        row["amount"] = self.amount(effect.amount, f"{field}.amount")
        row["rounds_kind"] = codes.LIKE_SPELL

    def _condition(self, row: Any, effect: Any, field: str) -> None:
        row["condition"] = self._condition_number(effect.condition, f"{field}.condition")
        self._rounds(row, effect.rounds, f"{field}.rounds")
        row["amount"] = self.amount(effect.damage, f"{field}.damage")
        row["ends_on"] = sum(1 << codes.ENDS_ON.index(name) for name in effect.ends_on)
        row["hp_set"], row["sets_hp"] = effect.hp_set or 0, effect.hp_set is not None
        if effect.escalates is not None:
            row["escalates_to"] = self._condition_number(effect.escalates, f"{field}.escalates")
        if effect.on_crit_rounds is not None:
            if effect.on_crit_rounds.kind != "amount":
                raise self.refuse(f"{field}.on_crit_rounds", str(effect.on_crit_rounds), "a number of rounds")
            row["rounds_on_critical"] = self._constant(effect.on_crit_rounds.amount, f"{field}.on_crit_rounds")
        if effect.resave is not None:
            resave = effect.resave
            once = resave.when == "start_of_turn" and not resave.each_turn
            row["resave"] = codes.RESAVE_TIMES.index("next_turn_only" if once else resave.when)
            if resave.action not in ("none", "full_round"):
                raise self.refuse(f"{field}.resave.action", resave.action, "none, full_round")
            row["resave_costs_turn"] = resave.action == "full_round"
            row["resave_bonus"] = resave.bonus
        if effect.escape is not None:
            row["escape"] = codes.ESCAPES.index(effect.escape.check)
            row["escape_dc"] = self._dc(effect.escape.dc, f"{field}.escape.dc")
            row["escape_cost"] = codes.COSTS.index(effect.escape.action)
        if effect.on_early_recovery:
            self._branch(row, [(effect.on_early_recovery, 0)], f"{field}.on_early_recovery")

    def _remove(self, row: Any, effect: Any, field: str) -> None:
        bits = 0
        for name in effect.conditions:
            if name == "zone":
                row["removes_zones"] = 1
            elif name == "cursed":
                row["removes_curses"] = 1
            elif name == "ability_damage":
                row["removes_ability_damage"] = 1
            elif name == "poisoned":
                row["removes_poison"] = 1
            elif name != "diseased":  # no spell of a duel gives a disease
                bits |= 1 << self._condition_number(name, f"{field}.conditions")
        row["conditions"] = bits
        row["check"] = codes.REMOVE_CHECKS.index(effect.check)
        row["save_bonus"] = effect.save_bonus
        row["suppresses"] = effect.suppress_only
        row["ends_turn"] = effect.ends_turn
        row["rounds_kind"] = codes.LIKE_SPELL if effect.suppress_only else codes.AT_ONCE

    def _modifier(self, row: Any, effect: Any, field: str) -> None:
        # `pool` and `bypass` belong to damage reduction, which never applies to spells: nothing in a duel asks for them.
        row["stat"] = codes.STATS.index(effect.stat)
        row["bonus_type"] = codes.BONUS_TYPES.index(effect.bonus_type)
        row["amount"] = self.amount(effect.value, f"{field}.value")
        row["versus"] = codes.VERSUS.index(effect.vs or "")
        row["uses"] = self.amount(effect.uses, f"{field}.uses")
        row["grants_save"] = effect.grants_save
        self._rounds(row, effect.rounds, f"{field}.rounds")

    def _ability(self, row: Any, effect: Any, field: str) -> None:
        if "choice" not in effect.ability:
            row["abilities"] = sum(1 << codes.ABILITIES.index(name) for name in effect.ability)
        row["mode"] = codes.ABILITY_MODES.index(effect.mode)
        row["amount"] = self.amount(effect.amount, f"{field}.amount")
        row["min_score"] = effect.min_score or 0
        if effect.at_zero is not None:
            row["at_zero"] = self._condition_number(effect.at_zero, f"{field}.at_zero")
        self._rounds(row, effect.rounds, f"{field}.rounds")
        self._repeat(row, effect, field)

    def _negative_levels(self, row: Any, effect: Any, field: str) -> None:
        row["amount"] = self.amount(effect.amount, f"{field}.amount")
        self._rounds(row, effect.rounds, f"{field}.rounds")

    def _miss_chance(self, row: Any, effect: Any, field: str) -> None:
        row["percent"] = effect.percent
        row["against"] = codes.MISS_AGAINST.index(effect.vs)
        row["pierced_by"] = sum(1 << codes.PIERCED_BY.index(name) for name in effect.pierced_by)
        for reduced in effect.reduced_by:
            if reduced.sense != "see_invisible":
                raise self.refuse(f"{field}.reduced_by.sense", reduced.sense, "see_invisible")
            row["reduced_percent"] = reduced.percent
        self._rounds(row, effect.rounds, f"{field}.rounds")

    def _images(self, row: Any, effect: Any, field: str) -> None:
        row["amount"] = self.amount(effect.count, f"{field}.count")
        self._rounds(row, effect.rounds, f"{field}.rounds")

    def _energy_ward(self, row: Any, effect: Any, field: str) -> None:
        row["mode"] = codes.ENERGY_MODES.index(effect.mode)
        special = {"all": codes.ALL_ENERGIES, "choice": codes.CHOSEN_ENERGY}
        row["energy"] = special[effect.energy] if effect.energy in special else codes.ENERGIES.index(effect.energy)
        row["amount"] = self.amount(effect.amount, f"{field}.amount")
        row["evasion"] = effect.evasion_on_save
        self._rounds(row, effect.rounds, f"{field}.rounds")

    def _spell_ward(self, row: Any, effect: Any, field: str) -> None:
        row["mode"] = codes.WARD_MODES.index(effect.mode)
        row["spell_resistance"] = effect.needs_sr
        if effect.mode == "named":
            if len(effect.spells) != 1:
                raise self.refuse(f"{field}.spells", ", ".join(effect.spells), "one spell")
            row["named_spell"] = self._spell_numbers[effect.spells[0]]
        elif effect.mode == "named_choice":
            row["amount"] = self.amount(effect.count, f"{field}.count")
            row["max_spell_level"] = self._constant(effect.value, f"{field}.value")
        else:
            row["amount"] = self.amount(effect.value, f"{field}.value")
        self._rounds(row, effect.rounds, f"{field}.rounds")

    def _immunity(self, row: Any, effect: Any, field: str) -> None:
        bits, conditions = 0, 0
        for name in effect.immune_to:
            if name in codes.IMMUNITIES:
                bits |= 1 << codes.IMMUNITIES.index(name)
            else:
                conditions |= 1 << self._condition_number(name, f"{field}.immune_to")
        row["immune"], row["conditions"] = bits, conditions
        row["versus"] = codes.VERSUS.index(effect.vs or "")
        self._rounds(row, effect.rounds, f"{field}.rounds")

    def _dispel(self, row: Any, effect: Any, field: str) -> None:
        row["mode"] = codes.DISPEL_MODES.index(effect.mode)
        row["sure"] = effect.check == "auto"
        row["max_dispelled"] = -1 if effect.max == "all" else self.amount(effect.max, f"{field}.max")
        if effect.max == "all" and effect.check != "auto":
            raise self.refuse(f"{field}.max", "all", "a number, where a check is made")
        row["counter_bonus"] = effect.counter_bonus

    def _sense(self, row: Any, effect: Any, field: str) -> None:
        row["sense"] = codes.SENSES.index(effect.sense)
        row["uses"] = self.amount(effect.uses, f"{field}.uses")
        self._rounds(row, effect.rounds, f"{field}.rounds")

    def _zone(self, row: Any, effect: Any, field: str) -> None:
        row["on_own_side"] = effect.on == "self"
        row["exit_moves"] = effect.exit_moves
        row["blocks_sight"] = effect.blocks_sight
        row["concealment"] = effect.concealment or 0
        if effect.on_exit_check is not None:
            row["exit_check"] = codes.EXIT_CHECKS.index(effect.on_exit_check.check)
            row["exit_dc"] = self._dc(effect.on_exit_check.dc, f"{field}.on_exit_check.dc")
        strikes = any(inner.kind == "auto_attack" for inner in effect.each_turn)
        # A save in the head of the spell that none of its effects asks for is the one against being in the area at first.
        saved_for = any(other.on_save in ("none", "half", "only") for other in self.spell.effects)
        first_save = self.spell.save != "none" and not saved_for
        row["immediate"] = bool(effect.each_turn) and (effect.immediate or strikes or first_save)
        row["burnt_by_fire"] = effect.burned_by == "fire"
        if effect.burned_by not in (None, "fire"):
            raise self.refuse(f"{field}.burned_by", effect.burned_by, "fire")
        row["dispersible"] = bool(effect.dispersed_by)
        self._rounds(row, effect.rounds, f"{field}.rounds")
        if effect.each_turn:
            self._branch(row, [(effect.each_turn, 0)], f"{field}.each_turn", in_zone=True)

    def _action(self, row: Any, effect: Any, field: str) -> None:
        if effect.action_id not in codes.GRANTED_ACTIONS:
            raise self.refuse(f"{field}.action_id", effect.action_id, ", ".join(codes.GRANTED_ACTIONS))
        row["action"] = codes.GRANTED_ACTIONS.index(effect.action_id)
        row["cost"] = codes.COSTS.index(effect.cost)
        row["uses"] = self.amount(effect.uses, f"{field}.uses")
        row["first_use"] = codes.FIRST_USES.index(effect.first)
        if effect.first_cost not in (None, "free") or (effect.first_cost == "free") != (effect.first == "on_completion"):
            raise self.refuse(f"{field}.first_cost", effect.first_cost, 'free, with first = "on_completion"')
        row["first_is_free"] = effect.first_cost == "free"
        row["attack"] = codes.ATTACKS.index(effect.attack)
        row["save"] = codes.SAVES.index(effect.save)
        row["spell_resistance"] = effect.spell_resistance
        row["rounds_kind"] = codes.LIKE_SPELL
        self._branch(row, [(effect.effects, 0)], f"{field}.effects")

    def _auto_attack(self, row: Any, effect: Any, field: str) -> None:
        row["amount"] = self.amount(effect.bonus, f"{field}.bonus")
        row["bonus_if_grappling"] = effect.bonus_if_grappling
        row["against_cmd"] = effect.vs == "cmd"
        if effect.crit is not None:
            if effect.crit.multiplier != 2:
                raise self.refuse(f"{field}.crit.multiplier", effect.crit.multiplier, "2")
            row["critical_from"] = effect.crit.threat
        row["iterative"] = effect.iterative
        self._rounds(row, effect.rounds, f"{field}.rounds")
        self._branch(row, [(effect.effects, 0)], f"{field}.effects")

    def _retaliate(self, row: Any, effect: Any, field: str) -> None:
        row["spell_resistance"] = effect.spell_resistance
        self._rounds(row, effect.rounds, f"{field}.rounds")
        self._branch(row, [(effect.effects, 0)], f"{field}.effects")

    def _reroll(self, row: Any, effect: Any, field: str) -> None:
        row["uses"] = self.amount(effect.rolls, f"{field}.rolls")
        if effect.negate is not None and (effect.negate.action, effect.negate.per_use) != ("move", 1):
            raise self.refuse(f"{field}.negate", effect.negate.action, "action move, per_use 1")
        self._rounds(row, effect.rounds, f"{field}.rounds")

    def _extra_turns(self, row: Any, effect: Any, field: str) -> None:
        row["amount"] = self.amount(effect.turns, f"{field}.turns")
        if effect.restriction != "cannot_affect_opponent":
            raise self.refuse(f"{field}.restriction", effect.restriction, "cannot_affect_opponent")

    def _touch_delivery(self, row: Any, effect: Any, field: str) -> None:
        row["max_spell_level"] = effect.max_spell_level
        row["attack_bonus"] = effect.attack_bonus
        self._rounds(row, effect.rounds, f"{field}.rounds")

    def _choice(self, row: Any, effect: Any, field: str) -> None:
        self._branch(row, [(option.effects, 0) for option in effect.options], f"{field}.options")

    def _band(self, row: Any, effect: Any, field: str) -> None:
        row["mode"] = effect.by == "target_hp"
        lists = [(band.effects, NO_CAP if band.max is None else band.max) for band in effect.bands]
        self._branch(row, lists, f"{field}.bands", in_band=True)

    def _second_save(self, row: Any, effect: Any, field: str) -> None:
        row["save"] = codes.SAVES.index(effect.save)
        self._branch(row, [(effect.fail, 0), (effect.success, 0)], field)

    def _stages(self, row: Any, effect: Any, field: str) -> None:
        row["save"] = codes.SAVES.index(effect.save)
        row["uses"] = self.amount(effect.turns, f"{field}.turns")
        row["rounds_kind"] = codes.LIKE_SPELL
        self._branch(row, [(step, 0) for step in effect.steps], f"{field}.steps")

    def _random(self, row: Any, effect: Any, field: str) -> None:
        table = sorted(effect.table, key=lambda entry: entry.face)
        twice = [entry.face for entry in table if entry.roll_twice]
        if twice not in ([], [effect.die]):
            raise self.refuse(f"{field}.table", twice, "roll_twice at the last face only")
        self._branch(row, [(entry.effects, 0) for entry in table], f"{field}.table")
        if twice:
            self._branches[row["first_branch"] + len(table) - 1]["count"] = -1


def _rows_of(effect: Any) -> int:
    """Rows that an effect takes: one, but one for each spell that can be named."""
    return NUM_NAMED if effect.kind == "spell_ward" and effect.mode == "named_choice" else 1


def _begins_with(longer: Amount, shorter: Amount) -> bool:
    plain = all(form.mul == form.div == 1 and form.mod == form.bab == form.n2 == 0 for form in (longer, shorter))
    capped = longer.cap < NO_CAP or shorter.cap < NO_CAP
    same = shorter.n1 > 0 and shorter.f1 == longer.f1 and longer.n1 >= shorter.n1 and longer.constant >= shorter.constant
    return plain and not capped and same
