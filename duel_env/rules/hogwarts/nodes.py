"""The three kinds of nodes: how play comes to one, and what an end means."""

from duel_env.rules.hogwarts.state import BY_DISQUALIFICATION, BY_ROUND_LIMIT, CHANCE, NO_DIE, NOBODY, PLAYER, TERMINAL
from duel_env.rules.jit import kernel


@kernel
def wait_for_player(state, player):
    """Go to a node where `player` chooses."""
    state["node"] = PLAYER
    state["die"] = NO_DIE
    state["current_player"] = player


@kernel
def wait_for_die(state, die, roller):
    """Go to a node where a die is due."""
    state["node"] = CHANCE
    state["die"] = die
    state["current_player"] = roller


@kernel
def finish(state, winner, end):
    """Go to the end: `winner` is a player or NOBODY."""
    state["node"] = TERMINAL
    state["die"] = NO_DIE
    state["current_player"] = NOBODY
    state["winner"] = winner
    state["end"] = end


@kernel
def disqualify(state, player):
    """End the duel at once: `player` did what the list does not allow.

    Mutates:
        state.

    Source: French text, "Tout sortilège ... ne faisant pas partie de cette liste entraînera la disqualification immédiate".
    """
    finish(state, 1 - player, BY_DISQUALIFICATION)


@kernel
def cut_short(state):
    """End the duel without a winner because the round limit is reached.

    Mutates:
        state.
    """
    finish(state, NOBODY, BY_ROUND_LIMIT)


@kernel
def player_return(state, player):
    """+1.0 won, -1.0 lost, 0.0 a draw, a duel cut short or still running; the two players' returns sum to 0."""
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


@kernel
def is_past_limit(rules, round_number):
    """Whether a round may no longer be played."""
    return round_number > rules["max_rounds"]
