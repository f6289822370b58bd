"""Two plain duelists with hand-made spells and effects, to try what bodies do without any spell of the book."""

from functools import lru_cache
from typing import Any

import numpy as np

from duel_env.rules.pathfinder.codes import CONDITION, CONDITIONS, FOR_ROUNDS, IN_ROUNDS, INT, MODIFIER
from duel_env.rules.pathfinder.ongoing import add_ongoing
from duel_env.rules.pathfinder.rules_record import book_record, write_condition_sets
from duel_env.rules.pathfinder.spells import default_spell_book
from duel_env.rules.pathfinder.state import CORE, CUP, NONE, RULES, SHEET
from duel_env.rules.pathfinder.totals import has, recompute

NO_VALUE = ("uses", "escalates_to", "reduced_percent", "at_zero", "repeat_rounds", "amount", "named_spell", "split_type")
"""Columns of an effect in which -1 says that there is none."""


@lru_cache(maxsize=1)
def _conditions() -> Any:
    """What the conditions of the book do."""
    rules = np.zeros(1, RULES)
    book_record(default_spell_book(), rules)
    return rules["conditions"][0].copy()


class Bout:
    """Level 5, all scores 10, 30 hit points, all other bonuses 0, for both. Spells and effects are made as they are asked for.

    Attributes:
        core, rules, sheets: what kernels take.
    """

    def __init__(self, **terms: int) -> None:
        self.records = np.zeros(1, CORE), np.zeros(1, RULES)
        self.core, self.rules = self.records[0][0], self.records[1][0]
        self.sheets = np.zeros(2, SHEET)
        for name, value in terms.items():
            self.rules[name] = value
        self.rules["conditions"] = _conditions()
        write_condition_sets(self.rules)
        self.rules["num_spells"] = 1
        for sheet in self.sheets:
            sheet["level"], sheet["scores"], sheet["hit_points"], sheet["casting_ability"] = 5, 10, 30, INT
        self.core["hit_points"], self.core["acted"], self.core["concentrates_on"] = 30, 1, NONE
        self.recompute()

    @property
    def world(self) -> tuple[Any, Any, Any]:
        """The first three arguments of most kernels."""
        return self.core, self.rules, self.sheets

    def recompute(self) -> None:
        for player in range(2):
            recompute(*self.world, player)

    # ---- the book -------------------------------------------------------------------------------------------------------------

    def spell(self, **fields: Any) -> int:
        """A new spell, of a duration in rounds unless the fields say something else."""
        number = int(self.rules["num_spells"])
        self.rules["num_spells"] = number + 1
        self._write(self.rules["spells"][number], {"duration": FOR_ROUNDS, **fields})
        return number

    def effect(self, kind: int, spell: int | None = None, **fields: Any) -> int:
        """A new effect, of a new spell unless one is given."""
        number = int(self.rules["num_effects"])
        self.rules["num_effects"] = number + 1
        row = self.rules["effects"][number]
        for name in NO_VALUE:
            row[name] = -1
        self._write(row, {"kind": kind, "spell": self.spell() if spell is None else spell, **fields})
        return number

    @staticmethod
    def _write(row: Any, fields: dict[str, Any]) -> None:
        for name, value in fields.items():
            row[name] = value

    def amount(self, **fields: int) -> int:
        """A new amount, the same at all caster levels; 0 but for what is given."""
        used = int(np.count_nonzero(self.rules["amounts"]["mul"][:, 0]))
        for row in self.rules["amounts"][used]:
            self._write(row, {"mul": 1, "div": 1, "cap": 2**31 - 1, **fields})
        return used

    # ---- in force -------------------------------------------------------------------------------------------------------------

    def source(self, effect: int, caster: int, casting: int = 1, **fields: int) -> None:
        """Make a casting of an effect's spell the source."""
        spell = int(self.rules["effects"][effect]["spell"])
        values = {"spell": spell, "casting": casting, "caster": caster, "caster_level": 5, **fields}
        self._write(self.core["source"], values)

    def put(
        self,
        player: int,
        effect: int,
        *,
        rounds: int = 10,
        value: int = 0,
        uses: int = 0,
        choice: int = 0,
        caster: int | None = None,
        casting: int = 1,
        until: int = IN_ROUNDS,
    ) -> int:
        """Put an effect in force on a player, cast by himself unless a caster is given; returns its row."""
        self.source(effect, player if caster is None else caster, casting)
        return int(add_ongoing(*self.world, player, effect, rounds, until, value, uses, choice))

    def condition(self, player: int, name: str, *, rounds: int = 10, **fields: Any) -> int:
        """Let the other player bring a condition on a player, by a spell of its own."""
        effect = self.effect(CONDITION, condition=CONDITIONS.index(name), **fields)
        return self.put(player, effect, rounds=rounds, caster=1 - player, casting=100 + effect)

    def modifier(self, player: int, stat: int, value: int, bonus_type: int = 0, *, uses: int = 0, **fields: Any) -> int:
        """Give a player a modifier, by a spell of its own."""
        limited = {"uses": 1} if uses else {}
        effect = self.effect(MODIFIER, stat=stat, bonus_type=bonus_type, **limited, **fields)
        return self.put(player, effect, value=value, uses=uses, casting=100 + effect)

    def has(self, player: int, name: str) -> bool:
        return bool(has(self.core, player, CONDITIONS.index(name)))

    def conditions(self, player: int) -> set[str]:
        return {name for name in CONDITIONS if self.has(player, name)}

    def rows(self, player: int) -> Any:
        """The effects in force on a player."""
        return self.core["ongoing"][player][: self.core["num_ongoing"][player]]

    # ---- dice -----------------------------------------------------------------------------------------------------------------

    def run(self, kernel: Any, *arguments: Any, dice: tuple[int, ...] = ()) -> Any:
        """Run a kernel that takes a cup, with these faces; all of them must be asked for, and no further one."""
        cup = np.zeros(1, CUP)
        cup["given"] = len(dice)
        cup["faces"][0, : len(dice)] = dice
        result = kernel(*self.world, cup[0], *arguments)
        assert cup["used"][0] == len(dice), f"{cup['used'][0]} dice were thrown, {len(dice)} were scripted"
        return result
