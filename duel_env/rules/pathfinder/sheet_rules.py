"""What a legal sheet is. Each rule has a name; a sheet that breaks one is refused with the field, the rule, and what is allowed.

Conventions of this game, where the published rules leave the choice to a table (they are in no text):

- ability scores: 20 points, +2 to one ability for the race, +1 for every four levels, and two items that raise abilities (one a mental
  ability, one a physical one) by the numbers of `ITEM_BONUS`;
- one staff at most, from level 9 on, of a caster level from 8 to the bearer's; 4th-level spells and higher cost two charges or more;
- a bonded wizard's book holds as many further spells as the wizard has levels.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Final

from duel_env.errors import ConfigError
from duel_env.rules.pathfinder.classes import ClassRules, ClassTable, Skill, default_classes
from duel_env.rules.pathfinder.duelist import Duelist
from duel_env.rules.pathfinder.sheet_spells import Problem, alignment_parts, spell_problems
from duel_env.rules.pathfinder.spells import SpellBook, default_spell_book

POINTS: Final = 20
"""Points that buy the scores a character begins with."""
SCORE_COSTS: Final = {7: -4, 8: -2, 9: -1, 10: 0, 11: 1, 12: 2, 13: 3, 14: 5, 15: 7, 16: 10, 17: 13, 18: 17}
"""Points for a score before race, levels and items."""
RACIAL_BONUS: Final = 2
LEVELS_PER_INCREASE: Final = 4
ITEM_BONUS: Final = ((13, 6, 4), (9, 4, 2), (5, 2, 0))
"""From which level on an item raises a mental ability by how much, and a physical one by how much."""
SPECIALIST_OPPOSITIONS: Final = 2
SKILLS: Final[tuple[Skill, ...]] = ("spellcraft", "bluff", "intimidate", "sense_motive")
FEATS_BEFORE: Final = {"greater_spell_focus": "spell_focus", "greater_spell_penetration": "spell_penetration"}


def check_legal(duelist: Duelist, book: SpellBook | None = None, where: str = "duelist") -> None:
    """Refuse a sheet that breaks a rule.

    Args:
        duelist: the sheet.
        book: the spells of the game; none: the default ones.
        where: what the sheet is, for the message, such as its file.

    Raises:
        ConfigError: names `where` and, of every rule that is broken, the field, the rule and what is allowed.
    """
    found = problems(duelist, book)
    if found:
        raise ConfigError(f"{where}: " + "; ".join(str(problem) for problem in found))


def problems(duelist: Duelist, book: SpellBook | None = None, table: ClassTable | None = None) -> list[Problem]:
    """Every rule that a sheet breaks; none of a legal sheet."""
    book = book or default_spell_book()
    table = table or default_classes()
    rules = table.class_of(duelist.class_id)
    return [
        *_scores(duelist),
        *_feats(duelist, rules),
        *_skills(duelist, rules),
        *_extras(duelist, rules, table),
        *spell_problems(duelist, rules, table, book),
    ]


# ---- abilities, feats, skills ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def cheapest_spread(scores: tuple[int, ...], level: int) -> int | None:
    """Fewest points that buy these scores at a level; none where no points do.

    Args:
        scores: str, dex, con, int, wis, cha, as they are in the duel.
        level: character level.
    """
    mental, physical = item_bonuses(level)
    best: int | None = None
    for race, mind, body in product((None, *range(6)), (None, 3, 4, 5), (None, 0, 1, 2)):
        bought = list(scores)
        if race is not None:
            bought[race] -= RACIAL_BONUS
        if mind is not None:
            bought[mind] -= mental
        if body is not None:
            bought[body] -= physical
        for _ in range(level // LEVELS_PER_INCREASE):
            highest = bought.index(max(bought))  # costs grow with the score: lowering the highest saves most
            bought[highest] -= bought[highest] > min(SCORE_COSTS)
        if all(score in SCORE_COSTS for score in bought):
            cost = sum(SCORE_COSTS[score] for score in bought)
            best = cost if best is None else min(best, cost)
    return best


def item_bonuses(level: int) -> tuple[int, int]:
    """By how much items may raise one mental and one physical ability at a level."""
    for at, mental, physical in ITEM_BONUS:
        if level >= at:
            return mental, physical
    return 0, 0


def _scores(duelist: Duelist) -> Iterator[Problem]:
    cost = cheapest_spread(duelist.scores.all(), duelist.level)
    mental, physical = item_bonuses(duelist.level)
    if cost is None or cost > POINTS:
        took = "cannot be bought" if cost is None else f"cost {cost} points"
        yield Problem(
            "scores",
            "ability scores",
            f"{duelist.scores.all()} {took}; at level {duelist.level} they are {POINTS} points for scores from 7 to 18, "
            f"+{RACIAL_BONUS} to one ability, {duelist.level // LEVELS_PER_INCREASE} increases of 1, "
            f"and items of +{mental} to a mental and +{physical} to a physical ability",
        )


def feats_allowed(duelist: Duelist, rules: ClassRules) -> tuple[int, int]:
    """How many feats a duelist may choose freely, and how many more out of the class's bonus feats."""
    return (duelist.level + 1) // 2 + duelist.human, rules.bonus_feats_at(duelist.level)


def _feats(duelist: Duelist, rules: ClassRules) -> Iterator[Problem]:
    free, bonus = feats_allowed(duelist, rules)
    of_class = min(bonus, sum(feat in rules.bonus_feats for feat in duelist.feats))
    if len(duelist.feats) > free + of_class:
        yield Problem(
            "feats",
            "number of feats",
            f"{len(duelist.feats)} feats, but a {rules.id} of level {duelist.level} has {free}"
            + (f", and {bonus} more out of {', '.join(rules.bonus_feats)}" if bonus else ""),
        )
    for feat in duelist.feats:
        name, parenthesis, school = feat.partition("(")
        before = FEATS_BEFORE.get(name)
        if before and before + parenthesis + school not in duelist.feats:
            yield Problem("feats", "prerequisite of a feat", f"{feat} needs {before + parenthesis + school}")


def skill_points(duelist: Duelist, rules: ClassRules) -> int:
    """All skill points of a duelist."""
    return duelist.level * (max(1, rules.skill_ranks + duelist.scores.modifier("int")) + duelist.human)


def _skills(duelist: Duelist, rules: ClassRules) -> Iterator[Problem]:
    for skill in SKILLS:
        if duelist.ranks.of(skill) > duelist.level:
            yield Problem(f"ranks.{skill}", "ranks", f"{duelist.ranks.of(skill)} ranks, but at most the level, {duelist.level}")
    total, points = sum(duelist.ranks.of(skill) for skill in SKILLS), skill_points(duelist, rules)
    if total > points:
        yield Problem(
            "ranks", "skill points", f"{total} ranks, but a {rules.id} of level {duelist.level} has {points} skill points"
        )


# ---- what the class gives -------------------------------------------------------------------------------------------------------


def _extras(duelist: Duelist, rules: ClassRules, table: ClassTable) -> Iterator[Problem]:
    law, good = alignment_parts(duelist.alignment)
    if rules.neutral and law and good:
        yield Problem("alignment", "alignment", f"a {rules.id} is neutral in one part at least, not {duelist.alignment}")
    yield from _bonds(duelist, rules, table)
    yield from _school(duelist, rules)
    if len(duelist.domains) > rules.domains:
        yield Problem("domains", "domains", f"{len(duelist.domains)} domains, but a {rules.id} has at most {rules.domains}")
    for name in duelist.domains:
        allowed = rules.domain_choices or tuple(domain.id for domain in table.domains)
        if name not in allowed:
            yield Problem("domains", "domains", f"{name} is no domain of a {rules.id}; allowed: {', '.join(allowed)}")
    if duelist.converts_to:
        if not rules.converts:
            yield Problem("converts_to", "conversion", f"a {rules.id} does not turn prepared spells into others")
        elif (good, duelist.converts_to) in (("good", "inflict"), ("evil", "cure")):
            yield Problem("converts_to", "conversion", f"{duelist.converts_to} is not for {good} clerics")


def _bonds(duelist: Duelist, rules: ClassRules, table: ClassTable) -> Iterator[Problem]:
    if duelist.familiar and duelist.bonded_object:
        yield Problem("familiar", "familiar or bonded object", "a familiar or a bonded object, not both")
    if duelist.familiar and "familiar" not in rules.bonds:
        yield Problem("familiar", "familiar or bonded object", f"a {rules.id} has no familiar")
    if duelist.bonded_object and "object" not in rules.bonds:
        yield Problem("bonded_object", "familiar or bonded object", f"a {rules.id} has no bonded object")
    kinds = [familiar.id for familiar in table.familiars]
    if duelist.familiar and duelist.familiar not in kinds:
        yield Problem("familiar", "familiar or bonded object", f"{duelist.familiar} is no kind; there are: {', '.join(kinds)}")


def _school(duelist: Duelist, rules: ClassRules) -> Iterator[Problem]:
    rule = "specialist schools"
    if (duelist.school or duelist.opposition) and not rules.school_slots:
        yield Problem("school", rule, f"a {rules.id} has no specialist school and no opposition schools")
    elif duelist.school and len(duelist.opposition) != SPECIALIST_OPPOSITIONS:
        yield Problem(
            "opposition", rule, f"a specialist has {SPECIALIST_OPPOSITIONS} opposition schools, not {len(duelist.opposition)}"
        )
    elif duelist.opposition and not duelist.school:
        yield Problem("opposition", rule, "a universalist has no opposition schools")
    elif duelist.school in duelist.opposition:
        yield Problem("opposition", rule, f"{duelist.school} cannot be one's own school and an opposition school")
