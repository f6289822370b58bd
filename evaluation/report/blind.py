"""The best policy that is blind to hit points: a search, so that what it finds is a lower bound.

Such a policy does the same in all situations that look alike but for hit points. It is improved one situation at a time: the best
response to it shows how often it comes to each situation and what another action there would gain if the response stayed as it
is; the most promising change is tried against a response of its own, and kept if it is better. That goes on from several first
policies until no change helps or the policies allowed are used up.
"""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.base import one_hot
from evaluation.exact.occupancy import Chain, solution_policies
from evaluation.exact.policies import node_observations
from evaluation.exact.solution import Solution
from evaluation.report.context import Context, Progress, mean_of, settled
from evaluation.report.figures import BlindRule, Pair
from evaluation.report.responses import PlainGame

_HIT_POINTS = ("own_hit_points", "opponent_hit_points")
_LEAST_GAIN = 1e-7
"""Changes that gain less, in points, are not worth a policy."""
_LISTED_VISITS = 1e-3
_PAIRED = 8
"""So many of the most promising changes are also tried two at a time."""


class Situations:
    """What can be told apart without hit points.

    Attributes:
        of_node: int64 (P,), the number of the situation at each node at which a player chooses.
        features: for each situation what is seen, names and values of what is not 0.
        legal: bool (C, A).
    """

    def __init__(self, context: Context) -> None:
        layout = context.game.layout
        seen = node_observations(context.game, context.sheets)
        sees_skill = [
            feature.name.startswith(("own_skill", "own_chance", "opponent_skill", "opponent_chance")) for feature in layout
        ]
        kept = [number for number, feature in enumerate(layout) if feature.name not in _HIT_POINTS and not sees_skill[number]]
        distinct, nodes, self.of_node = np.unique(seen[:, kept], axis=0, return_index=True, return_inverse=True)
        self.of_node = self.of_node.reshape(-1)
        names = [layout[number].name for number in kept]
        self.features: list[dict[str, Any]] = [
            {name: 1 for name, value in zip(names, row, strict=True) if value != 0.0} for row in distinct.tolist()
        ]
        self.legal = context.model.legal[nodes]

    def __len__(self) -> int:
        return len(self.features)


class Found(NamedTuple):
    """A policy blind to hit points.

    Attributes:
        actions: int64 (C,), by situation.
        scores: against perfect play that knows it, by start.
        start: name of the policy that it was improved from.
    """

    actions: NDArray[np.int64]
    scores: Pair
    start: str

    @property
    def score(self) -> float:
        """Averaged over who begins."""
        return mean_of(self.scores)


class BlindSearch:
    """The search for one seat.

    Attributes:
        tried: policies that were tried so far.
    """

    def __init__(self, context: Context, plain: PlainGame, seat: int, pairs: list[tuple[int, int]]) -> None:
        """Prepare the search.

        Args:
            context: the game.
            plain: answers to policies.
            seat: who is blind.
            pairs: spells by role, (first, answer), that are first policies too.
        """
        self.context, self.plain, self.seat, self.pairs = context, plain, seat, pairs
        self.situations = Situations(context)
        self.tried = 0

    def run(self, progress: Progress, label: str) -> Found:
        """The best policy found."""
        budget, best = self.context.settings.blind_solves, None
        starts = self._starts()
        for number, (name, actions) in enumerate(starts):
            progress(label, number, len(starts))
            if best is not None and self.tried >= budget:
                break
            # Later starts get what the earlier ones left.
            found = self._improve(Found(actions, self._score(actions), name), self.tried + (budget - self.tried) // 2 + 1)
            if best is None or found.score > best.score + _LEAST_GAIN:
                best = found
        progress(label, len(starts), len(starts))
        assert best is not None
        return best

    def _starts(self) -> list[tuple[str, NDArray[np.int64]]]:
        context, mine = self.context, self.context.chooser == self.seat
        best = 1.0 * context.is_best[mine]
        states = best * context.reachable[: len(mine)][mine, None]
        visits = best * context.decision_visits[mine, None]
        found = []
        for name, weights in (("majority_of_visits", visits + 1e-6 * states), ("majority_of_states", states)):
            votes = np.zeros(self.situations.legal.shape)
            np.add.at(votes, self.situations.of_node[mine], weights)
            found.append((name, np.where(self.situations.legal, settled(votes), -1.0).argmax(axis=1)))
        for first, answer in self.pairs:
            actions = role_actions(self.context, self.plain, first, answer)
            by_situation = np.zeros(len(self.situations), np.int64)
            by_situation[self.situations.of_node] = actions
            found.append((f"{context.action(first)}/{context.action(answer)}", by_situation))
        return found

    def _score(self, actions: NDArray[np.int64]) -> Pair:
        self.tried += 1
        return self.plain.policy_scores(actions[self.situations.of_node], self.seat)

    def _improve(self, found: Found, budget: int) -> Found:
        """Change one or two situations at a time until nothing helps, or `tried` reaches `budget`."""
        while True:
            better = self._better(found, budget)
            if better is None:
                return found
            found = better

    def _better(self, found: Found, budget: int) -> Found | None:
        """The first better policy among the changes that look promising; None if there is none, or no budget left."""
        single = self._promising(found.actions)
        changes = [(change,) for change in single]
        changes += [two for two in combinations(single[:_PAIRED], 2) if two[0][0] != two[1][0]]  # type: ignore[misc]
        for change in changes:
            if self.tried >= budget:
                return None
            actions = found.actions.copy()
            for situation, action in change:
                actions[situation] = action
            scores = self._score(actions)
            if mean_of(scores) > found.score + _LEAST_GAIN:
                return Found(actions, scores, found.start)
        return None

    def _promising(self, actions: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Changes by what they would gain if the best response stayed as it is, the greatest gain first."""
        gains = settled(self.gains(actions))
        order = np.argsort(-gains, axis=None, kind="stable")
        gaining = order[gains.ravel()[order] > _LEAST_GAIN]
        return [(int(place // gains.shape[1]), int(place % gains.shape[1])) for place in gaining]

    def gains(self, actions: NDArray[np.int64]) -> NDArray[np.float64]:
        """Points that each action in each situation would gain against the best response to a policy, float64 (C, A); -inf if illegal."""
        context = self.context
        response, visits = self._respond(actions)
        mine = np.flatnonzero((context.chooser == self.seat) & (visits > 0.0))
        sign = 0.5 if self.seat == 0 else -0.5
        after = sign * np.nan_to_num(response.action_values[mine])
        chosen = actions[self.situations.of_node[mine]]
        gain = visits[mine, None] * (after - after[np.arange(len(mine)), chosen][:, None])
        total = np.zeros(self.situations.legal.shape)
        np.add.at(total, self.situations.of_node[mine], gain)
        return np.where(self.situations.legal, total, -np.inf)

    def _respond(self, actions: NDArray[np.int64]) -> tuple[Solution, NDArray[np.float64]]:
        """The best response to a policy, and how often the two come to each node at which one chooses, float64 (P,)."""
        context = self.context
        policy = one_hot(actions[self.situations.of_node], context.game.num_actions)
        policies = (policy, None) if self.seat == 0 else (None, policy)
        response = context.solve(policies)
        chain = Chain(context.game, context.sheets, solution_policies(response, policies))
        visits = np.mean(context.counted_visits(context.from_starts(chain)), axis=0)
        return response, visits[: context.model.num_player]

    def rules(self, found: Found) -> tuple[BlindRule, ...]:
        """What a policy does where it comes and has a choice, the most frequent first."""
        _, met = self._respond(found.actions)
        mine = self.context.chooser == self.seat
        visits = np.bincount(self.situations.of_node[mine], met[mine], len(self.situations))
        listed = [
            place
            for place in np.argsort(-settled(visits), kind="stable")
            if visits[place] >= _LISTED_VISITS and self.situations.legal[place].sum() > 1
        ]
        return tuple(
            BlindRule(
                situation=self.situations.features[place],
                action=self.context.action(found.actions[place]),
                visits=float(visits[place]),
            )
            for place in listed
        )


def role_actions(context: Context, plain: PlainGame, first: int, answer: int) -> NDArray[np.int64]:
    """What casts one spell as the first of a round and another as the answer does at each node, int64 (P,)."""
    idle = plain.idle_choices
    actions: NDArray[np.int64] = np.where(idle >= 0, idle, np.where(context.is_answer, answer, first)).astype(np.int64)
    return actions
