"""The agent that every other one has to beat."""

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent, check_positions
from duel_env.game import Game


class RandomAgent(Agent):
    """Uniform over the legal actions."""

    def __init__(self, game: Game, name: str = "random") -> None:
        self.game = game
        self.name = name

    def policy(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:  # noqa: D102
        _, legal = check_positions(self.game, observation, action_mask)
        probabilities: NDArray[np.float64] = legal / legal.sum(axis=1, keepdims=True)
        return probabilities
