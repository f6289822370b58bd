"""The kernels of the spell duel under the names of the protocol: for STATE, whose dice lie in the open, and for CORE, which has a cup."""

from duel_env.rules.dispatch import implement
from duel_env.rules.pathfinder import legality, transition
from duel_env.rules.pathfinder.observation import state_size, write_core_features, write_sheets_features
from duel_env.rules.pathfinder.play import play
from duel_env.rules.pathfinder.setup import draw_sheets, start_number
from duel_env.rules.pathfinder.state import BY_DISQUALIFICATION, BY_ROUND_LIMIT, CORE, NOBODY, RULES, SETUP, STATE
from duel_env.rules.pathfinder.turns import begin, finish


def _write_state_features(state, rules, sheets, player, out):
    write_core_features(state["now"], rules, sheets, player, out)


def _cast_spell(state):
    return state["cup"]["due_spell"]


implement(
    STATE,
    initial_state=transition.initial_state,
    is_legal=transition.is_legal,
    write_action_mask=transition.write_action_mask,
    apply_action=transition.apply_action,
    die_sides=transition.die_sides,
    die_count=transition.die_count,
    num_outcomes=transition.num_outcomes,
    cast_spell=_cast_spell,
    write_chance_outcomes=transition.write_chance_outcomes,
    face_outcome=transition.face_outcome,
    apply_chance=transition.apply_chance,
    disqualify=transition.disqualify,
    player_return=transition.player_return,
    is_truncated=transition.is_truncated,
    is_disqualified=transition.is_disqualified,
    cut_short=transition.cut_short,
    write_state_features=_write_state_features,
)


def _begin_with_cup(state, rules, sheets, cup, start):
    begin(state, rules, sheets, cup, start)


def _play_with_cup(state, rules, sheets, cup, action):
    play(state, rules, sheets, cup, action)


def _core_is_legal(state, rules, sheets, action):
    return legality.is_legal(state, rules, sheets, action)


def _core_write_mask(state, rules, sheets, mask):
    legality.write_action_mask(state, rules, sheets, mask)


def _core_disqualify(state, player):
    finish(state, 1 - player, BY_DISQUALIFICATION)


def _core_is_truncated(state):
    return state["end"] == BY_ROUND_LIMIT


def _core_is_disqualified(state):
    return state["end"] == BY_DISQUALIFICATION


def _core_cut_short(state):
    finish(state, NOBODY, BY_ROUND_LIMIT)


def _core_write_features(state, rules, sheets, player, out):
    write_core_features(state, rules, sheets, player, out)


implement(
    CORE,
    begin_with_cup=_begin_with_cup,
    play_with_cup=_play_with_cup,
    is_legal=_core_is_legal,
    write_action_mask=_core_write_mask,
    disqualify=_core_disqualify,
    is_truncated=_core_is_truncated,
    is_disqualified=_core_is_disqualified,
    cut_short=_core_cut_short,
    write_state_features=_core_write_features,
)


def _write_sheets_features(rules, sheets, player, out):
    write_sheets_features(rules, sheets, player, out)


def _is_past_limit(rules, round_number):
    return round_number > rules["max_rounds"]


implement(
    RULES,
    state_size=state_size,
    write_sheets_features=_write_sheets_features,
    is_past_limit=_is_past_limit,
)
implement(SETUP, draw_sheets=draw_sheets, start_number=start_number)
