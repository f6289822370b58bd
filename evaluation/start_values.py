"""A solution as people and programs read it: chances to win, their bounds, and the worth of every action, at one state or at the starts."""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duel_env.duel import Duel
from duel_env.errors import ConfigError, SchemaError
from duel_env.game import Game
from evaluation.exact.model import exact_model
from evaluation.exact.solution import FIRST, SECOND, Interval, Solution

FORMAT: Final = "duel_env/solution"
FORMAT_VERSION: Final = 1
SAME_VALUE: Final = 1e-9
"""Actions whose chances differ by less are equally good."""


class ActionValue(NamedTuple):
    """An action in a position.

    Attributes:
        id: of the action.
        win: probability that player 0 wins, plus half of that of a draw, if the action is taken and both play perfectly after it.
        cost: by how much it is worse than the best, in the same units; 0.0 for the best ones.
    """

    id: str
    win: float
    cost: float


class PositionValue(NamedTuple):
    """A position under perfect play.

    Attributes:
        win: probability that player 0 wins, plus half of that of a draw.
        bounds: certified.
        player: who is to choose; None where a die is due or the duel is over.
        best: the action of the solution; None where nobody is to choose.
        actions: all that may be taken, the best first.
    """

    win: float
    bounds: Interval
    player: int | None
    best: str | None
    actions: tuple[ActionValue, ...]

    @property
    def optimal(self) -> tuple[str, ...]:
        """Actions that are as good as the best."""
        return tuple(action.id for action in self.actions if action.cost < SAME_VALUE)


def position_value(solution: Solution, node: int) -> PositionValue:
    """What a solution says about a node of the state graph."""
    game = solution.game
    low, high = ((1.0 + float(bound[node])) / 2.0 for bound in (solution.lower, solution.upper))
    win = _chance(solution.values[node])
    if node >= game.graph.num_player:
        return PositionValue(win, Interval(low, high), None, None, ())
    player = int(exact_model(game).chooser[node])
    sign = 1.0 if player == 0 else -1.0
    values = solution.action_values[node]
    best = np.nanmax(sign * values)
    actions = [
        ActionValue(game.actions[number].id, _chance(values[number]), max(float(best - sign * values[number]) / 2.0, 0.0))
        for number in np.flatnonzero(~np.isnan(values))
    ]
    chosen = game.actions[solution.actions[node]].id
    actions.sort(key=lambda action: (action.cost >= SAME_VALUE, action.id != chosen, action.cost))
    return PositionValue(win, Interval(low, high), player, chosen, tuple(actions))


def _chance(value: np.float64) -> float:
    """A return from -1 to 1 as a chance from 0 to 1, which a sum of probabilities may pass by rounding."""
    return min(max((1.0 + float(value)) / 2.0, 0.0), 1.0)


def find_node(duel: Duel) -> int:
    """The node of the state graph that a duel is at; the round does not matter.

    Raises:
        SchemaError: a state that no play leads to.
        ConfigError: rules with too many states.
    """
    state = duel.state.copy()
    if duel.is_truncated:
        raise SchemaError("the duel was cut short by the round limit: it is a draw, and there is nothing to solve")
    state["round"] = 1
    found = np.flatnonzero(duel.game.graph.states == state[0])
    if len(found) == 0:
        raise SchemaError("a state that no play of these rules leads to")
    return int(found[0])


def fixed_sheets(game: Game, setup: NDArray[np.void], command: str) -> NDArray[np.void]:
    """SHEET (2,) of a set-up that leaves nothing to chance.

    Raises:
        ConfigError: it draws something.
    """
    if not game.ruleset.is_fixed(setup):
        raise ConfigError(f"{command} needs two given duelists, not ranges to draw them from, such as --skills 60 60")
    return Duel(game, setup).sheets


def solution_to_json(solution: Solution, positions: dict[str, int]) -> dict[str, Any]:
    """A solution at some nodes as JSON values; see `evaluation/schemas/solve.schema.json`.

    Args:
        solution: what to show.
        positions: nodes by name: `first` and `second` for the two ways to begin, `state` for any other.
    """
    found = {name: position_value(solution, node) for name, node in positions.items()}
    game = solution.game
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "ruleset": game.ruleset.name,
        "options": game.options_json(),
        "digest": game.digest,
        "sheets": [{name: sheet[name].item() for name in game.ruleset.sheet_dtype.names or ()} for sheet in solution.sheets],
        "max_rounds": solution.rounds,
        "value": {name: position.win for name, position in found.items()},
        "bounds": {name: list(position.bounds) for name, position in found.items()},
        "actions": {
            name: {
                "player": position.player,
                "best": position.best,
                "optimal": list(position.optimal),
                "values": {action.id: action.win for action in position.actions},
            }
            for name, position in found.items()
        },
    }


def start_positions(game: Game) -> dict[str, int]:
    """Nodes of the two ways to begin, by the names that JSON has for them."""
    return {"first": int(game.graph.starts[FIRST]), "second": int(game.graph.starts[SECOND])}
