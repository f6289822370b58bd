"""Positions that random play reaches, under random rules, for tests that hold for every agent."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from agents.network import Layer, NetworkAgent, PolicyNetwork
from agents.registry import agent_names, make_agent
from agents.scripted import spell_ids
from duel_env.batch import DuelBatch
from duel_env.game import Game, make_game
from tests.helpers import make_setup, random_options, random_skills


class Positions(NamedTuple):
    """Observations (B, D) and masks (B, A) of one game."""

    game: Game
    observation: NDArray[np.float32]
    action_mask: NDArray[np.int8]


def random_positions(seed: int, num_rows: int = 16, num_steps: int = 12) -> Positions:
    """Positions of duels under random options, hidden skills among them."""
    rng = np.random.default_rng(seed)
    options = random_options(rng) | {"observe_opponent_skill": bool(rng.integers(2))}
    return play_randomly(make_game("hogwarts", options), random_skills(rng), seed, num_rows, num_steps)


def play_randomly(game: Game, skills: tuple[int, int], seed: int, num_rows: int = 16, num_steps: int = 12) -> Positions:
    """Positions of some duels at every step of random play."""
    rng = np.random.default_rng(seed)
    # The kernel, since the table of random rules may take long to build.
    batch = DuelBatch(game, num_rows, make_setup(game, skills=skills), engine="kernel")
    batch.reset(seed=seed)
    observations, masks = [], []
    for _ in range(num_steps):
        observations.append(batch.observation.copy())
        masks.append(batch.action_mask.copy())
        batch.step(np.argmax(rng.random(batch.action_mask.shape) * batch.action_mask, axis=1))
    return Positions(game, np.concatenate(observations), np.concatenate(masks))


def random_network(game: Game, seed: int = 0, hidden: tuple[int, ...] = (12, 7), activation: str = "tanh") -> PolicyNetwork:
    """A network with random weights for a game."""
    rng = np.random.default_rng(seed)

    def layers(*sizes: int) -> list[Layer]:
        return [
            (rng.normal(size=(outputs, inputs)).astype(np.float32), rng.normal(size=outputs).astype(np.float32))
            for inputs, outputs in pairwise(sizes)
        ]

    actor = layers(game.observation_size, *hidden, game.num_actions)
    critic = layers(game.observation_size, *hidden, 1)
    return PolicyNetwork(actor, critic, activation)  # type: ignore[arg-type]


def all_agents(game: Game) -> list[Agent]:
    """Every agent there is for a game, with random networks for trained ones."""
    agents = [make_agent(known.name, game) for known in agent_names(game)]
    agents.append(make_agent(f"spam:{spell_ids(game)[-1]}", game))
    agents.append(NetworkAgent(random_network(game), game, greedy=True, name="greedy network"))
    agents.append(NetworkAgent(random_network(game), game, greedy=False, name="sampled network"))
    return agents
