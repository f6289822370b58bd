"""Two agents, many duels: who wins how often, with what certainty.

Duels come in pairs with the same dice and the same random numbers for sampled actions, once with each agent in each seat, so
that luck cancels. Where a coin would decide who begins, both ways are played equally often instead. Nothing depends on how
many duels are played side by side.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from duel_env.batch import DuelBatch
from duel_env.config import Settings
from duel_env.errors import ConfigError, SchemaError
from duel_env.game import NUM_PLAYERS, Game
from duel_env.rules.stores import NOBODY
from duel_env.seeds import check_seed
from evaluation.intervals import CONFIDENCE, Interval, mean_interval, wilson
from evaluation.limits import MAX_DUELS

BATCH_SIZE: Final = 4096
"""Duels side by side: the results do not depend on it, the speed does."""
_SUM_TOLERANCE = 1e-6

Progress = Callable[[int], None]
"""Called now and then with the number of duels played so far."""


# ---- which duels are played ---------------------------------------------------------------------------------------------------


class PlannedDuel(NamedTuple):
    """One duel of a match.

    Attributes:
        seed: of its dice.
        seat: of the first agent, 0 or 1; the second one has the other.
        setup: settings of the set-up.
    """

    seed: int
    seat: int
    setup: Settings


class Plan:
    """The duels of a match, numbered from 0: 2 * p and 2 * p + 1 are pair p, with the first agent in seat 0 and in seat 1.

    Where the initiative would be a coin, player 0 begins in the pairs with even numbers and player 1 in the others. A block is
    two pairs then, four duels, one for each way to deal seats and initiative. The two pairs of a block have different dice: with
    equal skills the seats are alike, and the same dice would only give the same duels again.

    Attributes:
        num_duels: whole blocks.
        block_size: 2 or 4.
        setups: settings of the set-up of the pairs with even numbers, and of the others; the same if no coin is replaced.
        seeds: uint64 (num_duels / 2,), of the pairs.
    """

    def __init__(self, setup: Settings, num_duels: int, seed: int) -> None:
        """Plan a match.

        Args:
            setup: who duels, and who begins.
            num_duels: 1 to `MAX_DUELS`; rounded up to whole blocks.
            seed: 0 to 2**64 - 1; the duels of a longer match with the same seed begin with those of a shorter one.

        Raises:
            ConfigError: a number that is not accepted.
        """
        if not isinstance(num_duels, int | np.integer) or isinstance(num_duels, bool) or not 1 <= num_duels <= MAX_DUELS:
            shown = hex(num_duels) if isinstance(num_duels, int) and num_duels > MAX_DUELS else repr(num_duels)
            raise ConfigError(f"num_duels = {shown[:40]}: expected an integer of at least 1 and at most {MAX_DUELS:,}")
        self.setups = _setups(setup)
        self.block_size = 2 * len(set(self.setups))
        self.num_duels = -(-int(num_duels) // self.block_size) * self.block_size
        self.seeds = np.random.SeedSequence(check_seed(seed)).generate_state(self.num_duels // 2, np.uint64)

    def duel(self, number: int) -> PlannedDuel:
        """Duel `number`, from 0.

        Raises:
            ConfigError: the match has no such duel.
        """
        if not 0 <= number < self.num_duels:
            raise ConfigError(f"duel {number}: the match has duels 0 to {self.num_duels - 1}")
        pair, seat = divmod(number, 2)
        return PlannedDuel(int(self.seeds[pair]), seat, self.setups[pair % 2])


def _setups(setup: Settings) -> tuple[Settings, Settings]:
    """The set-ups of pairs with even and odd numbers."""
    skills = getattr(setup, "skills", None)
    if skills is None or getattr(setup, "first_caster", 0) is not None or not all(isinstance(skill, int) for skill in skills):
        return setup, setup
    if len(set(skills)) > 1:
        return setup, setup
    return setup.model_copy(update={"first_caster": 0}), setup.model_copy(update={"first_caster": 1})


# ---- what comes of them -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Results of some duels, from the point of view of the first agent.

    Attributes:
        wins, draws, losses: how many.
    """

    wins: int
    draws: int
    losses: int

    @classmethod
    def of(cls, results: NDArray[np.int8]) -> "Tally":
        """Count results: int8 (n,), 1 won, 0 drawn, -1 lost."""
        wins, draws, losses = (int(np.sum(results == value)) for value in (1, 0, -1))
        return cls(wins=wins, draws=draws, losses=losses)

    @property
    def duels(self) -> int:
        """How many duels."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Wins plus half of the draws, as a share of the duels; 0.5 without any."""
        return (self.wins + self.draws / 2) / self.duels if self.duels else 0.5

    @property
    def score_interval(self) -> Interval:
        """95 % interval of the score if the duels are independent, as those of one seat, or of one order of play, are."""
        return mean_interval(np.repeat((1.0, 0.5, 0.0), (self.wins, self.draws, self.losses)))

    def rates(self) -> dict[str, tuple[float, Interval]]:
        """`win`, `draw` and `loss` rates, each with Wilson's 95 % interval."""
        counts = {"win": self.wins, "draw": self.draws, "loss": self.losses}
        return {name: (count / max(self.duels, 1), wilson(count, self.duels)) for name, count in counts.items()}

    def to_json(self) -> dict[str, Any]:
        """As JSON values; see `MatchResult.to_json`."""
        rates = {name: {"rate": rate, "interval": list(interval)} for name, (rate, interval) in self.rates().items()}
        return {
            "duels": self.duels,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "score": self.score,
            "score_interval": list(self.score_interval),
            "rates": rates,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """A match between two agents, from the point of view of the first.

    Attributes:
        agents: their names.
        ruleset, digest: the rules.
        setup: settings of the set-up, as JSON values.
        seed: of the match.
        block_size: 2 or 4, see `Plan`.
        total: all duels; their number is a multiple of `block_size`.
        score_interval: 95 % interval of `total.score`, from the means of the pairs.
        by_seat: the duels with the first agent as player 0, and as player 1.
        by_order: the duels in which the first agent acted first in round 1, and those in which it acted second.
        mean_rounds, mean_decisions: length of a duel; decisions are those of both players.
        truncated: duels that were cut short by the round limit; they are draws.
        disqualified: duels that each agent lost by an illegal action.
    """

    agents: tuple[str, str]
    ruleset: str
    digest: str
    setup: dict[str, Any]
    seed: int
    block_size: int
    total: Tally
    score_interval: Interval
    by_seat: tuple[Tally, Tally]
    by_order: tuple[Tally, Tally]
    mean_rounds: float
    mean_decisions: float
    truncated: int
    disqualified: tuple[int, int]

    def to_json(self) -> dict[str, Any]:
        """The result as JSON values, from the point of view of the first agent.

        | key | value |
        | --- | --- |
        | `agents` | the two names |
        | `ruleset`, `digest`, `setup`, `seed`, `block_size` | what was played; the same values give the same result |
        | `confidence` | of all intervals |
        | `duels`, `wins`, `draws`, `losses` | counts |
        | `score` | wins plus half of the draws, as a share of the duels |
        | `score_interval` | [low, high], from the means of the pairs |
        | `rates` | `win`, `draw`, `loss`: `rate` and Wilson's `interval` |
        | `by_seat` | the same from `duels` on for the duels with the first agent as `player_0`, and as `player_1` |
        | `by_order` | the same for the duels in which it acted `first` in round 1, and `second` |
        | `mean_rounds`, `mean_decisions` | length of a duel |
        | `truncated` | duels that the round limit cut short, counted as draws |
        | `disqualified` | duels that each of the two agents lost by an illegal action |
        """
        return {
            "agents": list(self.agents),
            "ruleset": self.ruleset,
            "digest": self.digest,
            "setup": self.setup,
            "seed": self.seed,
            "block_size": self.block_size,
            "confidence": CONFIDENCE,
            **self.total.to_json(),
            "score_interval": list(self.score_interval),
            "by_seat": {f"player_{seat}": tally.to_json() for seat, tally in enumerate(self.by_seat)},
            "by_order": {name: tally.to_json() for name, tally in zip(("first", "second"), self.by_order, strict=True)},
            "mean_rounds": self.mean_rounds,
            "mean_decisions": self.mean_decisions,
            "truncated": self.truncated,
            "disqualified": list(self.disqualified),
        }


# ---- playing ------------------------------------------------------------------------------------------------------------------

_OUTCOME = np.dtype(
    [
        ("result", np.int8),  # 1, 0 or -1 for the first agent
        ("acted_first", np.bool_),  # whether the first agent acted first in round 1
        ("truncated", np.bool_),
        ("disqualified", np.bool_),
        ("decisions", np.int32),
    ]
)


def play_match(
    game: Game,
    setup: Settings,
    agents: Sequence[Agent],
    num_duels: int,
    seed: int,
    *,
    batch_size: int = BATCH_SIZE,
    progress: Progress | None = None,
) -> MatchResult:
    """Play a match.

    Args:
        game: the rules.
        setup: who duels, and who begins: settings of the ruleset's set-up model.
        agents: the two.
        num_duels: 1 to `MAX_DUELS`; rounded up to whole blocks (see `Plan`).
        seed: 0 to 2**64 - 1; with the same agents, it fixes the result.
        batch_size: duels side by side.
        progress: is told how many duels are over.

    Raises:
        ConfigError: a number that is not accepted.
        SchemaError: an agent whose answer is no policy.
    """
    if len(agents) != NUM_PLAYERS:
        raise ConfigError(f"{len(agents)} agents: a match is between {NUM_PLAYERS}")
    if batch_size < 1:
        raise ConfigError(f"batch_size = {batch_size!r}: expected an integer of at least 1")
    plan = Plan(setup, num_duels, seed)
    outcomes = np.zeros(plan.num_duels, _OUTCOME)
    played = 0
    for parity, some_setup in enumerate(plan.setups):
        pairs = np.arange(parity, len(plan.seeds), 2)
        record = game.setup(some_setup)
        numbers = (2 * pairs[:, None] + np.arange(2)).ravel()
        for start in range(0, len(numbers), batch_size):
            chunk = numbers[start : start + batch_size]
            outcomes[chunk] = _play(game, record, agents, plan.seeds[chunk // 2], chunk % 2)
            played += len(chunk)
            if progress is not None:
                progress(played)
    return _summarize(game, setup, agents, seed, plan, outcomes)


def _play(
    game: Game, setup: NDArray[np.void], agents: Sequence[Agent], seeds: NDArray[np.uint64], seats: NDArray[np.int64]
) -> NDArray[np.void]:
    """Play one duel a row to its end: _OUTCOME (B,) for seeds (B,) and seats of the first agent (B,)."""
    batch = DuelBatch(game, len(seeds), setup, autoreset="disabled")
    batch.seed(seeds)
    batch.reset()
    outcomes = np.zeros(len(seeds), _OUTCOME)
    outcomes["acted_first"] = batch.current_player == seats
    running = np.arange(len(seeds))
    while len(running := running[batch.current_player[running] != NOBODY]):
        actions = np.empty(len(running), np.int64)
        is_second = batch.current_player[running] != seats[running]
        for agent, asked in zip(agents, (~is_second, is_second), strict=True):
            if asked.any():
                actions[asked] = choose(agent, batch, running[asked])
        batch.play(running, actions)
        batch.view(running)
    batch.report(np.arange(len(seeds)))
    outcomes["result"] = batch.rewards[np.arange(len(seeds)), seats]
    outcomes["truncated"] = batch.truncated
    outcomes["disqualified"] = batch.disqualified
    outcomes["decisions"] = batch.store.rows["num_steps"]
    return outcomes


def choose(agent: Agent, batch: DuelBatch, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """What an agent does in some rows of a batch, int64 (K,), sampled with each row's own random numbers.

    Raises:
        SchemaError: its answer is no policy: another shape, or rows that are not probabilities.
    """
    probabilities = np.asarray(agent.policy(batch.observation[rows], batch.action_mask[rows]), np.float64)
    expected = (len(rows), batch.game.num_actions)
    if probabilities.shape != expected:
        raise SchemaError(f"the policy of {agent.name} has shape {probabilities.shape}: expected {expected}")
    if not (np.all(probabilities >= 0.0) and np.all(np.abs(probabilities.sum(axis=1) - 1.0) <= _SUM_TOLERANCE)):
        raise SchemaError(f"the policy of {agent.name} has a row that is not made of probabilities that sum to 1")
    return batch.sample(rows, probabilities)


def _summarize(
    game: Game, setup: Settings, agents: Sequence[Agent], seed: int, plan: Plan, outcomes: NDArray[np.void]
) -> MatchResult:
    results, acted_first = outcomes["result"], outcomes["acted_first"]
    pair_scores = (results.reshape(-1, 2).astype(np.float64).mean(axis=1) + 1) / 2
    # Both act once in a round, and the last round may end with its first action.
    rounds = (outcomes["decisions"] + 1) // 2
    disqualified = outcomes["disqualified"]
    return MatchResult(
        agents=(agents[0].name, agents[1].name),
        ruleset=game.ruleset.name,
        digest=game.digest,
        setup=setup.model_dump(mode="json"),
        seed=int(seed),
        block_size=plan.block_size,
        total=Tally.of(results),
        score_interval=mean_interval(pair_scores),
        by_seat=(Tally.of(results[0::2]), Tally.of(results[1::2])),
        by_order=(Tally.of(results[acted_first]), Tally.of(results[~acted_first])),
        mean_rounds=float(rounds.mean()),
        mean_decisions=float(outcomes["decisions"].mean()),
        truncated=int(outcomes["truncated"].sum()),
        disqualified=(int(np.sum(disqualified & (results < 0))), int(np.sum(disqualified & (results > 0)))),
    )
