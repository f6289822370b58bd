"""Exact values of the default duel, from value iteration on the kernel's state graph, against the published ones.

The published values are those of the rules page of this project ("Known exact values"), which come from an independent solver.
"""

import numpy as np
import pytest

from duel_env.game import make_game
from duel_env.rules.hogwarts.nodes import player_return
from duel_env.rules.hogwarts.state import COIN, FIRST_ROLL


class Solver:
    """Plain value iteration in NumPy over the kernel's state graph: values for player 0, from a draw everywhere, endless play a draw."""

    def __init__(self, skills: tuple[int, int], **options):
        self.game = make_game("hogwarts", options)
        graph = self.game.graph
        self.starts = graph.starts[:2]
        self.num_player, self.num_visible = graph.num_player, graph.num_player + graph.num_terminal
        self.exists = graph.edges >= 0
        self.target = np.where(self.exists, graph.edges >> 1, 0)
        self.legal = self.exists[: self.num_player]
        self.chooser = graph.states["current_player"][: self.num_player]
        die = graph.states[self.num_visible :]
        spell = np.where(die["die"] == FIRST_ROLL, die["action"][:, 0], die["action"][:, 1])
        chance = np.clip(np.array(skills)[die["current_player"]] - self.game.rules["penalty"][0][spell], 0, 100) / 100
        self.chance = np.where(die["die"] == COIN, 0.5, chance)
        self.ends = [player_return(graph.states[node], 0) for node in range(self.num_player, self.num_visible)]

    def values(self, policies: dict[int, np.ndarray] | None = None, tolerance: float = 1e-10) -> np.ndarray:
        """Value of every node for player 0. A player in `policies` (probabilities (nodes, A)) plays them, any other plays perfectly."""
        value = np.zeros(len(self.target))
        value[self.num_player : self.num_visible] = self.ends
        while True:
            before = value.copy()
            dice = self.target[self.num_visible :]
            value[self.num_visible :] = (1 - self.chance) * value[dice[:, 0]] + self.chance * value[dice[:, 1]]
            after = value[self.target[: self.num_player]]
            best = np.where(self.legal, after, -np.inf).max(axis=1)
            worst = np.where(self.legal, after, np.inf).min(axis=1)
            chosen = np.where(self.chooser == 0, best, worst)
            for player, policy in (policies or {}).items():
                chosen = np.where(self.chooser == player, (policy * after).sum(axis=1), chosen)
            value[: self.num_player] = chosen
            if np.abs(value - before).max() < tolerance:
                return value

    def perfect_policy(self) -> np.ndarray:
        """One-hot (nodes, A): for both players the first of their best actions."""
        after = self.values()[self.target[: self.num_player]]
        signed = np.where(self.chooser[:, None] == 0, after, -after)
        masked = np.where(self.legal, signed, -np.inf)
        best = masked >= masked.max(axis=1, keepdims=True) - 1e-9
        return np.eye(masked.shape[1])[best.argmax(axis=1)]

    def always(self, spell: str | None) -> np.ndarray:
        """One spell whenever it can be cast, else seizing, else what must be done; uniformly random for None."""
        if spell is None:
            return self.legal / self.legal.sum(axis=1, keepdims=True)
        wanted = [self.game.action_number(name) for name in ("seize_wand", "retrieve_wand", spell, "pass")]
        order = np.stack([self.legal[:, action] for action in wanted], axis=1).argmax(axis=1)
        return np.eye(self.legal.shape[1])[np.array(wanted)[order]]

    def wins(self, value: np.ndarray) -> np.ndarray:
        """Probability that player 0 wins plus half the draws, when player 0 and when player 1 acts first."""
        return (value[self.starts] + 1) / 2


def solve(skills: tuple[int, int], **options) -> tuple[float, float, str]:
    solver = Solver(skills, **options)
    first, second = solver.wins(solver.values())
    action = int(solver.perfect_policy()[solver.starts[0]].argmax())
    return float(first), float(second), solver.game.actions[action].id


@pytest.mark.parametrize(
    ("skills", "first", "second", "action"),
    [
        ((30, 30), 0.4979, 0.5021, "stupefy"),
        ((45, 45), 0.4840, 0.5160, "stupefy_strong"),
        ((60, 60), 0.4681, 0.5319, "protego"),
        ((75, 75), 0.4702, 0.5298, "protego"),
        ((60, 50), 0.6330, 0.6881, "protego"),
        ((80, 60), 0.7581, 0.8065, "protego"),
    ],
)
def test_published_values_of_the_default_duel(skills, first, second, action):
    found = solve(skills)
    assert found[:2] == pytest.approx((first, second), abs=5e-5)
    assert found[2] == action


@pytest.mark.parametrize(
    ("skills", "first", "second"),
    [((75, 75), 0.4787, 0.5213), ((80, 60), 0.7137, 0.7592), ((60, 60), 0.4681, 0.5319)],
)
def test_published_values_without_riposte_sees_roll(skills, first, second):
    found = solve(skills, riposte_sees_roll=False)
    assert found[:2] == pytest.approx((first, second), abs=5e-5)
    if skills == (75, 75):
        assert found[2] == "expelliarmus"


def test_endless_protego_is_perfect_play_at_full_skill():
    assert solve((100, 100))[:2] == pytest.approx((0.5, 0.5))


def test_number_of_nodes_of_the_default_duel():
    """Counted once by breadth-first search in Python over the kernel, and by the compiled search."""
    graph = make_game("hogwarts").graph
    assert (graph.num_player, graph.num_terminal, len(graph.states)) == (7_050, 938, 20_989)


@pytest.mark.parametrize(
    ("opponent", "best_response", "equilibrium"),
    [
        (None, 0.9382, 0.9244),
        ("stupefy", 0.8723, 0.8318),
        ("stupefy_strong", 0.7106, 0.7080),
        ("expelliarmus", 0.6048, 0.6048),
    ],
)
def test_wins_against_fixed_opponents_averaged_over_who_begins(opponent, best_response, equilibrium):
    """What the rules page calls perfect play against these four is the best response to each; equilibrium play wins less."""
    solver = Solver((60, 60))
    fixed = solver.always(opponent)
    assert solver.wins(solver.values({1: fixed})).mean() == pytest.approx(best_response, abs=5e-5)
    assert solver.wins(solver.values({0: solver.perfect_policy(), 1: fixed})).mean() == pytest.approx(equilibrium, abs=5e-5)
