"""The protocol of the rulesets for a duel whose dice lie in the open.

A STATE holds the duel as it was at the last decision (`now`), the action taken there and the faces thrown since. Each face that is
given runs the action again on a copy, from the decision on, with all faces so far in a scripted cup: either a further die is due, or the
copy is the next decision and becomes `now`. Sampling duels do not pay for this: their cup never runs dry (see `cup_store`).
"""

import numpy as np

from duel_env.rules.graph import CHANCE, PLAYER
from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder import legality
from duel_env.rules.pathfinder.actions import num_actions
from duel_env.rules.pathfinder.play import play
from duel_env.rules.pathfinder.state import BY_DISQUALIFICATION, BY_ROUND_LIMIT, CORE, MAX_FACES, NOBODY, NONE
from duel_env.rules.pathfinder.turns import begin, finish

BLANK = np.zeros(1, CORE)
"""What a duel is before it begins."""

BEGINNING = -2
"""`action` of a STATE whose duel is still being opened."""


@kernel
def _show(state):
    """Bring the fields that every ruleset has up to date with the duel."""
    now = state["now"]
    state["node"] = now["node"]
    state["current_player"] = now["current_player"]
    state["winner"] = now["winner"]
    state["end"] = now["end"]
    state["round"] = now["round"]


@kernel
def empty_cup(cup):
    """A cup as new, its random stream aside."""
    for k in range(cup["used"]):
        cup["faces"][min(k, MAX_FACES - 1)] = 0
    cup["given"] = 0
    cup["used"] = 0
    cup["dry"] = 0
    cup["due_count"] = 0
    cup["due_sides"] = 0
    cup["due_roller"] = 0
    cup["due_purpose"] = 0
    cup["due_modifier"] = 0
    cup["due_target"] = 0
    cup["due_spell"] = 0


@kernel
def _run(state, rules, sheets):
    """Play the action of `state` with the faces of its cup."""
    cup = state["cup"]
    cup["used"] = 0
    cup["dry"] = 0
    state["next"] = state["now"]
    if state["action"] == BEGINNING:
        begin(state["next"], rules, sheets, cup, np.int64(state["start"]))
    else:
        play(state["next"], rules, sheets, cup, np.int64(state["action"]))
    if cup["dry"] == 1:
        state["node"] = CHANCE
        state["current_player"] = cup["due_roller"]
        state["next"] = state["now"]
    else:
        state["now"] = state["next"]
        state["action"] = NONE
        state["start"] = 0
        empty_cup(cup)
        _show(state)


@kernel
def initial_state(state, rules, sheets, start):
    """Overwrite `state` with the beginning of a duel; `start` as in `turns.begin`."""
    state["now"] = BLANK[0]
    empty_cup(state["cup"])
    _show(state)
    state["winner"] = NOBODY
    state["action"] = BEGINNING
    state["start"] = start
    _run(state, rules, sheets)


@kernel
def apply_action(state, rules, sheets, action):
    """Play a legal action of the current player, up to the next decision, die or end."""
    state["action"] = action
    _run(state, rules, sheets)


@kernel
def die_sides(state):
    """Faces of the due die, or of each of the due dice; 0 when none is due."""
    return np.int64(state["cup"]["due_sides"]) if state["node"] == CHANCE else 0


@kernel
def die_count(state):
    """How many dice are due together."""
    return np.int64(state["cup"]["due_count"])


@kernel
def num_outcomes(state):
    """Totals that the due dice can show."""
    cup = state["cup"]
    return np.int64(cup["due_count"]) * (np.int64(cup["due_sides"]) - 1) + 1


@kernel
def face_outcome(state, rules, sheets, face):
    """The outcome of a total: 0 for the least."""
    return face - np.int64(state["cup"]["due_count"])


@kernel
def apply_chance(state, rules, sheets, outcome):
    """Settle the due die: outcome 0 is its least face, or its least total."""
    cup = state["cup"]
    at = np.int64(cup["given"])
    if at < MAX_FACES:
        cup["faces"][at] = np.int64(cup["due_count"]) + outcome
        cup["given"] = at + 1
    _run(state, rules, sheets)


@kernel
def write_chance_outcomes(state, rules, sheets, probability):
    """Probabilities of the outcomes 0..K-1 of what is due; returns K. Totals of a pool by repeated convolution, exact to rounding.

    Mutates:
        probability: float64, its first K entries.
    """
    cup = state["cup"]
    count, sides = np.int64(cup["due_count"]), np.int64(cup["due_sides"])
    for outcome in range(sides):
        probability[outcome] = 1.0 / sides
    size = sides
    for _ in range(count - 1):
        for outcome in range(size, size + sides - 1):
            probability[outcome] = 0.0
        size += sides - 1
        # In place from the top: the new entry needs the old ones at and below it.
        for outcome in range(size - 1, -1, -1):
            total = 0.0
            for face in range(sides):
                if 0 <= outcome - face <= size - sides:
                    total += probability[outcome - face]
            probability[outcome] = total / sides
    return size


@kernel
def is_legal(state, rules, sheets, action):
    """As `legality.is_legal`."""
    return state["node"] == PLAYER and legality.is_legal(state["now"], rules, sheets, action)


@kernel
def write_action_mask(state, rules, sheets, mask):
    """As `legality.write_action_mask`; all 0 while a die is due."""
    if state["node"] == PLAYER:
        legality.write_action_mask(state["now"], rules, sheets, mask)
    else:
        for action in range(num_actions(rules)):
            mask[action] = 0


# ---- ends ---------------------------------------------------------------------------------------------------------------------


@kernel
def _finish(state, winner, end):
    finish(state["now"], winner, end)
    state["next"] = state["now"]
    _show(state)


@kernel
def disqualify(state, player):
    """End the duel at once: `player` did what the terms do not allow (sentence 2 of the source)."""
    _finish(state, 1 - player, BY_DISQUALIFICATION)


@kernel
def cut_short(state):
    """End the duel without a winner because of the round limit."""
    _finish(state, NOBODY, BY_ROUND_LIMIT)


@kernel
def player_return(state, player):
    """+1.0 won, -1.0 lost, 0.0 a draw, a duel cut short or still running."""
    if state["winner"] == NOBODY:
        return 0.0
    return 1.0 if state["winner"] == player else -1.0


@kernel
def is_truncated(state):
    """Whether the duel was cut short by the round limit, which the source does not know."""
    return state["end"] == BY_ROUND_LIMIT


@kernel
def is_disqualified(state):
    """Whether the duel ended because the loser was disqualified."""
    return state["end"] == BY_DISQUALIFICATION
