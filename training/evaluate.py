"""Win rates of a policy while it learns: few duels, but always the same, so that a change is a change of the policy."""

from collections.abc import Sequence

from agents.network import NetworkAgent, PolicyNetwork
from agents.registry import make_agent
from duel_env.config import Settings
from duel_env.game import Game
from evaluation.match import play_match

_SEED = 20_260_101
"""Of all these matches, whatever the seed of the run."""


class WinRates:
    """Measures a policy against fixed opponents.

    The policy plays its most likely action where both players see everything, where that loses nothing, and else samples.
    """

    def __init__(self, game: Game, setup: Settings, opponents: Sequence[str], duels: int) -> None:
        """Make the opponents.

        Args:
            game: the rules.
            setup: who duels, and who begins.
            opponents: as `agents.registry.make_agent` names them.
            duels: against each of them; rounded up to whole blocks of `evaluation.match.Plan`.

        Raises:
            ConfigError: there is no such agent.
            SchemaError: an opponent's file that is not accepted.
        """
        self._game = game
        self._setup = setup
        self._duels = duels
        self._opponents = {opponent: make_agent(opponent, game) for opponent in opponents}

    @staticmethod
    def column(opponent: str) -> str:
        """The name of the metric that is the win rate against an opponent."""
        return f"win_rate_{opponent}"

    @property
    def columns(self) -> list[str]:
        """Names of all metrics."""
        return [self.column(opponent) for opponent in self._opponents]

    def measure(self, network: PolicyNetwork) -> dict[str, float]:
        """Opponent -> share of duels won, draws counting half, both seats equally often."""
        game = self._game
        agent = NetworkAgent(network, game, greedy=game.ruleset.perfect_information(game.options))
        return {
            opponent: play_match(game, self._setup, (agent, other), self._duels, _SEED).total.score
            for opponent, other in self._opponents.items()
        }
