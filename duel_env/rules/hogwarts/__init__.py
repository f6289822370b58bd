"""The school duel of Hogwarts. See README.md beside this file for the sources and the map from rule to function."""

from duel_env.rules.dispatch import implement
from duel_env.rules.hogwarts.dice import (
    cast_spell,
    chance_class,
    die_count,
    die_sides,
    face_outcome,
    num_outcomes,
    outcome_of_face,
    write_chance_outcomes,
)
from duel_env.rules.hogwarts.legality import is_legal, write_action_mask
from duel_env.rules.hogwarts.nodes import cut_short, disqualify, is_disqualified, is_past_limit, is_truncated, player_return
from duel_env.rules.hogwarts.observation import state_size, write_sheets_features, write_state_features
from duel_env.rules.hogwarts.setup import draw_sheets, start_number
from duel_env.rules.hogwarts.state import RULES, SETUP, STATE
from duel_env.rules.hogwarts.transition import apply_action, apply_chance, initial_state

implement(
    STATE,
    initial_state=initial_state,
    is_legal=is_legal,
    write_action_mask=write_action_mask,
    apply_action=apply_action,
    die_sides=die_sides,
    die_count=die_count,
    num_outcomes=num_outcomes,
    face_outcome=face_outcome,
    cast_spell=cast_spell,
    chance_class=chance_class,
    write_chance_outcomes=write_chance_outcomes,
    apply_chance=apply_chance,
    disqualify=disqualify,
    player_return=player_return,
    is_truncated=is_truncated,
    is_disqualified=is_disqualified,
    cut_short=cut_short,
    write_state_features=write_state_features,
)
implement(
    RULES,
    state_size=state_size,
    write_sheets_features=write_sheets_features,
    outcome_of_face=outcome_of_face,
    is_past_limit=is_past_limit,
)
implement(SETUP, draw_sheets=draw_sheets, start_number=start_number)
