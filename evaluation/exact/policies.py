"""What an agent does everywhere: its policy at every node of the state graph at which a player chooses."""

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from duel_env.game import Game
from duel_env.rules.jit import kernel
from duel_env.rules.protocol import state_size, write_sheets_features, write_state_features
from evaluation.exact.model import exact_model


@kernel
def _write_observations(states, rules, sheets, out):
    size = state_size(rules[0])
    for k in range(states.shape[0]):
        player = states[k]["current_player"]
        write_state_features(states[k], rules[0], sheets, player, out[k, :size])
        write_sheets_features(rules[0], sheets, player, out[k, size:])


def node_observations(game: Game, sheets: NDArray[np.void]) -> NDArray[np.float32]:
    """What the player to choose sees at each node at which one chooses, float32 (P, D), in a duel between SHEET (2,).

    Raises:
        ConfigError: the rules have too many states.
    """
    out = np.zeros((game.graph.num_player, game.observation_size), np.float32)
    _write_observations(game.graph.states[: game.graph.num_player], game.rules, sheets, out)
    return out


def policy_table(agent: Agent, game: Game, sheets: NDArray[np.void]) -> NDArray[np.float64]:
    """Probabilities of an agent's actions at each node at which a player chooses, whichever of the two it is.

    Args:
        agent: who chooses.
        game: the rules.
        sheets: SHEET (2,).

    Returns:
        float64 (P, A), 0 where an action is illegal; each row sums to 1.

    Raises:
        ConfigError: the rules have too many states, or the answer of the agent is no policy.
        SchemaError: as `agent.policy`.
    """
    model = exact_model(game)
    table = np.asarray(agent.policy(node_observations(game, sheets), model.legal.astype(np.int8)), np.float64)
    for player in range(2):
        model.check_policy(table, player)
    return table
