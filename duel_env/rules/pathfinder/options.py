"""The options and the set-up of the spell duel, as people write them, and the records made from them."""

from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from duel_env.config import Settings
from duel_env.errors import ConfigError
from duel_env.rules.pathfinder.derive import derive
from duel_env.rules.pathfinder.generator import duelist_spec
from duel_env.rules.pathfinder.rules_record import book_record
from duel_env.rules.pathfinder.sheet_record import sheet_record
from duel_env.rules.pathfinder.spells import SpellBook, default_spell_book
from duel_env.rules.pathfinder.state import MAX_POOL, NOBODY, RULES, SETUP
from duel_env.rules.pathfinder.terms import DuelTerms

NO_LIMIT = 2**31 - 2


def rules_record(terms: DuelTerms, *, unlimited: bool = False) -> NDArray[np.void]:
    """RULES (1,) of some terms; `unlimited` leaves out the round limit."""
    record = _book_record().copy()
    rules = record[0]
    rules["max_rounds"] = NO_LIMIT if unlimited else terms.max_rounds
    rules["stare_down"] = terms.opening == "stare_down"
    rules["to_the_death"] = terms.end == "death"
    rules["safe_arena"] = terms.arena == "safe"
    rules["plants"] = terms.plants
    rules["judged_by_hit_points"] = terms.at_max_rounds == "hit_points"
    rules["counter_dc_by_caster_level"] = terms.counter_dc == "caster_level"
    rules["counter_only_if_targeted"] = terms.counter_only_if_targeted
    rules["counter_takes_immediate"] = terms.counter_is_immediate
    rules["counter_needs_sight"] = terms.counter_needs_sight
    rules["exact_copy_is_sure"] = terms.exact_copy == "sure"
    rules["flat_footed_start"] = terms.flat_footed_start
    rules["dispel_after_failed_identification"] = terms.dispel_unidentified
    rules["greater_dispel_bonus"] = terms.greater_dispel_bonus
    rules["penalty_after_failed_dispel"] = terms.penalty_after_failed_dispel
    rules["level_bonus_by_slot"] = terms.level_bonus == "slot"
    rules["spellcraft_distance_penalty"] = terms.spellcraft_distance
    rules["abstract_range"] = terms.abstract_range
    rules["show_opponent_class"] = terms.show_opponent_class
    rules["show_exact_hit_points"] = terms.show_hit_points == "exact"
    rules["perfect_recall"] = terms.recall == "perfect"
    rules["ask_forced"] = terms.ask_forced
    return record


@lru_cache(maxsize=1)
def _book_record() -> NDArray[np.void]:
    record = np.zeros(1, RULES)
    book_record(default_spell_book(), record)
    return record


class PathfinderSetup(Settings):
    """Who duels, and who acts first."""

    duelists: tuple[str, str] = Field(default=("evoker_7", "abjurer_7"), strict=False)
    """Each a shipped duelist, the path of a TOML file, or `random:CLASS:LEVEL`: one of `pool` random ones, drawn anew for each duel.
    CLASS may be `any`, and LEVEL a range such as 3-12."""
    pool: Annotated[int, Field(ge=1, le=MAX_POOL)] = 64
    """How many random duelists there are to draw from."""
    pool_seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    """Decides which they are."""
    first_caster: Literal[0, 1] | None = None
    """Player who acts first; none: the opening of the terms decides."""

    @field_validator("duelists", mode="before")
    @classmethod
    def _two_names(cls, value: Any) -> Any:
        if not isinstance(value, list | tuple) or len(value) != 2 or not all(isinstance(name, str) for name in value):
            raise ValueError('expected two duelists, such as ("evoker_7", "random:wizard:7")')
        for name in value:
            try:
                duelist_spec(name)
            except ConfigError as error:
                raise ValueError(str(error)) from error
        return tuple(value)

    @field_validator("first_caster", mode="before")
    @classmethod
    def _no_bool(cls, value: Any) -> Any:
        if isinstance(value, bool):
            raise ValueError("expected 0, 1 or nothing")
        return value


def setup_record(setup: PathfinderSetup) -> NDArray[np.void]:
    """SETUP (1,) of a set-up.

    Raises:
        ConfigError: a duelist that breaks a rule.
    """
    record = np.zeros(1, SETUP)
    number = 0
    for player, name in enumerate(setup.duelists):
        spec = duelist_spec(name)
        count = setup.pool if spec.is_random else 1
        record["num_pool"][0, player] = count
        for place in range(count):
            number += 1
            sheet = _sheet(name, setup.pool_seed * MAX_POOL + place)
            record["pool"][0, player, place] = sheet[0]
            record["pool"][0, player, place]["number"] = number
    record["first_caster"] = NOBODY if setup.first_caster is None else setup.first_caster
    return record


@lru_cache(maxsize=4_096)
def _sheet(name: str, seed: int) -> NDArray[np.void]:
    book: SpellBook = default_spell_book()
    return sheet_record(derive(duelist_spec(name).make(seed), book), book)
