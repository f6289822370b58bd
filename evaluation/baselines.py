"""What an agent is worth against opponents that everybody has, with exact reference values where they are known."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from agents.base import Agent
from agents.registry import agent_names, make_agent
from duel_env.config import Settings
from duel_env.game import Game, make_game
from evaluation.match import MatchResult, play_match


class Reference(NamedTuple):
    """Exact scores against one opponent, averaged over who acts first in round 1; a draw counts one half.

    Attributes:
        best_response: of the policy that is best against this very opponent. Nothing scores more in the long run: the ceiling.
        equilibrium: of a policy that is best against the best opponent; the first of equally good actions in the list is
            played.
    """

    best_response: float
    equilibrium: float


REFERENCE_SCORES: Final[Mapping[str, Reference]] = {
    "random": Reference(0.9382, 0.9244),
    "stupefy": Reference(0.8723, 0.8318),
    "stupefy_strong": Reference(0.7106, 0.7080),
    "expelliarmus": Reference(0.6048, 0.6048),
    "greedy": Reference(0.6867, 0.6780),
    "defender": Reference(0.6939, 0.6780),
    "controller": Reference(0.6364, 0.6297),
    "expectimax": Reference(0.5000, 0.5000),
}
"""For the `hogwarts` ruleset with its default options at skills (60, 60), without the round limit.

Source: value iteration on the state graph until no value changes by 1e-11, for the best response with the opponent's choices
held fixed. The first four best responses are also on the rules page, under "Known exact values". `expectimax` cannot be
beaten at these skills.
"""

REFERENCE_SKILLS: Final = (60, 60)


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
        """As JSON values: `baseline`, `reference` (both exact scores, or null) and `match` (see `MatchResult.to_json`)."""
        reference = None if self.reference is None else self.reference._asdict()
        return {"baseline": self.name, "reference": reference, "match": self.match.to_json()}


def baseline_names(game: Game) -> tuple[str, ...]:
    """The baselines of a game: all agents that have a name."""
    return tuple(known.name for known in agent_names(game))


def reference_scores(game: Game, setup: Settings) -> Mapping[str, Reference]:
    """Exact scores by name of the opponent; empty unless the rules and skills are those that they were computed for."""
    is_default = game.digest == make_game("hogwarts").digest
    drawn_by_coin = getattr(setup, "first_caster", 0) is None
    if is_default and drawn_by_coin and getattr(setup, "skills", None) == REFERENCE_SKILLS:
        return REFERENCE_SCORES
    return {}


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
    references = reference_scores(game, setup)
    results = []
    for name, opponent in zip(baselines, opponents, strict=True):

        def tell(played: int, name: str = name) -> None:
            if progress is not None:
                progress(name, played)

        match = play_match(game, setup, (agent, opponent), num_duels, seed, progress=tell)
        results.append(BaselineResult(name, match, references.get(name)))
    return results
