"""Every spell of the book, on random duelists with random spells in effect: laws that hold whatever the dice are."""

import numba
import numpy as np
import pytest

from duel_env.rules.pathfinder.codes import ACTION
from duel_env.rules.pathfinder.ongoing import tick
from duel_env.rules.pathfinder.periodic import end_of_turn, leave_zone_step, start_of_turn, try_escape, use_granted
from duel_env.rules.pathfinder.state import MAX_FACES, RUNNING
from tests.rules.pathfinder.arena import Arena, book

TRIALS = 5 if numba.config.DISABLE_JIT else 100
SPELLS = [spell.id for spell in book().spells]


class RandomArena(Arena):
    """An arena with random duelists, terms and dice, and a few random spells in effect already."""

    def __init__(self, generator):
        self.generator = generator
        terms = {
            name: int(generator.integers(2))
            for name in ("to_the_death", "safe_arena", "flat_footed_start", "opponent_is_evil_known")
        }
        super().__init__(level=int(generator.integers(1, 21)), **terms)
        self.sheets["level"][1] = generator.integers(1, 21)
        self.sheets["scores"] = generator.integers(3, 31, (2, 6))
        self.sheets["hit_points"] = generator.integers(1, 200, 2)
        self.sheets["base_attack"] = generator.integers(0, 16, 2)
        self.sheets["saves"] = generator.integers(0, 13, (2, 3))
        for name in ("evil", "arcane"):
            self.sheets[name] = generator.integers(0, 2, 2)
        self.core["hit_points"] = self.sheets["hit_points"]
        self.core["acted"] = generator.integers(0, 2, 2)
        self.recompute()

    def cup(self, faces):
        cup = super().cup(())
        cup["sampling"] = self.generator.random() < 0.9  # else a dry cup: every die shows its least face
        cup["position"] = self.generator.integers(1 << 62)
        return cup

    def _run(self, faces, kernel, *arguments):
        cup = self.cup(faces)
        result = kernel(self.core, self.rules[0], self.sheets, cup[0], *arguments)
        assert cup["used"][0] <= MAX_FACES
        self.clear_source()
        self.check()
        return result

    def cast_randomly(self, spell, by):
        number = book().number(spell)
        record = self.rules[0]["spells"][number]
        self.cast(
            spell,
            by=by,
            at_self=record["may_target_self"] == 1 and self.generator.random() < 0.5,
            caster_level=int(self.generator.integers(0, 21)),
            dc=int(self.generator.integers(10, 36)),
            save_penalty=2 * int(self.generator.integers(2)),
            option=int(self.generator.integers(3)),
            energy=int(self.generator.integers(5)),
            ability=int(self.generator.integers(6)),
            pick=int(self.generator.integers(-1, 3)),
            named=self.generator.integers(-1, len(SPELLS), 5),
        )

    def turn(self, player):
        tick(self.core, self.rules[0], self.sheets, player)
        self._run((), start_of_turn, player)
        if self.core["end"] == RUNNING:
            self._run((), leave_zone_step, player)
        for kernel, wanted in ((use_granted, "action"), (try_escape, "escape")):
            effects = [self.rules[0]["effects"][row["effect"]] for row in self.rows(player)]
            fit = [
                i
                for i, effect in enumerate(effects)
                if (effect["kind"] == ACTION if wanted == "action" else effect["escape"] > 0)
            ]
            if fit and self.core["end"] == RUNNING:
                self._run((), kernel, player, fit[0])
        if self.core["end"] == RUNNING:
            self._run((), end_of_turn, player)

    def check(self):
        super().check()
        for player in range(2):
            assert (
                -1_000
                < self.core["hit_points"][player]
                <= self.sheets[player]["hit_points"] + max(0, self.core["con_hp"][player])
            )
            assert self.core["ability_damage"][player].min() >= 0
            assert self.core["ability_drain"][player].min() >= 0
            assert self.core["last_continuous_damage"][player] >= 0
            assert self.core["negative_levels"][player] >= 0
        assert (self.core["end"] == RUNNING) <= (self.core["winner"] == -1)


@pytest.mark.parametrize("spell", SPELLS)
def test_laws_of_every_spell(spell):
    generator = np.random.default_rng(sum(map(ord, spell)))
    for _ in range(TRIALS):
        arena = RandomArena(generator)
        for other in generator.choice(SPELLS, 3):
            if arena.core["end"] == RUNNING:
                arena.cast_randomly(other, by=int(generator.integers(2)))
        if arena.core["end"] != RUNNING:
            continue
        arena.cast_randomly(spell, by=0)
        for player in (1, 0, 1):
            if arena.core["end"] == RUNNING:
                arena.turn(player)
