"""What a player sees, and the inverse. The layout table is the only description of the vector; the docs are generated from it."""

import numpy as np

from duel_env.observation import Feature
from duel_env.rules.hogwarts.dice import success_probability
from duel_env.rules.hogwarts.legality import num_actions
from duel_env.rules.hogwarts.state import (
    HIT,
    LOST_TO_DISARM,
    LOST_TO_HEX,
    MISSED,
    NO_ACTION,
    NOT_ROLLED,
    PLAYER,
    RUNNING,
    WAND_HELD,
)
from duel_env.rules.jit import kernel

OBSERVATION_VERSION = 1

_BODY = 6  # features of one duelist's body, own first, then the opponent's
_ACTS_FIRST = 2 * _BODY
_FIRST_ACTION = _ACTS_FIRST + 1


def layout(action_ids: tuple[str, ...], spell_ids: tuple[str, ...]) -> tuple[Feature, ...]:
    """One row per index of the observation, from the perspective of the player who looks."""
    body = (
        ("hit_points", "hit points left, as a share of those at the start"),
        ("wand_lost_to_disarm", "1: the wand lies on the ground after a disarming spell"),
        ("wand_lost_to_hex", "1: the wand lies on the ground after a miss under Levicorpus"),
        ("petrified", "1: cannot cast in this round"),
        ("petrified_next", "1: cannot cast in the next round"),
        ("hexed", "1: a miss of the next spell loses the wand"),
    )
    features = [Feature(f"{who}_{name}", 0.0, 1.0, meaning) for who in ("own", "opponent") for name, meaning in body]
    features.append(Feature("acts_first", 0.0, 1.0, "1: acts first in this round; 0: answers"))
    features += [
        Feature(f"first_action_{action}", 0.0, 1.0, "1: what the first caster of this round chose") for action in action_ids
    ]
    features.append(Feature("first_roll_missed", 0.0, 1.0, "1: the first caster's spell is known to have missed"))
    features.append(Feature("first_roll_hit", 0.0, 1.0, "1: the first caster's spell is known to be a success"))
    for who, note in (("own", ""), ("opponent", "; 0 when the opponent's skill is hidden")):
        features.append(Feature(f"{who}_skill", 0.0, 1.0, "skill as a share of 100" + note))
        features += [Feature(f"{who}_chance_{spell}", 0.0, 1.0, "chance that this spell succeeds" + note) for spell in spell_ids]
    return tuple(features)


@kernel
def state_size(rules):
    """Number of leading features that depend on the state alone; the sheets' features follow."""
    return _FIRST_ACTION + num_actions(rules) + 2


@kernel
def sheets_size(rules):
    """Number of features that depend on the sheets."""
    return 2 * (1 + rules["num_spells"])


@kernel
def write_state_features(state, rules, sheets, player, out):
    """Write what `player` sees of the state: float32 (state_size,), each in [0, 1].

    It does not depend on whose turn it is or on whether the duel is over.

    Mutates:
        out.
    """
    for i in range(2):
        who = player if i == 0 else 1 - player
        at = i * _BODY
        out[at] = np.float32(state["hit_points"][who]) / np.float32(rules["hit_points"])
        out[at + 1] = state["wand"][who] == LOST_TO_DISARM
        out[at + 2] = state["wand"][who] == LOST_TO_HEX
        out[at + 3] = state["petrified"][who]
        out[at + 4] = state["petrified_next"][who]
        out[at + 5] = state["hexed"][who]
    out[_ACTS_FIRST] = state["first_caster"] == player
    actions = num_actions(rules)
    for action in range(actions):
        out[_FIRST_ACTION + action] = state["action"][0] == action
    out[_FIRST_ACTION + actions] = state["first_roll"] == MISSED
    out[_FIRST_ACTION + actions + 1] = state["first_roll"] == HIT


@kernel
def write_sheets_features(rules, sheets, player, out):
    """Write what `player` sees of the two sheets: float32 (sheets_size,), each in [0, 1].

    Mutates:
        out.
    """
    half = 1 + rules["num_spells"]
    for i in range(2):
        sheet = sheets[player if i == 0 else 1 - player]
        visible = i == 0 or rules["observe_opponent_skill"] == 1
        at = i * half
        out[at] = np.float32(sheet["skill"] / 100.0) if visible else np.float32(0.0)
        for spell in range(rules["num_spells"]):
            chance = np.float32(success_probability(rules, sheet, spell))
            out[at + 1 + spell] = chance if visible else np.float32(0.0)


@kernel
def read_observation(rules, observation, state, sheets):
    """Rebuild state and sheets from an observation of the player who is to choose, who becomes player 0.

    What the observation hides is filled in: the round is 1, and a hidden opponent is assumed to be as skilled as the observer.

    Args:
        rules: RULES record.
        observation: float32 (D,), as `write_state_features` and `write_sheets_features` write it.
        state: STATE record, overwritten.
        sheets: SHEET (2,), overwritten.

    Mutates:
        state, sheets.
    """
    state["round"] = 1
    for player in range(2):
        at = player * _BODY
        state["hit_points"][player] = round(observation[at] * rules["hit_points"])
        wand = WAND_HELD
        if observation[at + 1] == 1.0:
            wand = LOST_TO_DISARM
        elif observation[at + 2] == 1.0:
            wand = LOST_TO_HEX
        state["wand"][player] = wand
        state["petrified"][player] = observation[at + 3] == 1.0
        state["petrified_next"][player] = observation[at + 4] == 1.0
        state["hexed"][player] = observation[at + 5] == 1.0
        state["action"][player] = NO_ACTION
    actions = num_actions(rules)
    for action in range(actions):
        if observation[_FIRST_ACTION + action] == 1.0:
            state["action"][0] = action
    state["first_roll"] = NOT_ROLLED
    if observation[_FIRST_ACTION + actions] == 1.0:
        state["first_roll"] = MISSED
    elif observation[_FIRST_ACTION + actions + 1] == 1.0:
        state["first_roll"] = HIT
    state["first_caster"] = 0 if observation[_ACTS_FIRST] == 1.0 else 1
    state["current_player"] = 0
    state["node"] = PLAYER
    state["die"] = 0
    state["winner"] = -1
    state["end"] = RUNNING
    state["reserved"][:] = 0
    at = state_size(rules)
    sheets[0]["skill"] = round(observation[at] * 100.0)
    sheets[1]["skill"] = sheets[0]["skill"]
    if rules["observe_opponent_skill"] == 1:
        sheets[1]["skill"] = round(observation[at + 1 + rules["num_spells"]] * 100.0)
