"""The search: rule sets are proposed, solved exactly, and judged, batch by batch.

Half of a batch is proposed by Optuna's tree-structured Parzen estimator, the other half are rule sets next to the best one so far,
one step away or with one change taken back: the first finds the region, the second trims what a designer would have to explain.
A proposal depends on the seed, the number of the batch and what was found before, and on nothing else: a search that was killed and
resumed proposes the same, and so it does with any number of workers.

Source: Bergstra, Bardenet, Bengio, Kegl, Algorithms for hyper-parameter optimization, NeurIPS 2011; Akiba et al., Optuna, KDD 2019.
"""

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from duel_env.errors import ConfigError, ConvergenceError
from evaluation.exact import exact_model
from evaluation.tuning.figures import Figures, measure, one_spell_scores
from evaluation.tuning.journal import Entry, Journal
from evaluation.tuning.settings import TuneConfig
from evaluation.tuning.space import Edit, Parameters, Space, Value
from evaluation.tuning.wants import MEASURE_BELOW, Verdict, judge, needs_one_spell, violation_of_the_rest

UNSOLVED: Final = 1e6
"""Violation of rules that could not be solved, such as those with too many states."""

_STARTUP: Final = 100
"""Candidates before the estimator is asked; until then its proposals are random."""
_TRIES: Final = 20
"""Attempts to find a rule set that was not tried yet."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A rule set, solved and judged.

    Attributes:
        number: its place in the search, 0 for today's rules.
        parameters: a value for each thing that may change.
        edits: what differs from today's rules.
        distance: how far it is from them; see `Space.distance`.
        figures: by pair of skills; empty if it could not be solved.
        verdict: what is wanted beside what came of it; None if it could not be solved.
        error: why it could not.
    """

    number: int
    parameters: dict[str, Value]
    edits: tuple[Edit, ...]
    distance: float
    figures: dict[tuple[int, int], Figures]
    verdict: Verdict | None
    error: str | None

    @property
    def violation(self) -> float:
        """How far it is from what is wanted; 0: all is met."""
        return self.verdict.violation if self.verdict is not None else UNSOLVED

    @property
    def is_met(self) -> bool:
        """Whether all is as wanted."""
        return self.violation == 0.0

    @cached_property
    def rank(self) -> tuple[float, float, int, int]:
        """Smaller is better: what is wanted first, then nearness to today's rules, then fewer changes, then who came first."""
        return self.violation, self.distance, len(self.edits), self.number

    @property
    def score(self) -> float:
        """Violation and distance in one number, for the estimator, which only compares them; violations a millionth apart are equal."""
        nearness = self.distance / (1.0 + self.distance)
        return nearness if self.is_met else 1.0 + self.violation + 1e-6 * nearness


class Progress(NamedTuple):
    """What a search tells while it is under way.

    Attributes:
        done: candidates so far.
        total: candidates in all.
        best: the best one so far.
    """

    done: int
    total: int
    best: Candidate


class Search:
    """A search, from the beginning or from a journal.

    Attributes:
        config: what is wanted and what may change.
        space: the rule sets to choose from.
        candidates: those solved so far, by number.
    """

    def __init__(self, space: Space, journal: Journal | None = None, entries: Sequence[Entry] = ()) -> None:
        """Begin, or go on.

        Args:
            space: the rule sets to choose from, with the settings of the search.
            journal: where candidates are noted; nowhere without one.
            entries: what the journal has already.

        Raises:
            ConfigError: an entry that is not of this search.
        """
        self.space = space
        self.config: TuneConfig = space.config
        self.candidates: list[Candidate] = []
        self._best: Candidate | None = None
        self._journal = journal
        self._tried: dict[tuple[Value, ...], Candidate] = {}
        self._optimiser = _Optimiser(space)
        for entry in entries:
            self._check(entry)
            self._take(self._judged(entry))

    def _check(self, entry: Entry) -> None:
        try:
            self.space.check_parameters(entry.parameters)
            if entry.number == 0 and entry.parameters != self.space.today_values:
                raise ConfigError("expected today's rules")
            if entry.figures:
                self.space.check_figures(entry.figures)
        except ConfigError as error:
            raise ConfigError(f"candidate {entry.number}: {error}") from error

    @property
    def today(self) -> Candidate:
        """Today's rules; there once the first batch is done."""
        return self.candidates[0]

    @property
    def best(self) -> Candidate:
        """The best one; there once the first batch is done."""
        assert self._best is not None
        return self._best

    def ranking(self) -> list[Candidate]:
        """All different rule sets, the best first."""
        return sorted(self._tried.values(), key=lambda candidate: candidate.rank)

    def run(self, report: Callable[[Progress], None] = lambda progress: None, stop: Callable[[], bool] = lambda: False) -> bool:
        """Propose and solve until there are as many candidates as wanted, rounded up to whole batches.

        Args:
            report: called after each batch.
            stop: asked before each batch whether to end here.

        Returns:
            whether the search went to its end; not if it was stopped, or the time was over.

        Raises:
            OSError: the journal cannot be written.
        """
        settings = self.config.tune
        deadline = time.monotonic() + settings.time_limit_s
        with ThreadPoolExecutor(settings.workers) as pool:
            while len(self.candidates) < settings.candidates:
                if stop() or time.monotonic() >= deadline:
                    return False
                first = len(self.candidates)
                proposals = self._propose(first, settings.batch)
                entries = list(pool.map(self._solve, range(first, first + settings.batch), proposals))
                if self._journal is not None:
                    self._journal.append(entries)
                for entry in entries:
                    self._take(self._judged(entry))
                exact_model.cache_clear()  # it would keep the last candidates alive
                report(Progress(len(self.candidates), settings.candidates, self.best))
        return True

    # ---- proposals ------------------------------------------------------------------------------------------------------------

    def _propose(self, first: int, size: int) -> list[dict[str, Value]]:
        """The candidates `first` to `first + size - 1`."""
        rng = np.random.default_rng((self.config.tune.seed, first))
        self._optimiser.begin_batch(int(rng.integers(2**32)))
        taken = {*self._tried}
        proposals: list[dict[str, Value]] = []
        for place in range(size):
            if first + place == 0:
                proposal = dict(self.space.today_values)
            elif place % 2 == 1 and len(self.candidates) >= _STARTUP:
                proposal = self._untried_near(self.best.parameters, rng, taken)
            else:
                proposal = self._optimiser.propose()
                if self._key(proposal) in taken:
                    proposal = self._untried_near(proposal, rng, taken)
            taken.add(self._key(proposal))
            proposals.append(proposal)
        return proposals

    def _untried_near(self, centre: Parameters, rng: np.random.Generator, taken: set[tuple[Value, ...]]) -> dict[str, Value]:
        """A rule set next to one that was not tried yet; further away, one move after the other, if need be."""
        here = dict(centre)
        for _ in range(_TRIES):
            around = [found for found in self._neighbours(here) if self._key(found) not in taken]
            if around:
                return around[int(rng.integers(len(around)))]
            everywhere = list(self._neighbours(here))
            here = everywhere[int(rng.integers(len(everywhere)))]
        return here

    def _neighbours(self, centre: Parameters) -> Iterator[dict[str, Value]]:
        """One step away in one thing that may change, or with one thing back at today's value."""
        for name, change in self.space.changes.items():
            values, place = change.values, self.space.index(name, centre[name])
            today = self.space.index(name, self.space.today_values[name])
            if change.choices is not None:
                places = set(range(len(values))) - {place}
            else:
                places = ({place - 1, place + 1, today} & set(range(len(values)))) - {place}
            for other in sorted(places):
                yield {**centre, name: values[other]}

    def _key(self, parameters: Parameters) -> tuple[Value, ...]:
        return tuple(parameters[name] for name in self.space.changes)

    # ---- candidates -----------------------------------------------------------------------------------------------------------

    def _solve(self, number: int, parameters: dict[str, Value]) -> Entry:
        known = self._tried.get(self._key(parameters))
        if known is not None:
            return Entry(number=number, parameters=parameters, figures=tuple(known.figures.values()), error=known.error)
        try:
            figures = solve_candidate(self.space, parameters)
        except (ConfigError, ConvergenceError) as error:
            return Entry(number=number, parameters=parameters, figures=(), error=" ".join(str(error).split()))
        return Entry(number=number, parameters=parameters, figures=figures, error=None)

    def _judged(self, entry: Entry) -> Candidate:
        figures = {found.skills: found for found in entry.figures}
        return Candidate(
            number=entry.number,
            parameters=dict(entry.parameters),
            edits=self.space.edits(entry.parameters),
            distance=self.space.distance(entry.parameters),
            figures=figures,
            verdict=judge(self.config.want, figures) if figures else None,
            error=entry.error,
        )

    def _take(self, candidate: Candidate) -> None:
        self.candidates.append(candidate)
        if self._best is None or candidate.rank < self._best.rank:
            self._best = candidate
        if self._tried.setdefault(self._key(candidate.parameters), candidate) is candidate:
            self._optimiser.learn(candidate.parameters, candidate.score)


def solve_candidate(space: Space, parameters: Parameters) -> tuple[Figures, ...]:
    """Exact figures of a rule set for each pair of skills of the wants.

    Strategies of one spell are measured where they are wanted, and all other wants are met or nearly (`MEASURE_BELOW`).

    Raises:
        ConfigError: the rules have too many states.
        ConvergenceError: as `solve`.
    """
    game, wants = space.game(parameters), space.config.want
    figures = {pair: measure(game, pair, one_spell=False) for pair in space.config.skills}
    if violation_of_the_rest(judge(wants, figures)) <= MEASURE_BELOW:
        for pair, found in figures.items():
            if needs_one_spell(wants, pair):
                figures[pair] = found.model_copy(update={"one_spell": one_spell_scores(game, pair)})
    return tuple(figures.values())


class _Optimiser:
    """Optuna's estimator, asked and told by hand: a study in memory, whose trials are those that `learn` was given.

    What Optuna would keep in a database is in the journal.
    """

    def __init__(self, space: Space) -> None:
        try:
            import optuna
        except ModuleNotFoundError as error:
            raise ConfigError(f"a search for rules needs {error.name}: pip install 'duel-env[design]'") from error
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._optuna = optuna
        self._space = space
        self._study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
        self._distributions: dict[str, Any] = {
            name: optuna.distributions.CategoricalDistribution(change.choices)
            if change.choices is not None
            else optuna.distributions.IntDistribution(*change.range[:2], step=change.range[2])
            for name, change in space.changes.items()
        }

    def begin_batch(self, seed: int) -> None:
        """Make what is proposed next depend on a seed, and on what was learnt, alone."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", self._optuna.exceptions.ExperimentalWarning)
            self._study.sampler = self._optuna.samplers.TPESampler(seed=seed, multivariate=True, n_startup_trials=_STARTUP)

    def propose(self) -> dict[str, Value]:
        """A rule set that may do better than most, seen before or not."""
        trial = self._study.ask(self._distributions)
        # What becomes of it is told by `learn`, in the order of the candidates; this trial is of no further use.
        self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
        return {name: trial.params[name] for name in self._distributions}

    def learn(self, parameters: Parameters, score: float) -> None:
        """Take note of a rule set; a smaller score is better."""
        self._study.add_trial(
            self._optuna.trial.create_trial(params=dict(parameters), distributions=self._distributions, value=score)
        )
