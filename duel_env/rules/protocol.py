"""The functions that every ruleset gives to the loops, by name. Each dispatches on its first argument (see `dispatch`).

A ruleset registers its kernels for its STATE, RULES and SETUP records; the two stores of `stores` register theirs. The meaning of
each function is the docstring here; the argument names are part of the protocol.
"""

from duel_env.rules.dispatch import dispatched

# ---- a state of a ruleset -----------------------------------------------------------------------------------------------------


@dispatched
def initial_state(state, rules, sheets, start):
    """Overwrite `state` with the first node of a duel; `start` is one of the ruleset's ways to begin, from 0."""


@dispatched
def is_legal(state, rules, sheets, action):
    """Whether the player who is to choose may take `action`, any integer."""


@dispatched
def write_action_mask(state, rules, sheets, mask):
    """Write the legal actions of the player who is to choose: int8 (A,), all 0 when nobody is."""


@dispatched
def apply_action(state, rules, sheets, action):
    """Play a legal action, up to the next decision, die or end."""


@dispatched
def die_sides(state):
    """Sides of the die that is due, 0 when none is."""


@dispatched
def die_count(state):
    """How many dice of `die_sides` faces are due together; their sum is what counts."""


@dispatched
def num_outcomes(state):
    """How many outcomes the due die has."""


@dispatched
def cast_spell(state):
    """What the due die is thrown for, as an action id; -1 when it is not thrown for an action."""


@dispatched
def chance_class(state, rules):
    """A number from 0: due dice of equal class have equal probabilities of equal outcomes, whatever the sheets."""


@dispatched
def write_chance_outcomes(state, rules, sheets, probability):
    """Write the probabilities of the outcomes of the due die and return their number K."""


@dispatched
def face_outcome(state, rules, sheets, face):
    """Outcome that a face of the due die, or a sum of the dice that are due together, stands for."""


@dispatched
def apply_chance(state, rules, sheets, outcome):
    """Settle the due die."""


@dispatched
def disqualify(state, player):
    """End the duel as lost by `player`."""


@dispatched
def player_return(state, player):
    """Return of the duel for a player: -1.0, 0.0 or +1.0."""


@dispatched
def is_truncated(state):
    """Whether the duel was cut short by a limit that the rules do not know."""


@dispatched
def is_disqualified(state):
    """Whether the loser was disqualified."""


@dispatched
def cut_short(state):
    """End the duel as a draw because of the round limit."""


@dispatched
def write_state_features(state, rules, sheets, player, out):
    """Write the part of the observation that depends on the state."""


# ---- a state whose kernel takes its dice out of a cup -------------------------------------------------------------------------


@dispatched
def begin_with_cup(state, rules, sheets, cup, start):
    """As `initial_state`, for a blank `state`, up to the first decision."""


@dispatched
def play_with_cup(state, rules, sheets, cup, action):
    """As `apply_action`, up to the next decision or the end."""


# ---- the rules of a ruleset ---------------------------------------------------------------------------------------------------


@dispatched
def state_size(rules):
    """Length of the part of the observation that depends on the state."""


@dispatched
def write_sheets_features(rules, sheets, player, out):
    """Write the part of the observation that depends on the sheets."""


@dispatched
def outcome_of_face(rules, sheets, roller, spell, face):
    """As `face_outcome`, for a die of which only this is known; for rulesets whose graph is put into a table."""


@dispatched
def is_past_limit(rules, round_number):
    """Whether a round may no longer be played."""


# ---- the set-up of a ruleset --------------------------------------------------------------------------------------------------


@dispatched
def draw_sheets(setup, sheets, position):
    """Fill in the sheets of a new duel from the random stream at `position`; returns whether one is another than before."""


@dispatched
def start_number(setup, sheets):
    """Which of the ruleset's ways to begin applies to these sheets."""
