"""Step 3 of a round: what the two choices and their dice come to. Comments cite the steps of the rules page ("The order of play")."""

from duel_env.rules.hogwarts.legality import retrieve_action, seize_action
from duel_env.rules.hogwarts.nodes import cut_short, finish, is_past_limit, wait_for_die, wait_for_player
from duel_env.rules.hogwarts.state import (
    BY_HIT_POINTS,
    BY_SEIZED_WAND,
    HIT,
    LOST_TO_DISARM,
    LOST_TO_HEX,
    NO_ACTION,
    NOBODY,
    NOT_ROLLED,
    SECOND_ROLL,
    WAND_HELD,
)
from duel_env.rules.jit import kernel


@kernel
def is_spell(rules, action):
    """Whether an action id is a spell."""
    return 0 <= action < rules["num_spells"]


@kernel
def continue_with_answer(state, rules):
    """Step 2, second half: the answer's die, if the answer is a spell that will be cast; else straight to the resolution."""
    answer = state["action"][1]
    second = 1 - state["first_caster"]
    if is_spell(rules, answer) and (rules["block"][answer] == 1 or not _answer_is_lost(state, rules)):
        wait_for_die(state, SECOND_ROLL, second)
    else:
        resolve(state, rules, False)


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
def resolve(state, rules, answer_succeeded):
    """Step 3, then the next round. `answer_succeeded` is False for an answer without a die."""
    first = state["first_caster"]
    second = 1 - first
    answer = state["action"][1]
    first_takes_effect = state["first_roll"] == HIT and not (answer_succeeded and rules["block"][answer] == 1)
    answer_is_lost = first_takes_effect and _answer_is_lost(state, rules)  # judged before the damage is dealt
    late_hex = first_takes_effect and _first_spell_takes_effect(state, rules)  # 3a
    if state["hit_points"][second] == 0 and rules["simultaneous"] == 0:  # 3c
        finish(state, first, BY_HIT_POINTS)
        return
    if not answer_is_lost:  # 3b, 3d
        if answer == seize_action(rules):
            finish(state, second, BY_SEIZED_WAND)
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
    if is_spell(rules, answer):
        first_blocks = state["first_roll"] == HIT and rules["block"][state["action"][0]] == 1
        end_hex(state, second, succeeded)
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
        finish(state, second, BY_HIT_POINTS)
    elif state["hit_points"][first] > 0:
        finish(state, first, BY_HIT_POINTS)
    else:
        finish(state, NOBODY, BY_HIT_POINTS)


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
    wait_for_player(state, first_caster)
    if is_past_limit(rules, state["round"]):
        cut_short(state)


@kernel
def _damage_and_disarm(state, rules, spell, target):
    state["hit_points"][target] = max(state["hit_points"][target] - rules["damage"][spell], 0)
    # "A wand that is already lost cannot be lost again, and keeps its first cause."
    if rules["disarm"][spell] == 1 and state["wand"][target] == WAND_HELD:
        state["wand"][target] = LOST_TO_DISARM


@kernel
def end_hex(state, caster, succeeded):
    """The hex ends at the caster's next spell, whether it hits or misses; a miss loses the wand."""
    if state["hexed"][caster] == 1:
        state["hexed"][caster] = 0
        if not succeeded and state["wand"][caster] == WAND_HELD:
            state["wand"][caster] = LOST_TO_HEX
