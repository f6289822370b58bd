"""The protocol for one state at a time, called from Python. Arrays of length 1 are much cheaper to pass than records."""

from duel_env.rules import protocol
from duel_env.rules.jit import kernel


@kernel
def draw(sheets, setup, position):
    """Draw SHEET (2,) from the random stream at `position`."""
    protocol.draw_sheets(setup[0], sheets, position)


@kernel
def start(states, sheets, rules, setup):
    """Set states[0] to the first node of a duel between SHEET (2,)."""
    protocol.initial_state(states[0], rules[0], sheets, protocol.start_number(setup[0], sheets))


@kernel
def write_mask(states, rules, sheets, mask):
    """Action mask of states[0]."""
    protocol.write_action_mask(states[0], rules[0], sheets, mask)


@kernel
def act(states, rules, sheets, action):
    """Play a legal action in states[0]."""
    protocol.apply_action(states[0], rules[0], sheets, action)


@kernel
def forfeit(states):
    """Disqualify whoever is to choose in states[0]."""
    protocol.disqualify(states[0], states[0]["current_player"])


@kernel
def cut_short(states):
    """End states[0] as a draw because of the round limit."""
    protocol.cut_short(states[0])


@kernel
def describe_die(states, die):
    """Write sides (0: no die is due), roller, the action it is thrown for (-1: none) and the number of dice into die, int64 (4,)."""
    die[0] = protocol.die_sides(states[0])
    die[1] = states[0]["current_player"]
    die[2] = protocol.cast_spell(states[0])
    die[3] = protocol.die_count(states[0])


@kernel
def write_outcomes(states, rules, sheets, probability):
    """Probabilities of the due die's outcomes; returns their number."""
    return protocol.write_chance_outcomes(states[0], rules[0], sheets, probability)


@kernel
def settle(states, rules, sheets, outcome):
    """Settle the due die of states[0]."""
    protocol.apply_chance(states[0], rules[0], sheets, outcome)


@kernel
def face_outcome(states, rules, sheets, face):
    """The outcome that a face of the due die, or a sum of the due dice, stands for."""
    return protocol.face_outcome(states[0], rules[0], sheets, face)


@kernel
def count_outcomes(states):
    """How many outcomes the due die has."""
    return protocol.num_outcomes(states[0])


@kernel
def observe(states, rules, sheets, player, out):
    """What a player sees of states[0], float32 (D,)."""
    size = protocol.state_size(rules[0])
    protocol.write_state_features(states[0], rules[0], sheets, player, out[:size])
    protocol.write_sheets_features(rules[0], sheets, player, out[size:])


@kernel
def return_of(states, player):
    """Return of states[0] for a player."""
    return protocol.player_return(states[0], player)


@kernel
def end_flags(states):
    """(truncated, disqualified) of states[0]."""
    return protocol.is_truncated(states[0]), protocol.is_disqualified(states[0])
