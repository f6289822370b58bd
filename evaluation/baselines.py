"""What an agent is worth against opponents that everybody has, with exact values where they are known."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from agents.base import Agent
from agents.registry import agent_names, make_agent
from duel_env.config import Settings
from duel_env.game import Game
from evaluation.match import MatchResult, play_match
from evaluation.references import Reference, References, is_solvable


class BaselineResult(NamedTuple):
    """An agent against one baseline.

    Attributes:
        name: of the baseline.
        match: the result, from the agent's point of view.
        reference: exact values; None where none are known.
    """

    name: str
    match: MatchResult
    reference: Reference | None

    def to_json(self) -> dict[str, Any]:
        """As JSON values: `baseline`, `reference` (the exact scores, or null) and `match` (see `MatchResult.to_json`)."""
        reference = None if self.reference is None else self.reference._asdict()
        return {"baseline": self.name, "reference": reference, "match": self.match.to_json()}


def baseline_names(game: Game) -> tuple[str, ...]:
    """The baselines of a game: all agents that have a name."""
    return tuple(known.name for known in agent_names(game))


def play_baselines(
    game: Game,
    setup: Settings,
    agent: Agent,
    baselines: Sequence[str],
    num_duels: int,
    seed: int,
    progress: Callable[[str, int], None] | None = None,
) -> list[BaselineResult]:
    """Play a match against each of some baselines, all with the same dice.

    Args:
        game: the rules.
        setup: who duels, and who begins.
        agent: whose worth is asked for.
        baselines: names, as `make_agent` takes them.
        num_duels: in each match; rounded up to whole blocks.
        seed: of the matches.
        progress: is told the baseline and how many duels against it are over.

    Raises:
        ConfigError: an unknown baseline or a number that is not accepted; nothing is played then.
        SchemaError: an agent whose answer is no policy.
    """
    opponents = [make_agent(name, game) for name in baselines]
    references = References(game, setup, agent) if is_solvable(game, setup) else None
    results = []
    for name, opponent in zip(baselines, opponents, strict=True):

        def tell(played: int, name: str = name) -> None:
            if progress is not None:
                progress(name, played)

        match = play_match(game, setup, (agent, opponent), num_duels, seed, progress=tell)
        results.append(BaselineResult(name, match, None if references is None else references.against(opponent)))
    return results
