"""The school duel as one value: everything that the rest of the package asks of a ruleset."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from duel_env.game import Action, Ruleset
from duel_env.observation import Feature
from duel_env.rules import hogwarts as kernels  # noqa: F401  (registers the kernels)
from duel_env.rules.hogwarts.checks import check_records
from duel_env.rules.hogwarts.observation import OBSERVATION_VERSION, layout, read_observation
from duel_env.rules.hogwarts.options import (
    PLAIN_ACTIONS,
    HogwartsOptions,
    HogwartsSetup,
    rules_record,
    setup_record,
)
from duel_env.rules.hogwarts.setup import BY_COIN
from duel_env.rules.hogwarts.state import RULES, SETUP, SHEET, STATE
from duel_env.rules.hogwarts.story import describe_event, describe_state


def _actions(options: HogwartsOptions) -> Sequence[Action]:
    spells = [Action(spell.id, spell.en, spell.fr) for spell in options.spells]
    return [*spells, *(Action(*row) for row in PLAIN_ACTIONS)]


def _layout(options: HogwartsOptions) -> tuple[Feature, ...]:
    return layout(tuple(action.id for action in _actions(options)), tuple(spell.id for spell in options.spells))


def _perfect_information(options: HogwartsOptions) -> bool:
    return options.observe_opponent_skill


def _is_fixed(setup: NDArray[np.void]) -> bool:
    return bool(np.all(setup["skill_low"] == setup["skill_high"]))


HOGWARTS = Ruleset(
    name="hogwarts",
    version=1,
    observation_version=OBSERVATION_VERSION,
    options_model=HogwartsOptions,
    setup_model=HogwartsSetup,
    state_dtype=STATE,
    sheet_dtype=SHEET,
    rules_dtype=RULES,
    setup_dtype=SETUP,
    num_starts=BY_COIN + 1,
    rules_record=rules_record,
    setup_record=setup_record,
    actions=_actions,
    layout=lambda options: layout(tuple(action.id for action in _actions(options)), tuple(spell.id for spell in options.spells)),
    read_observation=read_observation,
    is_fixed=_is_fixed,
    check_records=check_records,
    describe_event=describe_event,
    describe_state=describe_state,
    perfect_information=_perfect_information,
)
