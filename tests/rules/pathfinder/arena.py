"""Two plain duelists and a cup of scripted dice, to try single spells on."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from duel_env.rules.pathfinder.apply import resolve_spell
from duel_env.rules.pathfinder.codes import CONDITIONS, WIZARD
from duel_env.rules.pathfinder.periodic import end_of_turn, hostile_act, leave_zone_step, start_of_turn, try_escape, use_granted
from duel_env.rules.pathfinder.rules_record import book_record
from duel_env.rules.pathfinder.spells import SpellBook, default_spell_book
from duel_env.rules.pathfinder.state import CORE, CUP, MAX_FACES, NONE, RULES, SHEET
from duel_env.rules.pathfinder.totals import has, recompute


@lru_cache(maxsize=1)
def book() -> SpellBook:
    return default_spell_book()


@lru_cache(maxsize=1)
def _rules() -> Any:
    rules = np.zeros(1, RULES)
    rules["max_rounds"] = 50
    book_record(book(), rules)
    return rules


class Arena:
    """Duelist 0 casts at caster level `level`, duelist 1 has level 9; all abilities are 10, all other bonuses 0, spell DC 15.

    A save is made with a face of 15 or more, a touch attack hits with 10 or more.
    """

    def __init__(self, level: int = 9, **terms: int) -> None:
        self.rules = _rules().copy()
        for name, value in terms.items():
            self.rules[name] = value
        self.sheets = np.zeros(2, SHEET)
        self.sheets["class_id"] = WIZARD
        self.sheets["level"] = (level, 9)
        self.sheets["scores"] = 10
        self.sheets["hit_points"] = 60
        self.sheets["casting_ability"] = 3
        self.cores = np.zeros(1, CORE)
        core = self.core
        core["hit_points"] = 60
        core["acted"] = 1
        core["winner"] = NONE
        for name in ("stare", "touch_spell", "concentrates_on"):
            core[name] = NONE
        core["one_round_spell"]["spell"] = NONE
        core["casting"]["spell"] = NONE
        self.level = level
        self.castings = 0
        self.recompute()

    def recompute(self) -> None:
        for player in range(2):
            recompute(self.core, self.rules[0], self.sheets, player)

    @property
    def core(self) -> Any:
        return self.cores[0]

    def cup(self, faces: Sequence[int]) -> Any:
        cup = np.zeros(1, CUP)
        cup["given"] = len(faces)
        cup["faces"][0, : len(faces)] = faces
        return cup

    def _run(self, faces: Sequence[int], kernel: Any, *arguments: Any) -> Any:
        """Run a kernel with these dice; every one of them must be used, and no further one asked for."""
        assert len(faces) <= MAX_FACES
        cup = self.cup(faces)
        result = kernel(self.core, self.rules[0], self.sheets, cup[0], *arguments)
        assert cup["used"][0] == len(faces), f"{cup['used'][0]} dice were asked for, {len(faces)} scripted"
        assert cup["dry"][0] == 0
        self.check()
        return result

    def cast(self, spell: str, faces: Sequence[int] = (), by: int = 0, at_self: bool = False, **source: Any) -> bool:
        """A spell takes effect; returns whether it did something."""
        number = book().number(spell)
        record = self.rules[0]["spells"][number]
        self.castings += 1
        values = {
            "spell": number,
            "casting": self.castings,
            "caster": by,
            "caster_level": self.level if by == 0 else 9,
            "slot_level": max(record["level"]),
            "dc": 15,
            "pick": NONE,
            "named": NONE,
        }
        for name, value in (values | source).items():
            self.core["source"][name] = value
        hostile = record["hostile"] == 1 and not at_self
        took = bool(self._run(faces, resolve_spell, 1 - by if hostile else by))
        self.clear_source()
        return took

    def clear_source(self) -> None:
        self.cores["source"] = np.zeros((), self.cores["source"].dtype)

    def start_turn(self, player: int, faces: Sequence[int] = ()) -> None:
        self.core["turn_lost"] = 0
        self._run(faces, start_of_turn, player)

    def end_turn(self, player: int, faces: Sequence[int] = ()) -> None:
        self._run(faces, end_of_turn, player)

    def escape(self, player: int, condition: str, faces: Sequence[int]) -> bool:
        return bool(self._run(faces, try_escape, player, self.row_of(player, condition)))

    def leave(self, player: int, faces: Sequence[int] = ()) -> bool:
        return bool(self._run(faces, leave_zone_step, player))

    def use(self, player: int, index: int, faces: Sequence[int] = ()) -> None:
        self._run(faces, use_granted, player, index)

    def hostile(self, player: int) -> None:
        hostile_act(self.core, self.rules[0], self.sheets, player)

    def has(self, player: int, condition: str) -> bool:
        return bool(has(self.core, player, CONDITIONS.index(condition)))

    def conditions(self, player: int) -> set[str]:
        return {name for name in CONDITIONS if self.has(player, name)}

    def rows(self, player: int) -> list[Any]:
        return [self.core["ongoing"][player, i] for i in range(self.core["num_ongoing"][player])]

    def row_of(self, player: int, condition: str) -> int:
        number = CONDITIONS.index(condition)
        return next(
            i for i, row in enumerate(self.rows(player)) if self.rules[0]["effects"][row["effect"]]["condition"] == number
        )

    def rounds(self, player: int, condition: str) -> int:
        return int(self.rows(player)[self.row_of(player, condition)]["rounds"])

    def lost(self, player: int) -> int:
        """Hit points that a duelist has lost."""
        return int(60 - self.core["hit_points"][player])

    def check(self) -> None:
        """Laws of every state between effects."""
        core = self.core
        for player in range(2):
            count = int(core["num_ongoing"][player])
            assert 0 <= count <= core["ongoing"].shape[1]
            assert not core["ongoing"][player, count:].tobytes().strip(b"\0"), "rows that are not in use are 0"
            assert not core["ongoing"]["due"][player].any()
            assert core["temp_hp"][player] >= 0
            assert core["nonlethal"][player] >= 0
            assert core["hit_points"][player] <= self.sheets[player]["hit_points"] + max(0, core["con_hp"][player])
            rows = core["ongoing"][player, :count]
            assert (rows["rounds"] > 0).all()
            assert (rows["caster"] >> 1 == 0).all()
            assert (self.rules[0]["effects"]["spell"][rows["effect"]] == rows["spell"]).all()
        assert not core["aside"].tobytes().strip(b"\0")
        for name in ("save", "rounds", "rolled", "dealt", "critical"):
            assert core["source"][name] == 0
