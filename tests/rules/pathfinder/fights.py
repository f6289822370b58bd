"""Whole spell duels: random ones in batches, and hand-made ones whose dice are scripted."""

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numba import config

from duel_env.batch import DuelBatch
from duel_env.duel import Duel
from duel_env.game import Game
from duel_env.rules.graph import PLAYER
from duel_env.rules.pathfinder import dice
from duel_env.rules.pathfinder.codes import AT_WILL, CONDITIONS, INT, KNOWN, PREPARED, WIZARD
from duel_env.rules.pathfinder.hindrances import has
from duel_env.rules.pathfinder.legality import is_legal
from duel_env.rules.pathfinder.options import PathfinderSetup
from duel_env.rules.pathfinder.play import play
from duel_env.rules.pathfinder.ruleset import PATHFINDER
from duel_env.rules.pathfinder.spells import SpellBook, default_spell_book
from duel_env.rules.pathfinder.state import CORE, CUP, NONE, SHEET, TURN
from duel_env.rules.pathfinder.terms import DuelTerms
from duel_env.rules.pathfinder.totals import recompute
from duel_env.rules.pathfinder.turns import begin

COMPILED = not config.DISABLE_JIT
MANY = 24 if COMPILED else 2
"""Duels of a random test."""
ANYBODY = "random:any:1-20" if COMPILED else "random:any:1-6"
LONGEST = 20_000
"""Decisions that no duel of the tests comes near."""


@lru_cache(maxsize=64)
def game(**terms: Any) -> Game:
    """The game of some terms."""
    return Game(PATHFINDER, DuelTerms(**terms))


@lru_cache(maxsize=16)
def setup(duelists: tuple[str, str] = (ANYBODY, ANYBODY), pool: int = MANY, pool_seed: int = 0) -> Any:
    """SETUP (1,); of random duelists `pool` are made for each player."""
    return game().setup(PathfinderSetup(duelists=duelists, pool=pool, pool_seed=pool_seed))


# ---- random play --------------------------------------------------------------------------------------------------------------


def random_game(**terms: Any) -> Game:
    """The game of some terms for random play; where kernels are not compiled its duels are short."""
    return game(**terms) if COMPILED else game(**{**terms, "max_rounds": 5})


def pick(rng: np.random.Generator, of: Game, mask: Any) -> Any:
    """A random legal action of each row, int64 (B,); 0 in rows that are over. Nobody withdraws, and turns are seldom cut off early."""
    weight = mask * rng.random(mask.shape)
    weight[:, of.action_number("withdraw")] = 0
    weight[:, of.action_number("end_turn")] *= 0.3
    return weight.argmax(axis=1)


def random_batch(of: Game, num_envs: int = MANY, seed: int = 0, with_setup: Any = None, **settings: Any) -> DuelBatch:
    """Duels of random duelists, begun."""
    batch = DuelBatch(
        of, num_envs, setup() if with_setup is None else with_setup, engine="kernel", autoreset="disabled", **settings
    )
    batch.reset(seed=seed)
    return batch


def play_out(batch: DuelBatch, rng: np.random.Generator) -> Iterator[Any]:
    """Play until all duels are over; yields the actions after each step, the view still that of the step."""
    for _ in range(LONGEST):
        if batch.is_over.all():
            return
        actions = pick(rng, batch.game, batch.action_mask)
        batch.step(actions)
        yield actions
    raise AssertionError("a duel does not end")


def decisions(seed: int, share: float = 1.0, num_envs: int = MANY, **terms: Any) -> Iterator[tuple[Game, Any, Any]]:
    """Game, CORE record (a copy) and SHEET (2,) at the decisions of random duels, or at a share of them."""
    of, rng = random_game(**terms), np.random.default_rng(seed)
    batch = random_batch(of, num_envs, seed)
    for _ in itertools.chain([None], play_out(batch, rng)):
        for row in np.flatnonzero(~batch.is_over):
            if rng.random() < share:
                yield of, batch.store.states[row : row + 1].copy()[0], batch.store.sheets[row].copy()


def view(of: Game, core: Any, sheets: Any, player: int) -> tuple[Any, Any]:
    """What a player sees, float32 (D,), and may do, int8 (A,)."""
    from duel_env.rules.pathfinder.legality import write_action_mask
    from duel_env.rules.pathfinder.observation import state_size, write_core_features, write_sheets_features

    observation, mask = np.zeros(of.observation_size, np.float32), np.zeros(of.num_actions, np.int8)
    size = int(state_size(of.rules[0]))
    write_core_features(core, of.rules[0], sheets, player, observation[:size])
    write_sheets_features(of.rules[0], sheets, player, observation[size:])
    if core["node"] == PLAYER and core["current_player"] == player:
        write_action_mask(core, of.rules[0], sheets, mask)
    return observation, mask


def means(core: Any, player: int) -> dict[tuple[str, int], int]:
    """What a player has left to cast with."""
    found = {("slot", level): int(count) for level, count in enumerate(core["slots"][player])}
    found |= {("copy", entry): int(count) for entry, count in enumerate(core["copies"][player])}
    return found | {("staff", 0): int(core["staff_charges"][player]), ("object", 0): 1 - int(core["bonded_used"][player])}


def used_up(before: dict[tuple[str, int], int], after: dict[tuple[str, int], int]) -> dict[tuple[str, int], int]:
    """What two results of `means` differ by."""
    return {key: before[key] - after[key] for key in before if before[key] != after[key]}


def body(core: Any, player: int) -> dict[str, Any]:
    """Everything that a spell can do to a duelist."""
    names = ("hit_points", "nonlethal", "temp_hp", "ability_damage", "ability_drain", "fate", "conditions", "negative_levels")
    return {name: np.copy(core[name][player]).tolist() for name in (*names, "num_ongoing")} | {
        "ongoing": core["ongoing"][player].tobytes(),
        "touch": int(core["touch_charges"][player]),
    }


def assert_same(batch: DuelBatch, row: int, duel: Duel) -> None:
    """A row of a batch and a duel with open dice are at the same decision, or at the same end."""
    assert duel.die is None, "a die is due that was not thrown"
    assert duel.state["now"][0].tobytes() == batch.store.states[row].tobytes()
    assert duel.is_over == batch.is_over[row]
    player = max(duel.current_player, 0)
    np.testing.assert_array_equal(duel.observation(player), batch.observation[row])
    np.testing.assert_array_equal(duel.action_mask(), batch.action_mask[row])
    if duel.is_over:
        assert duel.returns() == tuple(batch.rewards[row])
        assert duel.is_truncated == batch.truncated[row]


# ---- hand-made duels ----------------------------------------------------------------------------------------------------------

PURPOSES = {
    getattr(dice, name): name[4:].lower()
    for name in dir(dice)
    if name.startswith("FOR_") and isinstance(getattr(dice, name), int)
}


@lru_cache(maxsize=1)
def book() -> SpellBook:
    return default_spell_book()


def make_sheet(spells: Sequence[str], level: int = 9, slots: Sequence[int] = (), **fields: Any) -> Any:
    """SHEET record of a wizard with hit points 60, Intelligence 30 and all other scores 10, no skills and feats, save bonuses of 0.

    Args:
        spells: such as "fireball", "quickened shield", "fireball 5" (in a slot of level 5), each three times; cantrips at will.
        level: of the class.
        slots: if given, spells are known and use these slots, of level 1, 2, ...
        fields: of SHEET.
    """
    record = np.zeros(1, SHEET)
    sheet = record[0]
    sheet["class_id"], sheet["level"], sheet["casting_ability"], sheet["arcane"] = WIZARD, level, INT, 1
    sheet["scores"], sheet["hit_points"] = (10, 10, 10, 30, 10, 10), 60
    sheet["num_entries"] = len(spells)
    sheet["slots"][1 : 1 + len(slots)] = slots
    sheet["spontaneous"] = bool(slots)
    for entry, text in enumerate(spells):
        words = text.split()
        quickened = words[0] == "quickened"
        name = words[1] if quickened else words[0]
        own = max(book().by_id[name].levels.values())
        slot = int(words[-1]) if words[-1].isdigit() else own + 4 * quickened
        sheet["entry_spell"][entry] = book().number(name)
        sheet["entry_level"][entry] = own
        sheet["entry_slot"][entry] = slot
        sheet["entry_kind"][entry] = AT_WILL if own == 0 else KNOWN if slots else PREPARED
        sheet["entry_copies"][entry] = 3 if own and not slots else 0
        sheet["entry_quickened"][entry] = quickened
    for name, value in fields.items():
        sheet[name] = value
    return record[0]


class Fight:
    """A duel between two hand-made duelists, player 0 first unless the terms' opening decides. Dice are named by what they are for.

    Attributes:
        game, core, rules, sheets: what kernels take.
        faces: the dice of the last step, as (purpose, face).
    """

    def __init__(self, first: Any, second: Any, *, start: int = 0, dice: dict[str, Any] | None = None, **terms: Any) -> None:
        self.game = game(**terms)
        self.rules = self.game.rules[0]
        self.sheets = np.array([first, second], SHEET)
        self.records = np.zeros(1, CORE)
        self.faces: list[tuple[str, int]] = []
        self._run(lambda core, cup: begin(core, self.rules, self.sheets, cup, start), dice or {})

    @property
    def core(self) -> Any:
        return self.records[0]

    def _run(self, step: Any, script: dict[str, Any]) -> None:
        """Carry out a step. Dice that are not scripted show their least face; scripted ones must all be thrown."""
        faces: list[int] = []
        named: list[str] = []
        left = {name: list(given) if isinstance(given, Sequence) else [given] for name, given in script.items()}
        for _ in range(dice.MAX_FACES):
            after, cup = self.records.copy(), np.zeros(1, CUP)
            cup["given"], cup["faces"][0, : len(faces)] = len(faces), faces
            step(after[0], cup[0])
            if cup["dry"][0] == 0:
                break
            name = PURPOSES[int(cup["due_purpose"][0])]
            named.append(name)
            faces.append(left[name].pop(0) if left.get(name) else int(cup["due_count"][0]))
        assert not any(left.values()), f"dice that were not thrown: {left}; thrown: {named}"
        self.records, self.faces = after, list(zip(named, faces, strict=True))

    def can(self, name: str) -> bool:
        """Whether the player who is to choose may take an action."""
        return bool(is_legal(self.core, self.rules, self.sheets, self.game.action_number(name)))

    def act(self, name: str, **script: Any) -> "Fight":
        """Take a legal action, with faces for dice by their purpose, such as `spellcraft=20` or `will=[1, 20]`."""
        assert self.can(name), f"{name} is not legal; legal: {self.legal()}"
        action = self.game.action_number(name)
        self._run(lambda core, cup: play(core, self.rules, self.sheets, cup, action), script)
        return self

    def end_turn(self, **script: Any) -> "Fight":
        """End the turn."""
        return self.act("end_turn", **script)

    def pass_turns(self, count: int) -> "Fight":
        """End this many turns."""
        for _ in range(count):
            self.end_turn()
        return self

    def legal(self) -> list[str]:
        """Ids of the legal actions."""
        mask = view(self.game, self.core, self.sheets, int(self.core["current_player"]))[1]
        return [self.game.actions[number].id for number in np.flatnonzero(mask)]

    def sees(self, player: int, feature: str) -> float:
        """One feature of what a player sees."""
        names = [row.name for row in self.game.layout]
        return float(view(self.game, self.core, self.sheets, player)[0][names.index(feature)])

    def has(self, player: int, condition: str) -> bool:
        return bool(has(self.core, player, CONDITIONS.index(condition)))

    def afflict(self, player: int, condition: str) -> None:
        """A duelist has a condition until something brings what follows from his effects up to date."""
        self.core["conditions"][player] |= np.uint64(1 << CONDITIONS.index(condition))

    def put(self, **fields: Any) -> "Fight":
        """Put values into the core, and work out what follows from them."""
        for name, value in fields.items():
            self.core[name] = value
        for player in range(2):
            recompute(self.core, self.rules, self.sheets, player)
        return self

    @property
    def turn_of(self) -> int:
        """Whose turn it is; -1 when somebody is to decide something else, or the duel is over."""
        return int(self.core["current_player"]) if self.core["node"] == PLAYER and self.core["phase"] == TURN else NONE

    @property
    def answers(self) -> int:
        """Who is to answer a casting; -1: nobody."""
        waits = self.core["node"] == PLAYER and self.core["phase"] > TURN and self.core["current_player"] != self.core["active"]
        return int(self.core["current_player"]) if waits else NONE

    def lost(self, player: int) -> int:
        """Hit points lost."""
        return int(self.sheets[player]["hit_points"] - self.core["hit_points"][player])

    def spells_on(self, player: int) -> set[str]:
        """Ids of the spells in force on a duelist."""
        rows = self.core["ongoing"][player][: self.core["num_ongoing"][player]]
        return {book().spells[number].id for number in rows["spell"]}


SPELLS = ("shield", "mage_armor", "fireball", "haste", "dispel_magic", "quickened mage_armor", "quickened true_strike", "jolt")


def fight(first: Any = SPELLS, second: Any = SPELLS, **settings: Any) -> Fight:
    """A duel between two duelists, each given by spells or by a sheet."""
    sheets = [make_sheet(one) if isinstance(one, tuple) else one for one in (first, second)]
    return Fight(*sheets, **settings)


def quiet(first: Any = SPELLS, **settings: Any) -> Fight:
    """As `fight`; the second can do nothing about castings."""
    return fight(first, (), **settings)
