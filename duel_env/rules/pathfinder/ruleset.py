"""The spell duel as one value: everything that the rest of the package asks of a ruleset."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duel_env.game import Action, Ruleset
from duel_env.observation import Feature
from duel_env.rules.pathfinder.actions import CHOICES, GENERAL
from duel_env.rules.pathfinder.layout import OBSERVATION_VERSION, layout
from duel_env.rules.pathfinder.options import PathfinderSetup, rules_record, setup_record
from duel_env.rules.pathfinder.setup import BY_OPENING
from duel_env.rules.pathfinder.spells import default_spell_book
from duel_env.rules.pathfinder.state import CORE, CUP, RULES, SETUP, SHEET, STATE
from duel_env.rules.pathfinder.terms import DuelTerms


def _load_kernels() -> None:
    """Compile the kernels, or take them from the cache, and register them: minutes the first time."""
    from duel_env.rules.pathfinder import kernels  # noqa: F401


def _actions(terms: DuelTerms) -> Sequence[Action]:
    spells = default_spell_book().spells
    return [
        *(Action(spell.id, f"Cast {spell.en}", f"Lancer {spell.fr}") for spell in spells),
        *(
            Action(f"quickened_{spell.id}", f"Cast {spell.en}, quickened", f"Lancer {spell.fr}, incantation rapide")
            for spell in spells
        ),
        *(Action(f"spend_{spell.id}", f"Spend or name {spell.en}", f"Dépenser ou nommer {spell.fr}") for spell in spells),
        *(Action(*row) for row in (*CHOICES, *GENERAL)),
    ]


def _layout(terms: DuelTerms) -> tuple[Feature, ...]:
    return layout(tuple(spell.id for spell in default_spell_book().spells), terms.recall == "perfect")


def _is_fixed(setup: NDArray[np.void]) -> bool:
    return bool(np.all(setup["num_pool"] == 1))


def _describe_event(*arguments: Any) -> str:
    from duel_env.rules.pathfinder.story import describe_event  # looks at what kernels do

    return describe_event(*arguments)


def _describe_state(*arguments: Any) -> str:
    from duel_env.rules.pathfinder.story import describe_state

    return describe_state(*arguments)


def _at_decision(core: Any) -> NDArray[np.void]:
    from duel_env.rules.pathfinder.throws import at_decision

    return at_decision(core)


def _check_records(game: Any, state: NDArray[np.void], sheets: NDArray[np.void]) -> None:
    from duel_env.rules.pathfinder.checks import check_records  # calls kernels

    check_records(game, state, sheets)


PATHFINDER = Ruleset(
    name="pathfinder",
    version=1,
    observation_version=OBSERVATION_VERSION,
    options_model=DuelTerms,
    setup_model=PathfinderSetup,
    state_dtype=STATE,
    sheet_dtype=SHEET,
    rules_dtype=RULES,
    setup_dtype=SETUP,
    num_starts=BY_OPENING + 1,
    rules_record=rules_record,
    setup_record=setup_record,
    actions=_actions,
    layout=_layout,
    read_observation=None,
    is_fixed=_is_fixed,
    check_records=_check_records,
    describe_event=_describe_event,
    describe_state=_describe_state,
    perfect_information=lambda terms: False,
    is_enumerable=False,
    at_decision=_at_decision,
    load_kernels=_load_kernels,
    core_dtype=CORE,
    cup_dtype=CUP,
)
