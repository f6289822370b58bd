"""One-ply expectimax: the agent tries every legal action on a copy of the duel and weighs all dice up to the next decision.

The search knows no rules: it plays with the ruleset's own kernel. What a position is worth, once it gets there, is the
estimate of the ruleset, at the end of this file. Both stand in one file because Numba's cache notices no change of another
one outside `duel_env.rules`.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent, best_legal, check_positions, one_hot
from duel_env.errors import ConfigError
from duel_env.game import NUM_PLAYERS, Game
from duel_env.rules.dispatch import dispatched, implement
from duel_env.rules.graph import CHANCE, TERMINAL
from duel_env.rules.hogwarts.dice import success_probability
from duel_env.rules.hogwarts.legality import seize_action
from duel_env.rules.hogwarts.observation import read_observation as read_hogwarts_observation
from duel_env.rules.hogwarts.state import HIT, NO_ACTION, NOT_ROLLED, RULES, STATE, WAND_HELD
from duel_env.rules.jit import kernel
from duel_env.rules.protocol import apply_action, apply_chance, is_legal, player_return, write_chance_outcomes

OBSERVER: Final = 0
"""The player that `read_observation` makes of whoever is to choose."""

_MAX_PENDING = 64  # nodes waiting at once: two outcomes a die and two dice a decision need three
_MAX_OUTCOMES = 16
_UNPLAYABLE = -2.0  # below any value
_SAME = 1e-9  # values that differ by less differ by rounding only


class Weights(NamedTuple):
    """The numbers of the estimate.

    Attributes:
        sharpness: how much of a duel the lead of one turn decides.
        wand: turns that a lost wand costs.
        seizable: value, from -1 to 1, of being to choose while the opponent's wand can be seized.
        threat: how much of the chance of a disarming answer counts against whoever acts first.
    """

    sharpness: float
    wand: float
    seizable: float
    threat: float


WEIGHTS: Final = Weights(sharpness=0.6, wand=2.0, seizable=0.9, threat=0.5)
"""Found by changing one number at a time, twice over, from (0.6, 1, 1, 0.5), for the highest mean, plus half of the mean lowest,
of the exact scores against random, stupefy, stupefy_strong, expelliarmus, greedy, defender and controller, at equal
skills of 45, 60, 75 and 90. A turn lost to petrification or to a hex kept its natural weight of 1 in that search.

The exact best response to the result scores 0.5000 at 60, 75 and 90, so that nothing beats it there, 0.5233 at 45, 0.5051 at 30.
"""


# ---- what a ruleset gives -----------------------------------------------------------------------------------------------------


@dispatched
def read_observation(rules, observation, state, sheets):
    """Rebuild state and sheets from the observation of whoever is to choose, who becomes player 0."""


@dispatched
def estimate(state, rules, sheets, weights, player):
    """What a running duel is worth to `player`, from -1.0 (lost) to 1.0 (won), at a node where somebody is to choose."""


# ---- the search ---------------------------------------------------------------------------------------------------------------


@kernel
def _expected_value(nodes, shares, rules, sheets, weights, outcomes):
    """Expected value for OBSERVER of the node in `nodes[0]`, over the dice up to the next decision.

    Args:
        nodes: STATE (n,); the others are room for the nodes that wait.
        shares: float64 (n,), room for their probabilities.
        rules: RULES (1,).
        sheets: SHEET (2,).
        weights: Weights.
        outcomes: float64 (k,), room for the probabilities of a die.

    Mutates:
        nodes, shares, outcomes.
    """
    value = 0.0
    shares[0] = 1.0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        share = shares[waiting]
        kind = nodes[waiting]["node"]
        if kind == TERMINAL:
            value += share * player_return(nodes[waiting], OBSERVER)
        elif kind == CHANCE:
            count = write_chance_outcomes(nodes[waiting], rules[0], sheets, outcomes)
            for outcome in range(count - 1, -1, -1):  # the first outcome takes the place of the node itself, so it comes last
                nodes[waiting + outcome] = nodes[waiting]
                shares[waiting + outcome] = share * outcomes[outcome]
                apply_chance(nodes[waiting + outcome], rules[0], sheets, outcome)
            waiting += count
        else:
            value += share * estimate(nodes[waiting], rules[0], sheets, weights, OBSERVER)
    return value


@kernel
def _write_values(observations, legal, rules, weights, nodes, shares, sheets, outcomes, values):
    """Values (B, A) of the legal actions; `_UNPLAYABLE` for the others.

    Mutates:
        values, and the room that the other arrays from `nodes` on are.
    """
    start = nodes.shape[0] - 1
    for i in range(observations.shape[0]):
        read_observation(rules[0], observations[i], nodes[start], sheets)
        for action in range(legal.shape[1]):
            values[i, action] = _UNPLAYABLE
            if legal[i, action] and is_legal(nodes[start], rules[0], sheets, action):
                nodes[0] = nodes[start]
                apply_action(nodes[0], rules[0], sheets, action)
                values[i, action] = _expected_value(nodes, shares, rules, sheets, weights, outcomes)


class ExpectimaxAgent(Agent):
    """Plays the action of the highest expected value, the first in the list among equals."""

    def __init__(self, game: Game, name: str = "expectimax", weights: Weights = WEIGHTS) -> None:
        """Make the agent.

        Args:
            game: the rules.
            name: of the agent.
            weights: of the estimate.

        Raises:
            ConfigError: there is no estimate for positions of this ruleset.
        """
        if game.ruleset.name not in RULESETS:
            known = ", ".join(RULESETS)
            raise ConfigError(f"{name} has no estimate for positions of the ruleset {game.ruleset.name!r}, only for {known}")
        self.game = game
        self.name = name
        self.weights = weights

    def values(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:
        """Expected values of the actions, float64 (B, A) from -1 to 1; -2 for illegal ones. Arguments as for `policy`."""
        seen, legal = check_positions(self.game, observation, action_mask)
        return self._values(seen, legal)

    def policy(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:  # noqa: D102
        seen, legal = check_positions(self.game, observation, action_mask)
        values = self._values(seen, legal)
        as_good_as_best = values >= values.max(axis=1, keepdims=True) - _SAME
        return one_hot(best_legal(as_good_as_best.astype(np.float64), legal), self.game.num_actions)

    def _values(self, observation: NDArray[np.float32], legal: NDArray[np.bool_]) -> NDArray[np.float64]:
        values = np.empty(legal.shape)
        ruleset = self.game.ruleset
        _write_values(
            observation,
            legal,
            self.game.rules,
            self.weights,
            np.zeros(_MAX_PENDING, ruleset.state_dtype),
            np.zeros(_MAX_PENDING),
            np.zeros(NUM_PLAYERS, ruleset.sheet_dtype),
            np.zeros(_MAX_OUTCOMES),
            values,
        )
        return values


# ---- the estimate for the school duel -----------------------------------------------------------------------------------------

_ANY = -(2**15)  # the least value of a field of the rules
_NEVER = 1e3  # turns; for duelists without any spell that does damage


@kernel
def _best_chance(rules, sheet, effect, least):
    """The highest chance among the spells whose entry in `effect`, a field of the rules, is at least `least`."""
    best = 0.0
    for spell in range(rules["num_spells"]):
        if effect[spell] >= least:
            best = max(best, success_probability(rules, sheet, spell))
    return best


@kernel
def _turns_to_win(rules, sheet, hit_points):
    """Turns that a duelist is expected to need for `hit_points` of the opponent, left in peace.

    One spell is cast as often as it takes, and the likeliest that is strong enough does the rest.
    """
    fewest = _NEVER
    for spell in range(rules["num_spells"]):
        chance = success_probability(rules, sheet, spell)
        damage = rules["damage"][spell]
        if damage > 0 and chance > 0.0:
            turns = (hit_points // damage) / chance
            rest = hit_points % damage
            if rest > 0:
                turns += 1.0 / _best_chance(rules, sheet, rules["damage"], rest)
            fewest = min(fewest, turns)
    return fewest


@kernel
def _lost_turns(rules, sheet, has_wand, petrified_turns, hexed, weights):
    """Turns that a duelist is going to lose: to petrification, to taking the wand back, and to a hex that strikes."""
    lost = np.float64(petrified_turns)
    if not has_wand:
        # A turn for which one is petrified can be used to retrieve the wand, if the rules let one.
        lost = max(lost, weights.wand) if rules["petrified_may_retrieve"] == 1 else lost + weights.wand
    if hexed:
        lost += 1.0 - _best_chance(rules, sheet, rules["penalty"], _ANY)
    return lost


@kernel
def _petrified_turns(state, player):
    """Turns to come for which a player is petrified: the next round's, and this round's unless that is played."""
    has_acted = state["action"][0] != NO_ACTION and state["current_player"] != player
    return np.int64(state["petrified_next"][player]) + (0 if has_acted else np.int64(state["petrified"][player]))


@kernel
def _race(own_turns, other_turns, weights):
    """Value of a race in which one needs `own_turns` and the other `other_turns`; chance has more to say in a long one."""
    return np.tanh(weights.sharpness * (other_turns - own_turns) / np.sqrt(own_turns + other_turns + 1.0))


@kernel
def _free_answer(own_turns, other_turns, disarms, weights):
    """Value to who is to answer in peace: to go on with the race, or to disarm the opponent, whose wand can be seized next."""
    missed = _race(own_turns + 1.0, other_turns, weights)
    return max(_race(own_turns, other_turns, weights), disarms * weights.seizable + (1.0 - disarms) * missed)


@kernel
def _struck(state, rules, sheets, weights, own_turns, other_lost, disarms, answers):
    """Value to who is to answer if the first caster's spell strikes.

    `own_turns` are those that the answering player needs to win, without those that it loses; `other_lost` are those that the
    first caster loses; `disarms` is the chance of a disarming answer. `answers` says whether the answer is still to be given,
    unless the spell makes it void; False: it was a block that failed.
    """
    mover = state["current_player"]
    spell = state["action"][0]
    hit_points = state["hit_points"][mover] - rules["damage"][spell]
    if hit_points <= 0:
        return -1.0
    other_turns = _turns_to_win(rules, sheets[1 - mover], hit_points) + other_lost
    petrifies_now = rules["petrify"][spell] == 1 and rules["petrify_voids_riposte"] == 1
    petrified_turns = _petrified_turns(state, mover)
    if rules["petrify"][spell] == 1 and not petrifies_now:
        petrified_turns += 1
    has_wand = state["wand"][mover] == WAND_HELD and rules["disarm"][spell] == 0
    is_hexed = state["hexed"][mover] == 1 or rules["hex"][spell] == 1
    own_turns += _lost_turns(rules, sheets[mover], has_wand, petrified_turns, is_hexed, weights)
    if answers and rules["disarm"][spell] == 0 and not petrifies_now:
        return _free_answer(own_turns, other_turns, disarms, weights)
    return _race(own_turns + 1.0, other_turns, weights)


@kernel
def _answer_value(state, rules, sheets, weights, own_turns, own_lost, other_turns, other_lost):
    """Value to who is to answer: the best of ignoring the first caster's action, disarming its caster, and blocking it."""
    mover = state["current_player"]
    other = 1 - mover
    spell = state["action"][0]
    can_cast = state["wand"][mover] == WAND_HELD and state["petrified"][mover] == 0
    disarms = 0.0
    if can_cast and state["wand"][other] == WAND_HELD:
        disarms = _best_chance(rules, sheets[mover], rules["disarm"], 1)
    in_peace = _free_answer(own_turns + own_lost, other_turns + other_lost, disarms, weights)
    turn_spent = _race(own_turns + own_lost + 1.0, other_turns + other_lost, weights)
    if spell >= rules["num_spells"]:
        return in_peace
    strikes = 1.0 if state["first_roll"] == HIT else 0.0
    if state["first_roll"] == NOT_ROLLED:
        strikes = success_probability(rules, sheets[other], spell)
    if rules["block"][spell] == 1:
        return strikes * turn_spent + (1.0 - strikes) * in_peace if can_cast else in_peace
    struck = _struck(state, rules, sheets, weights, own_turns, other_lost, disarms, True)
    value = strikes * struck + (1.0 - strikes) * in_peace
    blocks = _best_chance(rules, sheets[mover], rules["block"], 1)
    if can_cast and blocks > 0.0:
        strikes *= 1.0 - blocks
        struck = _struck(state, rules, sheets, weights, own_turns, other_lost, 0.0, False)
        value = max(value, strikes * struck + (1.0 - strikes) * turn_spent)
    return value


@kernel
def _hogwarts_estimate(state, rules, sheets, weights, player):
    """A race: each duelist needs so many turns to bring the other's hit points to 0, and loses so many on the way.

    Turns are lost by a wand to take back, by petrification and by a hex that strikes. A wand that can be seized decides the
    duel, so that a disarming answer is a threat. A spell of the first caster's that waits for the answer counts as if the
    opponent did the best
    of three things about it: ignore it, disarm its caster, or spend the turn on the likeliest blocking spell.

    Source: our choice; see `WEIGHTS` for how the numbers were found.
    """
    mover = state["current_player"]
    other = 1 - mover
    mover_armed = state["wand"][mover] == WAND_HELD
    other_armed = state["wand"][other] == WAND_HELD
    if is_legal(state, rules, sheets, seize_action(rules)):
        value = weights.seizable
    else:
        own_turns = _turns_to_win(rules, sheets[mover], state["hit_points"][other])
        own_lost = _lost_turns(
            rules, sheets[mover], mover_armed, _petrified_turns(state, mover), state["hexed"][mover] == 1, weights
        )
        other_turns = _turns_to_win(rules, sheets[other], state["hit_points"][mover])
        other_lost = _lost_turns(
            rules, sheets[other], other_armed, _petrified_turns(state, other), state["hexed"][other] == 1, weights
        )
        if state["action"][0] != NO_ACTION:
            value = _answer_value(state, rules, sheets, weights, own_turns, own_lost, other_turns, other_lost)
        else:
            threat = 0.0
            if mover_armed and other_armed and state["petrified"][other] == 0:
                threat = weights.threat * _best_chance(rules, sheets[other], rules["disarm"], 1)
            value = (1.0 - threat) * _race(own_turns + own_lost, other_turns + other_lost, weights) - threat * weights.seizable
    return value if mover == player else -value


implement(RULES, read_observation=read_hogwarts_observation)
implement(STATE, estimate=_hogwarts_estimate)

RULESETS: Final = ("hogwarts",)
"""Rulesets with an estimate."""
