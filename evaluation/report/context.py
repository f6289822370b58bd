"""What all parts of the report share: the solution, how often perfect play comes where, and what each action gives away."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from duel_env.config import Settings
from duel_env.errors import ConfigError, ConvergenceError
from duel_env.game import NUM_PLAYERS, Game
from duel_env.rules.hogwarts.options import HogwartsOptions
from duel_env.rules.hogwarts.state import NO_ACTION, PLAYER, WAND_HELD
from evaluation.exact.model import ExactModel, Policies, exact_model
from evaluation.exact.occupancy import Chain, Occupancy, mark_reached, solution_policies
from evaluation.exact.solution import FIRST, SECOND, Solution, solve
from evaluation.report.figures import Pair
from evaluation.report.settings import ReportSettings

Progress = Callable[[str, int, int], None]
"""Is told what is being worked on (a name of a part of the report), how much of it is done, and how much there is."""

STARTS: Final = (FIRST, SECOND)
_LEAST = 1e-6


def silent(_label: str, _done: int, _total: int) -> None:
    """A `Progress` that tells nobody."""


def scores(values: Any) -> Any:
    """Scores, 0..1, of player 0 from values, -1..1."""
    return (1.0 + values) / 2.0


def ratio(part: float, whole: float) -> float | None:
    """A share; None of nothing."""
    return float(part / whole) if whole > 0.0 else None


def finite(number: float) -> float | None:
    """A number; None if it is nan or infinite."""
    return float(number) if np.isfinite(number) else None


def mean_of(pair: Sequence[float]) -> float:
    """Their mean."""
    return float(sum(pair) / len(pair))


def settled(numbers: Any) -> Any:
    """Numbers without what rounding errors leave, so that an order by them is the same on every machine."""
    return np.round(numbers, 10) + 0.0


def matrix(cells: NDArray[np.float64]) -> tuple[tuple[float | None, ...], ...]:
    """Rows for `figures.Matrix`; nan becomes None."""
    return tuple(tuple(finite(cell) for cell in row) for row in cells)


class Context:
    """One game between two duelists.

    Attributes:
        game, sheets, settings: what is reported on, and how.
        options: of the game.
        model: the state graph.
        num_spells: how many of the actions are spells; they come first.
        solution: perfect play.
        solutions: how many games were solved so far.
    """

    def __init__(self, game: Game, sheets: NDArray[np.void], settings: ReportSettings) -> None:
        """Solve the game.

        Raises:
            ConfigError: a ruleset without hit points and spells, rules with too many states, or sheets that do not fit.
            ConvergenceError: as `solve`.
        """
        if not isinstance(game.options, HogwartsOptions):
            raise ConfigError(f"the ruleset {game.ruleset.name!r} has no report: expected the options of the school duel")
        self.game, self.sheets, self.settings = game, sheets, settings
        self.options: HogwartsOptions = game.options
        self.num_spells = len(self.options.spells)
        self.solutions = 0
        self.model: ExactModel = exact_model(game)
        self.solution = self.solve()
        self._grid: dict[tuple[int, int], Solution] = {}

    def solve(self, policies: Policies = (None, None), allowed: NDArray[np.bool_] | None = None) -> Solution:
        """As `evaluation.exact.solve`, for this game."""
        self.solutions += 1
        return solve(self.game, self.sheets, policies, allowed)

    def solve_other(self, game: Game, skills: tuple[int, int]) -> Solution:
        """Another game, or other skills."""
        self.solutions += 1
        return solve(game, self.sheets_of(game, skills), (None, None))

    def grid_solution(self, skills: tuple[int, int]) -> Solution:
        """This game between other skills; remembered."""
        if skills not in self._grid:
            self._grid[skills] = self.solve_other(self.game, skills)
        return self._grid[skills]

    @staticmethod
    def sheets_of(game: Game, skills: tuple[int, int]) -> NDArray[np.void]:
        """SHEET (2,) of two skills."""
        sheets = np.zeros(NUM_PLAYERS, game.ruleset.sheet_dtype)
        sheets["skill"] = skills
        return sheets

    @property
    def skills(self) -> tuple[int, int]:
        """Of player 0 and player 1."""
        first, second = self.sheets["skill"]
        return int(first), int(second)

    @property
    def are_equal(self) -> bool:
        """Whether the two duelists are alike, so that their seats mirror each other."""
        return bool(self.sheets[0] == self.sheets[1])

    @property
    def spell_ids(self) -> tuple[str, ...]:
        """In the order of the list."""
        return tuple(spell.id for spell in self.options.spells)

    def varied(self, **changes: Any) -> Game:
        """The game with some options changed.

        Raises:
            ConfigError: the rules do not accept that.
        """
        from duel_env.config import load

        options: Settings = load(HogwartsOptions, self.game.options_json() | changes, "changed options")
        return Game(self.game.ruleset, options)

    # ---- states ---------------------------------------------------------------------------------------------------------------

    @cached_property
    def states(self) -> NDArray[np.void]:
        """STATE (N,)."""
        return self.game.graph.states

    @property
    def chooser(self) -> NDArray[np.int8]:
        """Who chooses at each of the P nodes at which a player does, int8 (P,)."""
        return self.model.chooser

    @cached_property
    def is_answer(self) -> NDArray[np.bool_]:
        """Whether the choice is an answer to that of the first caster of the round, bool (P,)."""
        answers: NDArray[np.bool_] = self.states["first_caster"][: self.model.num_player] != self.chooser
        return answers

    @cached_property
    def own_hit_points(self) -> NDArray[np.int64]:
        """Of whoever chooses, int64 (P,)."""
        return self._hit_points(self.chooser)

    @cached_property
    def opponent_hit_points(self) -> NDArray[np.int64]:
        """Of the other player, int64 (P,)."""
        return self._hit_points(1 - self.chooser)

    def _hit_points(self, player: NDArray[np.int8]) -> NDArray[np.int64]:
        count = self.model.num_player
        return self.states["hit_points"][np.arange(count), player].astype(np.int64)

    @cached_property
    def begins_round(self) -> NDArray[np.bool_]:
        """Nodes at which a round begins, bool (N,)."""
        states = self.states
        begins: NDArray[np.bool_] = (states["node"] == PLAYER) & (states["action"][:, 0] == NO_ACTION)
        return begins

    def clean_node(self, hit_points: tuple[int, int], first_caster: int, petrified: int | None = None) -> int | None:
        """The node at the beginning of a round with nothing pending, but that one player may be petrified; None if there is none."""
        states = self.states
        fits = self.begins_round & (states["first_caster"] == first_caster)
        for player in range(NUM_PLAYERS):
            fits &= states["hit_points"][:, player] == hit_points[player]
            fits &= (states["wand"][:, player] == WAND_HELD) & (states["petrified_next"][:, player] == 0)
            fits &= (states["petrified"][:, player] == int(player == petrified)) & (states["hexed"][:, player] == 0)
        found = np.flatnonzero(fits & self.reachable)
        return int(found[0]) if len(found) else None

    @cached_property
    def reachable(self) -> NDArray[np.bool_]:
        """Nodes that some play can reach from one of the two ways to begin, bool (N,): dice that cannot fall so are left out."""
        layout = self.model.full
        weights = self.model.stochastic_game(layout, self.sheets).weights
        reached = np.zeros(len(layout.roles), np.bool_)
        for start in STARTS:
            scratch = np.zeros(len(reached), np.int32)
            mark_reached(layout.offsets, layout.targets, weights, layout.index_of[self.solution.start(start)], reached, scratch)
        return reached[layout.index_of]

    # ---- what actions are worth -----------------------------------------------------------------------------------------------

    @cached_property
    def own_scores(self) -> NDArray[np.float64]:
        """Score of whoever chooses after each action, if both go on perfectly, float64 (P, A); nan where it is illegal."""
        sign = np.where(self.chooser == 0, 1.0, -1.0)[:, None]
        return (1.0 + sign * self.solution.action_values) / 2.0

    @cached_property
    def losses(self) -> NDArray[np.float64]:
        """Points that each action gives away, float64 (P, A), 0 or more; nan where it is illegal."""
        losses: NDArray[np.float64] = np.nanmax(self.own_scores, axis=1, keepdims=True) - self.own_scores
        return losses

    @cached_property
    def is_best(self) -> NDArray[np.bool_]:
        """Whether an action is among the best, bool (P, A)."""
        return np.nan_to_num(self.losses, nan=np.inf) <= self.settings.tie

    @cached_property
    def is_forced(self) -> NDArray[np.bool_]:
        """Nodes with one legal action, bool (P,)."""
        forced: NDArray[np.bool_] = self.model.legal.sum(axis=1) == 1
        return forced

    @cached_property
    def is_real(self) -> NDArray[np.bool_]:
        """Nodes at which actions differ in what they are worth, bool (P,)."""
        real: NDArray[np.bool_] = np.nanmax(self.losses, axis=1) > self.settings.tie
        return real

    # ---- perfect play ---------------------------------------------------------------------------------------------------------

    @cached_property
    def perfect_chain(self) -> Chain:
        """Both play perfectly."""
        return Chain(self.game, self.sheets, solution_policies(self.solution))

    def quantal_policy(self, temperature: float, least: float = _LEAST) -> NDArray[np.float64]:
        """Play that errs the more, the less it costs, float64 (P, A): exp(-loss / temperature), in points.

        Actions that are less than `least` times as likely as the best are never taken.
        """
        with np.errstate(over="ignore"):  # near temperature 0 any loss is infinitely many of them
            weight = np.where(self.model.legal, np.exp(-np.nan_to_num(self.losses) / temperature), 0.0)
        weight[weight < least] = 0.0
        policy: NDArray[np.float64] = weight / weight.sum(axis=1, keepdims=True)
        return policy

    def quantal_play(self, temperature: float) -> tuple[Chain, list[Occupancy]]:
        """Both play quantally, from both ways to begin.

        Raises:
            ConvergenceError: as `Chain.occupancy`.
        """
        for least in (_LEAST, 100.0 * _LEAST):
            policy = self.quantal_policy(temperature, least)
            chain = Chain(self.game, self.sheets, [policy, policy])
            with suppress(ConvergenceError):
                return chain, self.from_starts(chain)
        # Play that two unlikely errors at once would end: it is endless for all that can be computed.
        policy = self.quantal_policy(temperature, 1.0)
        chain = Chain(self.game, self.sheets, [policy, policy])
        return chain, self.from_starts(chain)

    @cached_property
    def by_start(self) -> list[Occupancy]:
        """Perfect play from both ways to begin."""
        return self.from_starts(self.perfect_chain)

    def from_starts(self, chain: Chain) -> list[Occupancy]:
        """Play from both ways to begin."""
        return [chain.occupancy(self.solution.start(start)) for start in STARTS]

    def counted_visits(self, occupancies: Sequence[Occupancy]) -> list[NDArray[np.float64]]:
        """Visits of each of some occupancies, float64 (N,): of the first `horizon` rounds if one of them may never end."""
        if any(found.endless > 0.0 for found in occupancies):
            return [found.visits_within(self.settings.horizon) for found in occupancies]
        return [found.visits for found in occupancies]

    @property
    def counted_rounds(self) -> int | None:
        """`horizon` if perfect play may never end, else None."""
        return self.settings.horizon if any(found.endless > 0.0 for found in self.by_start) else None

    @cached_property
    def visits(self) -> NDArray[np.float64]:
        """How often perfect play comes to each node, averaged over who begins, float64 (N,); see `counted_visits`."""
        visits: NDArray[np.float64] = np.mean(self.counted_visits(self.by_start), axis=0)
        return visits

    @property
    def decision_visits(self) -> NDArray[np.float64]:
        """Those of the nodes at which a player chooses, float64 (P,)."""
        return self.visits[: self.model.num_player]

    # ---- pairs ----------------------------------------------------------------------------------------------------------------

    @property
    def score_by_start(self) -> Pair:
        """Score of player 0, when player 0 and when player 1 begins."""
        return pair_of(self.solution)

    @property
    def first_caster_score(self) -> float:
        """Score of the first caster, averaged over which player it is."""
        return first_caster_score(self.solution)

    @property
    def player_0_score(self) -> float:
        """Score of player 0, averaged over who begins."""
        return mean_of(self.score_by_start)

    def action(self, number: int | np.integer[Any]) -> str:
        """The id of an action."""
        return self.game.actions[int(number)].id


def pair_of(solution: Solution) -> Pair:
    """Score of player 0, when player 0 and when player 1 begins."""
    return solution.win_probability(FIRST), solution.win_probability(SECOND)


def first_caster_score(solution: Solution) -> float:
    """Score of the first caster, averaged over which player it is."""
    ours, theirs = pair_of(solution)
    return (ours + 1.0 - theirs) / 2.0
