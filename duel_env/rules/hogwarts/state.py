"""Records of the school duel: the state, the duelists' sheets, the rules of play and the set-up, packed so that equal means equal bytes."""

from typing import Final

import numpy as np

PLAYER, CHANCE, TERMINAL = range(3)
"""Values of `state["node"]`: a player chooses; a die is due; the duel is over."""

NO_DIE, COIN, FIRST_ROLL, SECOND_ROLL = range(4)
"""Values of `state["die"]`: the coin for initiative, the d100 of the first and of the second caster of the round."""

WAND_HELD, LOST_TO_DISARM, LOST_TO_HEX = range(3)
"""Values of `state["wand"]`. Only the first kind of loss lets the opponent seize the wand, by default."""

NOT_ROLLED, MISSED, HIT = range(3)
"""Values of `state["first_roll"]`: what the first caster's spell came to before it is resolved."""

RUNNING, BY_HIT_POINTS, BY_SEIZED_WAND, BY_DISQUALIFICATION, BY_ROUND_LIMIT = range(5)
"""Values of `state["end"]`: why the duel is over."""

NOBODY: Final = -1
NO_ACTION: Final = -1
MAX_SPELLS: Final = 32
"""Longest spell list. Actions are the spells in list order, then RETRIEVE, SEIZE and PASS (see `retrieve_action`)."""
NUM_PLAIN_ACTIONS: Final = 3

STATE = np.dtype(
    [
        ("round", np.int32),  # 1.. ; the round being played
        ("hit_points", np.int16, 2),  # [player] 0..rules["hit_points"]
        ("wand", np.int8, 2),  # [player] WAND_HELD, LOST_TO_DISARM or LOST_TO_HEX
        ("petrified", np.int8, 2),  # [player] 1: cannot cast in this round
        ("petrified_next", np.int8, 2),  # [player] 1: will be petrified in the next round
        ("hexed", np.int8, 2),  # [player] 1: a miss of the next spell loses the wand
        ("action", np.int8, 2),  # [first caster's, second caster's] choice of this round or NO_ACTION
        ("first_roll", np.int8),  # NOT_ROLLED, MISSED or HIT
        ("first_caster", np.int8),  # 0 or 1: who acts first in this round; NOBODY before the coin
        ("current_player", np.int8),  # who chooses or rolls; NOBODY at the coin and when the duel is over
        ("node", np.int8),  # PLAYER, CHANCE or TERMINAL
        ("die", np.int8),  # NO_DIE, COIN, FIRST_ROLL or SECOND_ROLL
        ("winner", np.int8),  # 0, 1 or NOBODY
        ("end", np.int8),  # RUNNING, or why the duel is over
        ("reserved", np.int8, 3),  # always 0; makes the size a multiple of 4
    ]
)

SHEET = np.dtype([("skill", np.int16)])
"""One duelist: the Sortilèges skill, 0..100. A duel has two, as an array of shape (2,)."""

RULES = np.dtype(
    [
        ("hit_points", np.int32),
        ("max_rounds", np.int32),  # NO_LIMIT: endless
        ("num_spells", np.int32),
        ("riposte_sees_roll", np.int8),
        ("simultaneous", np.int8),
        ("petrify_voids_riposte", np.int8),
        ("hex_hits_riposte", np.int8),
        ("seize_after_any_disarm", np.int8),
        ("petrified_may_retrieve", np.int8),
        ("observe_opponent_skill", np.int8),
        ("reserved", np.int8),
        ("penalty", np.int16, MAX_SPELLS),  # [spell] subtracted from the skill
        ("damage", np.int16, MAX_SPELLS),
        ("disarm", np.int8, MAX_SPELLS),
        ("petrify", np.int8, MAX_SPELLS),
        ("hex", np.int8, MAX_SPELLS),
        ("block", np.int8, MAX_SPELLS),
    ]
)

SETUP = np.dtype(
    [
        ("skill_low", np.int16, 2),  # [player] skills are drawn uniformly from low..high, both included
        ("skill_high", np.int16, 2),
        ("first_caster", np.int8),  # 0, 1, or NOBODY: initiative by the rules
        ("reserved", np.int8),
    ]
)

NO_LIMIT: Final = 2**31 - 1

for record in (STATE, SHEET, RULES, SETUP):
    assert record.itemsize == sum(record[name].itemsize for name in record.names or ()), "padding breaks equality by bytes"
