"""The dice: what is due, what a face stands for, with what probability."""

import numpy as np

from duel_env.rules.hogwarts.state import COIN, FIRST_ROLL, NO_ACTION, NO_DIE, SECOND_ROLL
from duel_env.rules.jit import kernel

FAILURE, SUCCESS = range(2)
"""Outcomes of a d100 at a CHANCE node. Those of the coin are the player who acts first."""

D100 = 100
_MAX_PENALTY = 100
COIN_SIDES = 2


@kernel
def die_sides(state):
    """Sides of the die that the state waits for: 2 (coin), 100, or 0 when no die is due."""
    if state["die"] == NO_DIE:
        return 0
    return COIN_SIDES if state["die"] == COIN else D100


@kernel
def die_count(state):
    """Dice that are due together: one."""
    return 1


@kernel
def num_outcomes(state):
    """Outcomes of the due die: two, of the coin as of a d100."""
    return 2


@kernel
def cast_spell(state):
    """The spell whose success the state's die decides; NO_ACTION at the coin and when no die is due."""
    if state["die"] == FIRST_ROLL:
        return state["action"][0]
    if state["die"] == SECOND_ROLL:
        return state["action"][1]
    return NO_ACTION


@kernel
def success_threshold(rules, sheet, spell):
    """Highest face of a d100 on which a duelist's spell succeeds: skill - penalty, not clipped (0 or less: never).

    Source: French text, "EXPLICATIONS DES LANCER DE DÉS".
    """
    return np.int64(sheet["skill"]) - np.int64(rules["penalty"][spell])


@kernel
def success_probability(rules, sheet, spell):
    """Chance that a duelist's spell succeeds: the threshold as a percentage, between 0 and 1."""
    return min(max(success_threshold(rules, sheet, spell), 0), D100) / D100


@kernel
def chance_class(state, rules):
    """What the chances of the due die depend on besides the sheets: 0 for the coin, else one number for each roller and penalty."""
    if state["die"] == COIN:
        return 0
    return 1 + 2 * (np.int64(rules["penalty"][cast_spell(state)]) + _MAX_PENALTY) + state["current_player"]


@kernel
def outcome_of_face(rules, sheets, roller, spell, face):
    """The outcome that a face (1..sides) of the due die stands for; the coin has `spell` NO_ACTION and face 1 for player 0."""
    if spell == NO_ACTION:
        return face - 1
    return SUCCESS if face <= success_threshold(rules, sheets[roller], spell) else FAILURE


@kernel
def face_outcome(state, rules, sheets, face):
    """The outcome that a face of the due die stands for."""
    return outcome_of_face(rules, sheets, state["current_player"], cast_spell(state), face)


@kernel
def write_chance_outcomes(state, rules, sheets, probability):
    """Probabilities of the outcomes 0..K-1 of the due die.

    The hundred faces collapse into two outcomes; see `outcome_of_face`.

    Args:
        state: STATE record at a CHANCE node.
        rules: RULES record.
        sheets: SHEET (2,).
        probability: float64 (2,) or longer.

    Returns:
        K = 2.

    Mutates:
        probability: its first K entries, which sum to 1.
    """
    if state["die"] == COIN:
        probability[0] = 0.5
    else:
        probability[0] = 1.0 - success_probability(rules, sheets[state["current_player"]], cast_spell(state))
    probability[1] = 1.0 - probability[0]
    return 2
