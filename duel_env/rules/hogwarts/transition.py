"""From one node of a duel to the next: the start, actions, and dice whose outcome the caller gives.

No randomness in here: a die stops the play at a CHANCE node. What a round comes to is in `resolution`.
"""

from duel_env.rules.hogwarts.dice import SUCCESS
from duel_env.rules.hogwarts.legality import retrieve_action, seize_action
from duel_env.rules.hogwarts.nodes import finish, wait_for_die, wait_for_player
from duel_env.rules.hogwarts.resolution import continue_with_answer, end_hex, is_spell, resolve
from duel_env.rules.hogwarts.state import (
    BY_SEIZED_WAND,
    COIN,
    FIRST_ROLL,
    HIT,
    MISSED,
    NO_ACTION,
    NOBODY,
    NOT_ROLLED,
    RUNNING,
    WAND_HELD,
)
from duel_env.rules.jit import kernel


@kernel
def initial_state(state, rules, sheets, start):
    """Set up round 1.

    Args:
        state: STATE record, overwritten.
        rules: RULES record.
        sheets: SHEET (2,); not looked at, as everywhere in these kernels: skills only change the chances of dice.
        start: 0 or 1, the player who acts first, or 2: a coin decides (see `setup.start_number`).

    Mutates:
        state.
    """
    state["round"] = 1
    for player in range(2):
        state["hit_points"][player] = rules["hit_points"]
        state["wand"][player] = WAND_HELD
        state["petrified"][player] = 0
        state["petrified_next"][player] = 0
        state["hexed"][player] = 0
        state["action"][player] = NO_ACTION
    state["first_roll"] = NOT_ROLLED
    state["winner"] = NOBODY
    state["end"] = RUNNING
    state["reserved"][:] = 0
    if start < 2:
        state["first_caster"] = start
        wait_for_player(state, start)
    else:
        state["first_caster"] = NOBODY
        wait_for_die(state, COIN, NOBODY)


@kernel
def apply_action(state, rules, sheets, action):
    """Play a legal action of the current player, up to the next decision, die or end.

    Args:
        state: STATE record at a PLAYER node.
        rules: RULES record.
        sheets: SHEET (2,).
        action: a legal action id; legality is the caller's duty.

    Mutates:
        state.
    """
    player = state["current_player"]
    if player == state["first_caster"]:
        _act_first(state, rules, player, action)
    else:
        state["action"][1] = action
        # With riposte_sees_roll off, the first caster's die is still to be thrown.
        if is_spell(rules, state["action"][0]) and state["first_roll"] == NOT_ROLLED:
            wait_for_die(state, FIRST_ROLL, 1 - player)
        else:
            continue_with_answer(state, rules)


@kernel
def _act_first(state, rules, player, action):
    state["action"][0] = action
    if is_spell(rules, action):
        if rules["riposte_sees_roll"] == 1:
            wait_for_die(state, FIRST_ROLL, player)
        else:
            wait_for_player(state, 1 - player)
    elif action == seize_action(rules):
        finish(state, player, BY_SEIZED_WAND)
    else:
        # "The two actions without a die happen at once, when they are chosen."
        if action == retrieve_action(rules):
            state["wand"][player] = WAND_HELD
        wait_for_player(state, 1 - player)


@kernel
def apply_chance(state, rules, sheets, outcome):
    """Settle the die that the state waits for.

    Args:
        state: STATE record at a CHANCE node.
        rules: RULES record.
        sheets: SHEET (2,).
        outcome: FAILURE or SUCCESS of a d100; the player who acts first for the coin.

    Mutates:
        state.
    """
    die = state["die"]
    if die == COIN:
        state["first_caster"] = outcome
        wait_for_player(state, outcome)
    elif die == FIRST_ROLL:
        first = state["first_caster"]
        state["first_roll"] = HIT if outcome == SUCCESS else MISSED
        end_hex(state, first, outcome == SUCCESS)
        if state["action"][1] == NO_ACTION:
            wait_for_player(state, 1 - first)
        else:
            continue_with_answer(state, rules)
    else:
        resolve(state, rules, outcome == SUCCESS)
