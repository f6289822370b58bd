"""Dominant strategies: what plain play is worth against perfect play that knows it."""

from collections.abc import Callable
from itertools import product

from duel_env.game import NUM_PLAYERS
from evaluation.report.blind import BlindSearch, role_actions
from evaluation.report.context import Context, Progress, mean_of, settled
from evaluation.report.figures import BlindFigures, Pair, StrategiesFigures, StrategyFigures
from evaluation.report.responses import PlainGame

_PAIRS_TO_START_FROM = 3


def strategies(context: Context, progress: Progress) -> StrategiesFigures:
    """The third part of the report."""
    plain, count, shown = PlainGame(context), context.num_spells, context.settings.sequences_shown
    pairs = [(first, answer) for first in range(count) for answer in range(count)]
    length, cycles = _cycles(context)
    steps = len(pairs) + len(cycles)

    def score(spells: tuple[int, ...], by_seat: Callable[[int], Pair], done: int) -> StrategyFigures:
        progress("strategies", done, steps)
        return strategy(context, spells, by_seat)

    by_role = [
        score(pair, lambda seat, pair=pair: plain.policy_scores(role_actions(context, plain, *pair), seat), done)  # type: ignore[misc]
        for done, pair in enumerate(pairs)
    ]
    by_cycle = [
        score(cycle, lambda seat, cycle=cycle: plain.cycle_scores(cycle, seat), len(pairs) + done)  # type: ignore[misc]
        for done, cycle in enumerate(cycles)
    ]
    progress("strategies", steps, steps)
    found = StrategiesFigures(
        one_spell=tuple(by_cycle[:count]),
        one_spell_per_role=_best([each for each in by_role if len(set(each.spells)) > 1], shown),
        sequences=_best(by_cycle[count:], shown),
        sequence_length=length,
        sequences_tried=len(cycles),
        blind=_blind(context, plain, [pairs[place] for place in _places_of_best(by_role)], progress) if count > 1 else None,
    )
    context.solutions += plain.solved
    return found


def strategy(context: Context, spells: tuple[int, ...], by_seat: Callable[[int], Pair]) -> StrategyFigures:
    """A strategy's figures.

    Args:
        context: the game.
        spells: what it casts.
        by_seat: gives its scores in a seat, by start.
    """
    ours = by_seat(0)
    # With equal skills the other seat is the mirror image: who begins changes place, too.
    theirs = (ours[1], ours[0]) if context.are_equal else by_seat(1)
    by_seats = (mean_of(ours), mean_of(theirs))
    score = mean_of(by_seats)
    return StrategyFigures(
        spells=tuple(context.action(spell) for spell in spells),
        score=score,
        score_by_seat=by_seats,
        score_by_order=((ours[0] + theirs[1]) / 2.0, (ours[1] + theirs[0]) / 2.0),
        loss=0.5 - score,  # perfect play against perfect play, averaged over both seats
    )


def _best(found: list[StrategyFigures], shown: int) -> tuple[StrategyFigures, ...]:
    return tuple(sorted(found, key=lambda each: -settled(each.score))[:shown])


def _places_of_best(found: list[StrategyFigures]) -> list[int]:
    return sorted(range(len(found)), key=lambda place: -settled(found[place].score))[:_PAIRS_TO_START_FROM]


def _cycles(context: Context) -> tuple[int, list[tuple[int, ...]]]:
    """The longest length tried, and the cycles: those of one spell first, none that repeats a shorter one."""
    count, settings = context.num_spells, context.settings
    cycles: list[tuple[int, ...]] = [(spell,) for spell in range(count)]
    for length in range(2, settings.sequence_length + 1):
        if len(cycles) + count**length - count > settings.max_sequences:
            return length - 1, cycles
        cycles += [cycle for cycle in product(range(count), repeat=length) if not _repeats(cycle)]
    return settings.sequence_length, cycles


def _repeats(cycle: tuple[int, ...]) -> bool:
    """Whether a cycle is a shorter one several times over."""
    return any(len(cycle) % length == 0 and cycle == cycle[:length] * (len(cycle) // length) for length in range(1, len(cycle)))


def _blind(context: Context, plain: PlainGame, pairs: list[tuple[int, int]], progress: Progress) -> BlindFigures:
    searches = [BlindSearch(context, plain, seat, pairs) for seat in range(1 if context.are_equal else NUM_PLAYERS)]
    found = [search.run(progress, "blind") for search in searches]
    return BlindFigures(
        strategy=strategy(context, (), lambda seat: found[seat].scores),
        is_lower_bound=True,
        situations=int((searches[0].situations.legal.sum(axis=1) > 1).sum()),
        policies_tried=sum(search.tried for search in searches),
        start=found[0].start,
        rules=searches[0].rules(found[0]),
    )
