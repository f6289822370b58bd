"""What is measured of a policy while it learns, and when.

Win rates: few duels, but always the same, so that a change is a change of the policy. Exploitability: see `exploitability`.
"""

from collections.abc import Callable, Sequence

from agents.network import NetworkAgent, PolicyNetwork
from agents.registry import make_agent
from duel_env.config import Settings
from duel_env.game import Game
from evaluation.match import play_match
from training.config import TrainConfig
from training.exploitability import ExploitabilityMeter

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


class Evaluation:
    """All measurements of a run.

    Attributes:
        columns: names of the metrics.
    """

    def __init__(self, config: TrainConfig, game: Game) -> None:
        """See that everything can be measured.

        Raises:
            ConfigError: as `WinRates` and `ExploitabilityMeter`.
            SchemaError: as `WinRates`.
        """
        self._config = config
        self._win_rates = WinRates(game, config.setup_settings(), config.run.opponents, config.run.evaluation_duels)
        self._meter = ExploitabilityMeter(game, config.run.exploitability_pairs)
        self.columns = [*self._win_rates.columns, *self._meter.columns]

    def measure(self, update: int, network: Callable[[], PolicyNetwork]) -> tuple[dict[str, float], str]:
        """What is due after an update, and the same in words, which are empty if nothing is.

        It depends on the number of the update alone, so that a run that was interrupted measures the same as one that was not.

        Args:
            update: its number, from 1.
            network: gives the policy.

        Returns:
            metrics by column, text.

        Raises:
            ConvergenceError: as `ExploitabilityMeter.measure`.
        """
        run, is_last = self._config.run, update == self._config.num_updates
        found: dict[str, float] = {}
        parts = []
        if self._win_rates.columns and (is_last or update % run.evaluate_every == 0):
            rates = self._win_rates.measure(network())
            found |= {self._win_rates.column(opponent): rate for opponent, rate in rates.items()}
            shown = ", ".join(f"{opponent} {rate:.1%}" for opponent, rate in rates.items())
            parts.append(f"won against {shown} (n = {run.evaluation_duels:,} each)")
        if self._meter.columns and (is_last or update % run.checkpoint_every == 0):
            exact = self._meter.measure(network())
            found |= exact
            shown = ", ".join(f"{column.partition('_')[2].replace('_', ' ')} {value:.4f}" for column, value in exact.items())
            parts.append(f"exploitability {shown}")
        return found, "; ".join(parts)
