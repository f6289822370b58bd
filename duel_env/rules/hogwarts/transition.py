"""From one node of a duel to the next: actions, dice, the resolution of a round.

Comments cite the steps of the rules page ("The order of play"). No randomness in here: a die stops the play at a CHANCE node,
whose outcomes and probabilities are written out, and whose outcome the caller gives.
"""

import numpy as np

from duel_env.rules.hogwarts.legality import retrieve_action, seize_action
from duel_env.rules.hogwarts.state import (
    BY_DISQUALIFICATION,
    BY_HIT_POINTS,
    BY_ROUND_LIMIT,
    BY_SEIZED_WAND,
    CHANCE,
    COIN,
    FIRST_ROLL,
    HIT,
    LOST_TO_DISARM,
    LOST_TO_HEX,
    MISSED,
    NO_ACTION,
    NO_DIE,
    NOBODY,
    NOT_ROLLED,
    PLAYER,
    RUNNING,
    SECOND_ROLL,
    TERMINAL,
    WAND_HELD,
)
from duel_env.rules.jit import kernel

FAILURE, SUCCESS = range(2)
"""Outcomes of a d100 at a CHANCE node. Those of the coin are the player who acts first."""

D100 = 100
COIN_SIDES = 2


@kernel
def initial_state(state, rules, start):
    """Set up round 1.

    Args:
        state: STATE record, overwritten.
        rules: RULES record.
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
        _wait_for_player(state, start)
    else:
        state["first_caster"] = NOBODY
        _wait_for_die(state, COIN, NOBODY)


@kernel
def apply_action(state, rules, action):
    """Play a legal action of the current player, up to the next decision, die or end.

    Args:
        state: STATE record at a PLAYER node.
        rules: RULES record.
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
        if _is_spell(rules, state["action"][0]) and state["first_roll"] == NOT_ROLLED:
            _wait_for_die(state, FIRST_ROLL, 1 - player)
        else:
            _continue_with_answer(state, rules)


@kernel
def _act_first(state, rules, player, action):
    state["action"][0] = action
    if _is_spell(rules, action):
        if rules["riposte_sees_roll"] == 1:
            _wait_for_die(state, FIRST_ROLL, player)
        else:
            _wait_for_player(state, 1 - player)
    elif action == seize_action(rules):
        _finish(state, player, BY_SEIZED_WAND)
    else:
        # "The two actions without a die happen at once, when they are chosen."
        if action == retrieve_action(rules):
            state["wand"][player] = WAND_HELD
        _wait_for_player(state, 1 - player)


@kernel
def apply_chance(state, rules, outcome):
    """Settle the die that the state waits for.

    Args:
        state: STATE record at a CHANCE node.
        rules: RULES record.
        outcome: FAILURE or SUCCESS of a d100; the player who acts first for the coin.

    Mutates:
        state.
    """
    die = state["die"]
    if die == COIN:
        state["first_caster"] = outcome
        _wait_for_player(state, outcome)
    elif die == FIRST_ROLL:
        first = state["first_caster"]
        state["first_roll"] = HIT if outcome == SUCCESS else MISSED
        _end_hex(state, first, outcome == SUCCESS)
        if state["action"][1] == NO_ACTION:
            _wait_for_player(state, 1 - first)
        else:
            _continue_with_answer(state, rules)
    else:
        _resolve(state, rules, outcome == SUCCESS)


@kernel
def die_sides(state):
    """Sides of the die that the state waits for: 2 (coin), 100, or 0 when no die is due."""
    if state["die"] == NO_DIE:
        return 0
    return COIN_SIDES if state["die"] == COIN else D100


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
def outcome_of_face(rules, sheets, roller, spell, face):
    """The outcome that a face (1..sides) of the due die stands for; the coin has `spell` NO_ACTION and face 1 for player 0."""
    if spell == NO_ACTION:
        return face - 1
    return SUCCESS if face <= success_threshold(rules, sheets[roller], spell) else FAILURE


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


@kernel
def disqualify(state, player):
    """End the duel at once: `player` did what the list does not allow.

    Mutates:
        state.

    Source: French text, "Tout sortilège ... ne faisant pas partie de cette liste entraînera la disqualification immédiate".
    """
    _finish(state, 1 - player, BY_DISQUALIFICATION)


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


@kernel
def cut_short(state):
    """End the duel without a winner because the round limit is reached.

    Mutates:
        state.
    """
    _finish(state, NOBODY, BY_ROUND_LIMIT)


@kernel
def _is_spell(rules, action):
    return 0 <= action < rules["num_spells"]


@kernel
def _continue_with_answer(state, rules):
    """Step 2, second half: the answer's die, if the answer is a spell that will be cast; else straight to the resolution."""
    answer = state["action"][1]
    second = 1 - state["first_caster"]
    if _is_spell(rules, answer) and (rules["block"][answer] == 1 or not _answer_is_lost(state, rules)):
        _wait_for_die(state, SECOND_ROLL, second)
    else:
        _resolve(state, rules, False)


@kernel
def _answer_is_lost(state, rules):
    """Whether the first caster's spell, unless blocked, keeps the answer from happening (steps 3b and 3c)."""
    first_action = state["action"][0]
    second = 1 - state["first_caster"]
    if state["first_roll"] != HIT:
        return False
    if _voids_answer(rules, first_action):
        return True
    fatal = state["hit_points"][second] <= rules["damage"][first_action]
    return fatal and rules["simultaneous"] == 0


@kernel
def _voids_answer(rules, spell):
    return rules["disarm"][spell] == 1 or (rules["petrify"][spell] == 1 and rules["petrify_voids_riposte"] == 1)


@kernel
def _resolve(state, rules, answer_succeeded):
    """Step 3, then the next round. `answer_succeeded` is False for an answer without a die."""
    first = state["first_caster"]
    second = 1 - first
    answer = state["action"][1]
    first_takes_effect = state["first_roll"] == HIT and not (answer_succeeded and rules["block"][answer] == 1)
    answer_is_lost = first_takes_effect and _answer_is_lost(state, rules)  # judged before the damage is dealt
    late_hex = first_takes_effect and _first_spell_takes_effect(state, rules)  # 3a
    if state["hit_points"][second] == 0 and rules["simultaneous"] == 0:  # 3c
        _finish(state, first, BY_HIT_POINTS)
        return
    if not answer_is_lost:  # 3b, 3d
        if answer == seize_action(rules):
            _finish(state, second, BY_SEIZED_WAND)
            return
        _answer_happens(state, rules, answer_succeeded)
    if late_hex:
        state["hexed"][second] = 1
    _judge_hit_points(state, rules)


@kernel
def _first_spell_takes_effect(state, rules):
    """Step 3a; returns whether a hex is still to be laid once the answer is settled."""
    spell = state["action"][0]
    second = 1 - state["first_caster"]
    _damage_and_disarm(state, rules, spell, second)
    if rules["petrify"][spell] == 1 and rules["petrify_voids_riposte"] == 0:
        state["petrified_next"][second] = 1
    if rules["hex"][spell] == 1 and rules["hex_hits_riposte"] == 1:
        state["hexed"][second] = 1
    return rules["hex"][spell] == 1 and rules["hex_hits_riposte"] == 0


@kernel
def _answer_happens(state, rules, succeeded):
    """Step 3d, but for a seizure: "a spell only unless F's action was a successful Protego"."""
    first = state["first_caster"]
    second = 1 - first
    answer = state["action"][1]
    if _is_spell(rules, answer):
        first_blocks = state["first_roll"] == HIT and rules["block"][state["action"][0]] == 1
        _end_hex(state, second, succeeded)
        if succeeded and not first_blocks:
            _damage_and_disarm(state, rules, answer, first)
            if rules["petrify"][answer] == 1:
                state["petrified_next"][first] = 1
            if rules["hex"][answer] == 1:
                state["hexed"][first] = 1
    elif answer == retrieve_action(rules):
        state["wand"][second] = WAND_HELD


@kernel
def _judge_hit_points(state, rules):
    """Step 3e, and 3c when both are judged together; the next round if both still stand."""
    first = state["first_caster"]
    second = 1 - first
    if state["hit_points"][first] > 0 and state["hit_points"][second] > 0:
        _next_round(state, rules, second)
    elif state["hit_points"][second] > 0:
        _finish(state, second, BY_HIT_POINTS)
    elif state["hit_points"][first] > 0:
        _finish(state, first, BY_HIT_POINTS)
    else:
        _finish(state, NOBODY, BY_HIT_POINTS)


@kernel
def _next_round(state, rules, first_caster):
    """Step 4: "Roles swap; next round"."""
    state["round"] += 1
    state["first_caster"] = first_caster
    state["first_roll"] = NOT_ROLLED
    for player in range(2):
        state["action"][player] = NO_ACTION
        state["petrified"][player] = state["petrified_next"][player]
        state["petrified_next"][player] = 0
    _wait_for_player(state, first_caster)
    if is_past_limit(rules, state["round"]):
        cut_short(state)


@kernel
def _damage_and_disarm(state, rules, spell, target):
    state["hit_points"][target] = max(state["hit_points"][target] - rules["damage"][spell], 0)
    # "A wand that is already lost cannot be lost again, and keeps its first cause."
    if rules["disarm"][spell] == 1 and state["wand"][target] == WAND_HELD:
        state["wand"][target] = LOST_TO_DISARM


@kernel
def _end_hex(state, caster, succeeded):
    """The hex ends at the caster's next spell, whether it hits or misses; a miss loses the wand."""
    if state["hexed"][caster] == 1:
        state["hexed"][caster] = 0
        if not succeeded and state["wand"][caster] == WAND_HELD:
            state["wand"][caster] = LOST_TO_HEX


@kernel
def _wait_for_player(state, player):
    state["node"] = PLAYER
    state["die"] = NO_DIE
    state["current_player"] = player


@kernel
def _wait_for_die(state, die, roller):
    state["node"] = CHANCE
    state["die"] = die
    state["current_player"] = roller


@kernel
def _finish(state, winner, end):
    state["node"] = TERMINAL
    state["die"] = NO_DIE
    state["current_player"] = NOBODY
    state["winner"] = winner
    state["end"] = end
