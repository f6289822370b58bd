"""Who may do what: the only place that says so.

Source: rules page, "Legal actions (the mask)"; in the French text, the effect of Petrificus Totalus and "La victime d'un Expelliarmus ...".
"""

from duel_env.rules.hogwarts.state import LOST_TO_DISARM, PLAYER, WAND_HELD
from duel_env.rules.jit import kernel


@kernel
def num_actions(rules):
    """Number of actions A: the spells, then retrieve_wand, seize_wand and pass."""
    return rules["num_spells"] + 3


@kernel
def retrieve_action(rules):
    """Action id of `retrieve_wand`."""
    return rules["num_spells"]


@kernel
def seize_action(rules):
    """Action id of `seize_wand`."""
    return rules["num_spells"] + 1


@kernel
def pass_action(rules):
    """Action id of `pass`."""
    return rules["num_spells"] + 2


@kernel
def is_legal(state, rules, sheets, action):
    """Whether the player whose turn it is may take `action` (any integer); False when nobody is to choose."""
    if state["node"] != PLAYER or action < 0 or action >= num_actions(rules):
        return False
    player = state["current_player"]
    petrified = state["petrified"][player] == 1
    free_hands = not petrified or rules["petrified_may_retrieve"] == 1
    casts = state["wand"][player] == WAND_HELD and not petrified
    retrieves = state["wand"][player] != WAND_HELD and free_hands
    wand_across = state["wand"][1 - player]
    lies_to_seize = wand_across == LOST_TO_DISARM or (wand_across != WAND_HELD and rules["seize_after_any_disarm"] == 1)
    seizes = free_hands and lies_to_seize
    if action < rules["num_spells"]:
        return casts
    if action == retrieve_action(rules):
        return retrieves
    if action == seize_action(rules):
        return seizes
    return not (casts or retrieves or seizes)


@kernel
def write_action_mask(state, rules, sheets, mask):
    """Mark what the player whose turn it is may do; all 0 when nobody is to choose.

    Args:
        state: STATE record.
        rules: RULES record.
        sheets: SHEET (2,).
        mask: int8 (A,); 1 = legal.

    Mutates:
        mask: all its A entries.
    """
    for action in range(num_actions(rules)):
        mask[action] = is_legal(state, rules, sheets, action)
