"""Exact figures of a rule set between two duelists who both play perfectly."""

from typing import Annotated, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from agents.scripted import spam_agent, spell_ids
from duel_env.config import Settings, load
from duel_env.duel import Duel
from duel_env.game import Game
from evaluation.exact import FIRST, SECOND, Solution, exact_model, policy_table, solve
from evaluation.exact.occupancy import Chain, Occupancy, solution_policies

_ENDLESS_ROUNDS: Final = 200
"""Where play never ends, casts are counted in so many rounds."""
_MET: Final = 1e-3
"""A state is met if it is visited at least this often a duel, over both ways to begin."""

_ROUNDING: Final = 1e-6
"""By how much sums of probabilities may pass 0 and 1 here; bounds do by their own width."""
_Share = Annotated[float, Field(ge=-_ROUNDING, le=1.0 + _ROUNDING)]


class Figures(Settings):
    """What a game comes to between two skills. "Over both ways to begin": averaged, each way counting one half."""

    skills: tuple[int, int] = Field(strict=False)
    """Of player 0 and 1."""
    first_caster: _Share
    """1/2 plus half of what acting first adds to the probability of winning (plus half of that of a draw).

    Between equal skills it is the probability that whoever acts first wins.
    """
    first_caster_bounds: tuple[_Share, _Share] = Field(strict=False)
    """Certified bounds of it."""
    spell_share: dict[str, _Share]
    """By spell, its share of all casts of both players, over both ways to begin. Among equally good actions the first counts."""
    spell_loss: dict[str, _Share | None]
    """By spell, by how much less than the best it is worth, in probability of winning, in the state met by perfect play in which
    it does best; 0 for a spell that is cast; None if it can be cast in none of them."""
    mean_rounds: Annotated[float, Field(ge=1.0, allow_inf_nan=False)] | None
    """Expected rounds, over both ways to begin; None if play can go on for ever."""
    draws: _Share
    """Probability that nobody wins, over both ways to begin."""
    one_spell: dict[str, _Share] | None
    """By spell, score against a perfect opponent of the strategy that casts no other (see `agents.scripted.spam_agent`), over both
    ways to begin; None if it was not measured."""


def pair_sheets(game: Game, skills: tuple[int, int]) -> NDArray[np.void]:
    """SHEET (2,) of two skills.

    Raises:
        ConfigError: skills that the ruleset does not accept.
    """
    return Duel(game, game.setup(load(game.ruleset.setup_model, {"skills": skills}, "skills"))).sheets


def measure(game: Game, skills: tuple[int, int], *, one_spell: bool = True) -> Figures:
    """Solve a game and say what perfect play comes to.

    Args:
        game: the rules; their round limit does not count.
        skills: of player 0 and 1.
        one_spell: whether to measure the strategies of one spell, which takes more time than all the rest.

    Raises:
        ConfigError: the rules have too many states.
        ConvergenceError: as `solve`.
    """
    sheets = pair_sheets(game, skills)
    solution = solve(game, sheets)
    chain = Chain(game, sheets, solution_policies(solution))
    begun = [chain.occupancy(solution.start(first)) for first in (FIRST, SECOND)]
    spells = spell_ids(game)
    shares = _shares(begun, len(spells))
    losses = _losses(solution, begun, len(spells))
    bounds = [solution.win_bounds(first) for first in (FIRST, SECOND)]
    ends = all(occupancy.endless == 0.0 for occupancy in begun)
    rounds = [1.0 + chain.expected_new_rounds(occupancy.visits) for occupancy in begun] if ends else []
    return Figures(
        skills=skills,
        first_caster=(1.0 + solution.win_probability(FIRST) - solution.win_probability(SECOND)) / 2.0,
        first_caster_bounds=((1.0 + bounds[0].low - bounds[1].high) / 2.0, (1.0 + bounds[0].high - bounds[1].low) / 2.0),
        spell_share={spell: float(share) for spell, share in zip(spells, shares, strict=True)},
        spell_loss={spell: float(loss) if np.isfinite(loss) else None for spell, loss in zip(spells, losses, strict=True)},
        mean_rounds=float(np.mean(rounds)) if ends else None,
        draws=float(np.mean([occupancy.draw + occupancy.endless for occupancy in begun])),
        one_spell=one_spell_scores(game, skills) if one_spell else None,
    )


def one_spell_scores(game: Game, skills: tuple[int, int]) -> dict[str, float]:
    """`Figures.one_spell` of a game between two skills; player 1 is the perfect opponent.

    Raises:
        ConfigError, ConvergenceError: as `measure`.
    """
    sheets = pair_sheets(game, skills)
    scores = {}
    for spell in spell_ids(game):
        policy = policy_table(spam_agent(game, spell, f"spam:{spell}"), game, sheets)
        answer = solve(game, sheets, (policy, None))
        scores[spell] = (answer.win_probability(FIRST) + answer.win_probability(SECOND)) / 2.0
    return scores


def _shares(begun: list[Occupancy], num_spells: int) -> NDArray[np.float64]:
    """Share of each spell in all casts, float64 (S,); the spells are the first S actions."""
    ends = all(occupancy.endless == 0.0 for occupancy in begun)
    visits = [None if ends else occupancy.visits_within(_ENDLESS_ROUNDS) for occupancy in begun]
    uses = sum(occupancy.action_uses(met).sum(axis=0) for occupancy, met in zip(begun, visits, strict=True))
    casts = np.asarray(uses)[:num_spells]
    total = casts.sum()
    return casts / total if total > 0.0 else casts


def _losses(solution: Solution, begun: list[Occupancy], num_spells: int) -> NDArray[np.float64]:
    """What choosing each spell gives away where that is least, float64 (S,); infinite where it never can be. See `Figures.spell_loss`."""
    model = exact_model(solution.game)
    met = sum(occupancy.visits[: model.num_player] for occupancy in begun) >= _MET
    chosen = np.zeros(model.legal.shape[1], np.bool_)
    chosen[solution.actions[met]] = True
    for_chooser = np.where(model.chooser == 0, 1.0, -1.0)[met, None]
    less = (solution.values[: model.num_player][met, None] - solution.action_values[met, :num_spells]) * for_chooser / 2.0
    losses = np.where(np.isnan(less), np.inf, less).min(axis=0, initial=np.inf)
    return np.where(chosen[:num_spells], 0.0, np.maximum(losses, 0.0))
