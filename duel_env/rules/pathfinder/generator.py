"""Random legal duelists from a seed, and the text forms that name a duelist."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar, get_args

import numpy as np

from duel_env.config import load, shown
from duel_env.errors import ConfigError
from duel_env.rules.pathfinder.classes import MAX_LEVEL, ClassRules, default_classes
from duel_env.rules.pathfinder.codes import ABILITIES, CLASSES, SCHOOLS
from duel_env.rules.pathfinder.duelist import QUICKEN_LEVELS, Alignment, Duelist, Plan, find_duelist
from duel_env.rules.pathfinder.sheet_rules import (
    LEVELS_PER_INCREASE,
    POINTS,
    RACIAL_BONUS,
    SCORE_COSTS,
    check_legal,
    item_bonuses,
)
from duel_env.rules.pathfinder.sheet_spells import (
    OPPOSED,
    QUICKENABLE,
    STAFF_CASTER_LEVEL,
    STAFF_DEAR_CHARGES,
    STAFF_DEAR_LEVEL,
    STAFF_LEVEL,
    alignment_parts,
    known_due,
)
from duel_env.rules.pathfinder.spells import Spell, SpellBook, default_spell_book

_T = TypeVar("_T")
_Pool = list[tuple[Spell, int]]

SCHOOLS_OF_PLAN: Final[dict[Plan, tuple[str, ...]]] = {
    "blaster": ("evocation", "conjuration"),
    "controller": ("conjuration", "enchantment", "transmutation"),
    "counter": ("abjuration", "divination"),
    "healer": ("conjuration", "abjuration"),
    "debuffer": ("necromancy", "enchantment"),
    "trickster": ("illusion", "enchantment"),
}
"""Schools that a plan favours."""
DEFENCE_OF_PLAN: Final[dict[Plan, int]] = {
    "blaster": 25,
    "controller": 30,
    "counter": 50,
    "healer": 55,
    "debuffer": 30,
    "trickster": 40,
}
"""Share of spells in percent that protect or help their caster."""
HEALERS: Final = ("cleric", "druid", "bard", "witch")
PLAIN_WEIGHT, FAVOURED_WEIGHT, POOR_WEIGHT = 12, 36, 1
POOR_SPELLS: Final = ("antimagic_field", "entangle", "stoneskin", "remove_curse", "remove_blindness_deafness", "remove_fear")
"""Spells that do little in most duels: rarely drawn."""
_BOOSTS: Final = {"eagles_splendor": "cha", "foxs_cunning": "int", "owls_wisdom": "wis"}
_SPEC: Final = re.compile(r"random:([a-z]+):(\d{1,2})(?:-(\d{1,2}))?")


class _Draws:
    """Draws from raw 64-bit words of PCG64: NumPy promises these, unlike its distributions, to stay the same in every release."""

    def __init__(self, *seed: int) -> None:
        self._words = np.random.PCG64(np.random.SeedSequence(list(seed)))

    def below(self, number: int) -> int:
        """An integer from 0 to number - 1."""
        return int(self._words.random_raw()) % number

    def chance(self, percent: int) -> bool:
        """Whether something of this probability happens."""
        return self.below(100) < percent

    def one(self, choices: Sequence[_T]) -> _T:
        """One of the choices."""
        return choices[self.below(len(choices))]

    def weighted(self, choices: Sequence[tuple[_T, int]]) -> _T:
        """One of the choices, each as likely as its weight, an integer of at least 1."""
        left = self.below(sum(weight for _, weight in choices))
        for choice, weight in choices:
            if left < weight:
                return choice
            left -= weight
        raise AssertionError("weights are positive")

    def some(self, choices: Sequence[tuple[_T, int]], number: int) -> list[_T]:
        """Different ones of the choices, at most `number` of them."""
        rest = list(choices)
        drawn: list[_T] = []
        while rest and len(drawn) < number:
            choice = self.weighted(rest)
            drawn.append(choice)
            rest = [entry for entry in rest if entry[0] is not choice]
        return drawn


def random_duelist(class_id: str, level: int, seed: int, book: SpellBook | None = None) -> Duelist:
    """A legal duelist of a class and level, the same for the same seed on every machine.

    Args:
        class_id: a class, or `any`.
        level: 1..20.
        seed: 0 or more.
        book: the spells of the game; none: the default ones. Other spells give other duelists.

    Raises:
        ConfigError: no such class or level, or a negative seed.
    """
    if class_id != "any" and class_id not in CLASSES:
        raise ConfigError(f"{shown(class_id)} is no class; there are: any, {', '.join(CLASSES)}")
    if not 1 <= level <= MAX_LEVEL:
        raise ConfigError(f"level {shown(level)} is not from 1 to {MAX_LEVEL}")
    if seed < 0:
        raise ConfigError(f"seed {shown(seed)} is negative")
    book = book or default_spell_book()
    draws = _Draws(seed, len(CLASSES) if class_id == "any" else CLASSES.index(class_id), level)
    chosen = draws.one(CLASSES) if class_id == "any" else class_id
    duelist = load(Duelist, _Maker(draws, default_classes().class_of(chosen), level, book).values(seed), "random duelist")
    check_legal(duelist, book, f"random:{chosen}:{level} with seed {seed}")
    return duelist


class _Maker:
    """Makes the choices of one duelist, in an order that later choices can build on."""

    def __init__(self, draws: _Draws, rules: ClassRules, level: int, book: SpellBook) -> None:
        self.draws, self.rules, self.level, self.book = draws, rules, level, book
        plans = [plan for plan in get_args(Plan) if plan != "healer" or rules.id in HEALERS]
        self.plan: Plan = draws.one(plans)
        self.highest = rules.highest_spell_level(level)
        self.opposition: tuple[str, ...] = ()

    def values(self, seed: int) -> dict[str, Any]:
        """The values of a `Duelist`."""
        draws, rules, level = self.draws, self.rules, self.level
        scores = self._scores()
        self.usable = min(self.highest, scores[ABILITIES.index(rules.casting_ability)] - 10)
        human = draws.chance(50)
        alignments = [a for a in get_args(Alignment) if not (rules.neutral and all(alignment_parts(a)))]
        self.alignment = draws.one(alignments)
        values: dict[str, Any] = {
            "en": f"{rules.en} {level} of seed {seed}"[:60],
            "fr": f"{rules.fr} {level} de graine {seed}"[:60],
            "plan": self.plan,
            "class": rules.id,
            "level": level,
            "human": human,
            "size": "small" if not human and draws.chance(30) else "medium",
            "alignment": self.alignment,
            "scores": dict(
                zip(("strength", "dexterity", "constitution", "intelligence", "wisdom", "charisma"), scores, strict=True)
            ),
            "ranks": self._ranks(level * (max(1, rules.skill_ranks + (scores[3] - 10) // 2) + human)),
        }
        values |= self._extras()
        self.feats = values["feats"] = self._feats((level + 1) // 2 + human)
        self.pools = {i: self._pool(i) for i in range(self.usable + 1)}
        cantrips = rules.cantrips[level - 1] if rules.casting == "prepared" else known_due(rules, level, 0, self.book)
        values["cantrips"] = [spell.id for spell in draws.some(self.pools[0], cantrips)]
        if rules.casting == "prepared":
            values["prepared"] = self._prepared(values, scores)
        else:
            values["known"] = self._known()
        if values.get("bonded_object"):
            taken = {entry["spell"] for entry in values["prepared"]}
            rest = [entry for i in range(1, self.usable + 1) for entry in self.pools[i] if entry[0].id not in taken]
            values["spellbook"] = [spell.id for spell in draws.some(rest, level // 2)]
        if level >= STAFF_LEVEL and draws.chance(30):
            values["staff"] = self._staff()
        return values

    def _scores(self) -> list[int]:
        """Points, race, levels and items, mostly for the casting ability, Dexterity and Constitution."""
        draws, casting = self.draws, ABILITIES.index(self.rules.casting_ability)
        scores = [10] * 6
        scores[casting] = draws.one((15, 16, 16, 17, 17, 18))
        weak = draws.one([i for i in (0, 3, 4, 5) if i != casting])
        scores[weak] = draws.one((7, 8, 9, 10))
        wishes = [(i, weight) for i, weight in enumerate((1, 5, 5, 2, 3, 1)) if i not in (casting, weak)]
        left = POINTS - sum(SCORE_COSTS[score] for score in scores)
        while left >= 1:
            i = draws.weighted(wishes)
            cost = SCORE_COSTS.get(scores[i] + 1, 99) - SCORE_COSTS[scores[i]]
            if cost <= left:
                scores[i] += 1
                left -= cost
            elif all(SCORE_COSTS.get(scores[j] + 1, 99) - SCORE_COSTS[scores[j]] > left for j, _ in wishes):
                break
        scores[casting if draws.chance(80) else draws.one((1, 2))] += RACIAL_BONUS
        for _ in range(self.level // LEVELS_PER_INCREASE):
            scores[casting if draws.chance(85) else draws.one((1, 2, 4))] += 1
        mental, physical = item_bonuses(self.level)
        scores[casting] += mental
        scores[draws.one((1, 2))] += physical
        return scores

    def _ranks(self, points: int) -> dict[str, int]:
        draws, ranks = self.draws, {}
        order: list[tuple[str, int]] = [
            (skill, 4 if skill in self.rules.class_skills else 1) for skill in ("bluff", "intimidate", "sense_motive")
        ]
        for skill in ["spellcraft", *draws.some(order, 3)]:
            most = min(self.level, points)
            ranks[skill] = most if draws.chance(85 if skill == "spellcraft" else 50) else draws.below(most + 1)
            points -= ranks[skill]
        return ranks

    def _extras(self) -> dict[str, Any]:
        """School, domains, familiar or bonded object."""
        draws, rules = self.draws, self.rules
        extras: dict[str, Any] = {}
        if rules.school_slots and draws.chance(75):
            favoured = SCHOOLS_OF_PLAN[self.plan]
            school = draws.one(favoured)
            rest = [(other, 1 if other in favoured else 6) for other in SCHOOLS if other not in (school, "abjuration")]
            self.opposition = tuple(draws.some(rest, 2))
            extras |= {"school": school, "opposition": list(self.opposition)}
        if rules.domains:
            choices = rules.domain_choices or tuple(domain.id for domain in default_classes().domains)
            extras["domains"] = draws.some([(name, 1) for name in choices], rules.domains)
        if rules.converts and "neutral" in (self.alignment, self.alignment.split("_")[-1]):
            extras["converts_to"] = draws.one(("cure", "inflict"))
        kind = draws.one(default_classes().familiars).id
        if "object" in rules.bonds and draws.chance(40):
            extras["bonded_object"] = True
        elif "familiar" in rules.bonds:
            extras["familiar"] = kind
        return extras

    def _feats(self, number: int) -> list[str]:
        draws, plan = self.draws, self.plan
        weights = {
            "improved_initiative": 8,
            "toughness": 5,
            "iron_will": 4,
            "great_fortitude": 4,
            "lightning_reflexes": 4,
            "spell_penetration": 2,
            "combat_casting": 1,
            "improved_counterspell": 6 if plan == "counter" else 1,
            "quicken_spell": 8 if self.highest > QUICKEN_LEVELS else 0,
        } | {f"spell_focus({school})": 5 if plan != "healer" else 1 for school in SCHOOLS_OF_PLAN[plan]}
        feats: list[str] = []
        if self.rules.bonus_feats_at(self.level) and self.highest > QUICKEN_LEVELS:
            feats.append("quicken_spell")
            number += 1
        while len(feats) < number:
            feat = draws.weighted([(name, weight) for name, weight in weights.items() if weight and name not in feats])
            feats.append(feat)
            if feat.startswith(("spell_focus", "spell_penetration")):
                weights[f"greater_{feat}"] = 5
        return feats

    def _pool(self, level: int) -> _Pool:
        """The spells of a level for the class, with weights; none of an opposition school."""
        opposed = [OPPOSED[part] for part in alignment_parts(self.alignment) if part] if self.rules.aligned_spells else []
        return [
            (spell, self._weight(spell))
            for spell in self.book.spells
            if spell.levels.get(self.rules.id) == level
            and spell.school not in self.opposition
            and not set(opposed) & set(spell.descriptors)
        ]

    def _weight(self, spell: Spell) -> int:
        max_hd = spell.limits.max_hd
        if spell.id in POOR_SPELLS or (max_hd is not None and self.level > max_hd):
            return POOR_WEIGHT
        if _BOOSTS.get(spell.id, self.rules.casting_ability) != self.rules.casting_ability:
            return POOR_WEIGHT
        favoured = spell.school in SCHOOLS_OF_PLAN[self.plan]
        if self.plan == "healer":
            favoured = spell.id in ("heal", "breath_of_life") or spell.id.startswith("cure_")
        if self.plan == "counter":
            favoured = favoured or _is_dispel(spell)
        return FAVOURED_WEIGHT if favoured else PLAIN_WEIGHT

    def _draw_spell(self, pool: _Pool, taken: Counter[str], before: Sequence[Spell] = ()) -> Spell:
        """One spell: first whether it is to protect or to harm, then which; one that was taken before is less likely.

        The second spell of a level, with one `before` it, is of the other kind than the first: no list is all of one kind.
        """
        defence = self.draws.chance(DEFENCE_OF_PLAN[self.plan])
        if len(before) == 1:
            defence = not before[0].beneficial
        kind = [entry for entry in pool if entry[0].beneficial == defence] or pool
        return self.draws.weighted([(spell, max(1, weight // (1 + 2 * taken[spell.id]))) for spell, weight in kind])

    def _prepared(self, values: dict[str, Any], scores: Sequence[int]) -> list[dict[str, Any]]:
        draws, rules = self.draws, self.rules
        slots = rules.slots_at(self.level, scores[ABILITIES.index(rules.casting_ability)])
        lines: Counter[tuple[str, int, bool, bool]] = Counter()
        taken: Counter[str] = Counter()
        domains = [default_classes().domain(name) for name in values.get("domains", ())]
        for slot in range(1, self.highest + 1):
            if slot <= self.usable:
                own = [entry for entry in self.pools[slot] if entry[0].school == values.get("school")]
                if own:
                    lines[(draws.weighted(own).id, slot, False, False)] += 1
                of_domains = [domain.spells[slot - 1] for domain in domains if self._fits(domain.spells[slot - 1])]
                if of_domains:
                    lines[(draws.one(of_domains), slot, False, True)] += 1
            of_level: list[Spell] = []
            for _ in range(slots[slot]):
                quick = [
                    entry
                    for entry in self.pools.get(slot - QUICKEN_LEVELS, [])
                    if slot > QUICKEN_LEVELS and entry[0].casting_time in QUICKENABLE
                ]
                if quick and "quicken_spell" in self.feats and draws.chance(25):
                    lines[(self._draw_spell(quick, taken).id, slot, True, False)] += 1
                    continue
                level = min(slot, self.usable)
                if level > 1 and (not self.pools[level] or (len(self.pools[level]) < 3 and draws.chance(40))):
                    level -= 1
                if not self.pools[level]:
                    continue  # the slot stays empty
                spell = self._draw_spell(self.pools[level], taken, of_level)
                of_level.append(spell)
                taken[spell.id] += 1
                lines[(spell.id, slot, False, False)] += 1
        return [
            {"spell": spell, "slot": slot, "count": count, "quickened": quickened, "domain": domain}
            for (spell, slot, quickened, domain), count in lines.items()
        ]

    def _fits(self, name: str) -> bool:
        """Whether a domain has a spell here that the duelist's alignment allows."""
        if not name or name not in self.book.by_id:
            return False
        opposed = {OPPOSED[part] for part in alignment_parts(self.alignment) if part}
        return not opposed & set(self.book.by_id[name].descriptors)

    def _known(self) -> list[str]:
        """As many different ones as the class knows of each level."""
        known: list[str] = []
        for level in range(1, self.highest + 1):
            taken: list[Spell] = []
            for _ in range(known_due(self.rules, self.level, level, self.book)):
                rest = [entry for entry in self.pools.get(level, []) if all(entry[0] is not spell for spell in taken)]
                taken.append(self._draw_spell(rest, Counter(), taken))
            known += [spell.id for spell in taken]
        return known

    def _staff(self) -> dict[str, Any]:
        draws = self.draws
        caster_level = STAFF_CASTER_LEVEL + draws.below(self.level - STAFF_CASTER_LEVEL + 1)
        highest = min(self.rules.highest_spell_level(caster_level), self.usable)
        pool = [entry for i in range(1, highest + 1) for entry in self.pools[i]]
        spells = draws.some(pool, 2 + draws.below(3))
        return {
            "en": "Staff",
            "fr": "Bâton",
            "caster_level": caster_level,
            "charges": 3 + draws.below(8),
            "spells": [
                {
                    "spell": spell.id,
                    "charges": STAFF_DEAR_CHARGES if spell.levels[self.rules.id] >= STAFF_DEAR_LEVEL else 1,
                }
                for spell in spells
            ],
        }


def _is_dispel(spell: Spell) -> bool:
    return spell.id in ("dispel_magic", "greater_dispel_magic")


@dataclass(frozen=True)
class DuelistSpec:
    """Which duelist plays: a fixed one, or a random one of a class and range of levels, drawn anew for each seed."""

    text: str
    """As it was written."""
    class_id: str = ""
    """Of a random duelist: its class, or `any`; empty for a fixed one."""
    levels: tuple[int, int] = (0, 0)
    """Of a random duelist: lowest and highest level."""

    @property
    def is_random(self) -> bool:
        """Whether the seed decides."""
        return bool(self.class_id)

    def make(self, seed: int, book: SpellBook | None = None) -> Duelist:
        """The duelist; of a fixed one the seed is ignored.

        Raises:
            ConfigError: the file is not accepted, or the seed is negative.
        """
        if not self.is_random:
            return find_duelist(self.text, book)
        low, high = self.levels
        if seed < 0:
            raise ConfigError(f"seed {shown(seed)} is negative")
        level = low + (_Draws(seed).below(high - low + 1) if high > low else 0)
        return random_duelist(self.class_id, level, seed, book)


def duelist_spec(text: str) -> DuelistSpec:
    """What a text names: `evoker_7`, `sheets/mine.toml`, `random:wizard:7`, `random:any:7`, `random:any:3-12`.

    Raises:
        ConfigError: none of these forms, or no such class or level. A fixed duelist is looked up when it is made.
    """
    if not text.startswith("random:"):
        return DuelistSpec(text)
    match = _SPEC.fullmatch(text)
    if not match or match[1] not in ("any", *CLASSES):
        raise ConfigError(
            f"{shown(text)}: a random duelist is random:CLASS:LEVEL or random:CLASS:LOW-HIGH; classes: any, {', '.join(CLASSES)}"
        )
    low, high = int(match[2]), int(match[3] or match[2])
    if not 1 <= low <= high <= MAX_LEVEL:
        raise ConfigError(f"{shown(text)}: levels are from 1 to {MAX_LEVEL}, the lower one first")
    return DuelistSpec(text, match[1], (low, high))
