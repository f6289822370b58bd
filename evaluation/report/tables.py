"""The figures of a report as tables: long form, one row for each thing that is counted, ready for a spreadsheet.

Column names are those of the models in `figures`, where their meaning and units are. An empty cell is None.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from typing import Any, NamedTuple

from evaluation.report.figures import (
    ComebacksFigures,
    DecisionsFigures,
    Figures,
    HeadlineFigures,
    ReadingsFigures,
    Report,
    SensitivityFigures,
    SpellFigures,
    SpellsFigures,
    StrategiesFigures,
    StrategyFigures,
)

Row = tuple[Any, ...]
_ANY = "any"
"""In a column for players, seats or ways to begin: averaged or added up over them."""


class Table(NamedTuple):
    """One table.

    Attributes:
        name: for a file, without suffix.
        columns: their names.
        rows: of as many cells each: text, numbers, truth values, None.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def to_csv(self) -> str:
        """CSV: a header line, lines that end with a line feed, empty cells for None, `true` and `false`."""
        out = StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_cell(value) for value in row] for row in self.rows)
        return out.getvalue()


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, float) else str(value)


def tables(report: Report) -> tuple[Table, ...]:
    """All tables of a report, section by section."""
    return (
        Table("verdicts", tuple(type(report.verdicts[0]).model_fields), _fields(report.verdicts)),
        *_headline(report.headline),
        *_spells(report.spells),
        *_strategies(report.strategies),
        *_decisions(report.decisions),
        *_comebacks(report.comebacks),
        *_sensitivity(report.sensitivity),
        *_readings(report.readings),
    )


def _fields(figures: Iterable[Figures], names: Sequence[str] | None = None) -> tuple[Row, ...]:
    """A row for each of some figures: the fields named, or all of them."""
    return tuple(tuple(getattr(each, name) for name in names or type(each).model_fields) for each in figures)


def _plain_fields(figures: Figures) -> Iterator[tuple[str, Any]]:
    """Names and values of the fields that are numbers, text, truth values or None."""
    for name in type(figures).model_fields:
        value = getattr(figures, name)
        if value is None or isinstance(value, str | int | float):
            yield name, value


def _pairs(name: str, pair: Sequence[Any]) -> Iterator[Row]:
    for number, value in enumerate(pair):
        yield name, number, value


# ---- sections -----------------------------------------------------------------------------------------------------------------


def _headline(headline: HeadlineFigures) -> Iterator[Table]:
    rows: list[Row] = [(name, _ANY, value) for name, value in _plain_fields(headline)]
    rows += _pairs("player_0_score", headline.score_by_start)
    rows += _pairs("player_0_score_low", [low for low, _ in headline.bounds_by_start])
    rows += _pairs("player_0_score_high", [high for _, high in headline.bounds_by_start])
    for start, outcome in enumerate(headline.outcome_by_start):
        rows += [(name, start, value) for name, value in _plain_fields(outcome)]
    lengths = ((_ANY, headline.length), *enumerate(headline.length_by_start))
    for begins, length in lengths:
        rows += [(f"rounds_{name}", begins, value) for name, value in _plain_fields(length)]
    yield Table("headline", ("figure", "begins", "value"), tuple(rows))
    yield Table(
        "rounds",
        ("begins", "round", "probability"),
        tuple((begins, number + 1, share) for begins, length in lengths for number, share in enumerate(length.distribution)),
    )
    skill: list[Row] = []
    for each in headline.skill:
        skill.append((each.opponent, _ANY, each.perfect_score, each.best_response_score))
        skill += [(each.opponent, seat, each.perfect_by_seat[seat], each.best_response_by_seat[seat]) for seat in range(2)]
    yield Table("skill", ("opponent", "seat", "perfect_score", "best_response_score"), tuple(skill))
    names = ("temperature", "first_caster_score", "player_0_score", "decided", "mean_rounds")
    yield Table("strength", names, _fields(headline.by_strength, names))
    yield Table(
        "strength_casts",
        ("temperature", "spell", "share"),
        tuple((each.temperature, spell, share) for each in headline.by_strength for spell, share in each.shares.items()),
    )


def _spells(spells: SpellsFigures) -> Iterator[Table]:
    rows: list[Row] = []
    for spell in spells.spells:
        rows += [(spell.spell, name, _ANY, value) for name, value in _plain_fields(spell) if name != "spell"]
        rows += [(spell.spell, *row) for row in _pairs("chance", spell.chance)]
        rows += [(spell.spell, *row) for row in _pairs("casts", spell.casts_by_player)]
        rows += [
            (spell.spell, name, _ANY, value)
            for name, value in zip(("casts_first", "casts_answer"), spell.casts_by_role, strict=True)
        ]
    for action in spells.plain_actions:
        rows += [(action.action, "uses", _ANY, action.uses)]
        rows += [(action.action, *row) for row in _pairs("uses", action.uses_by_player)]
    yield Table("spells", ("action", "figure", "player", "value"), tuple(rows))
    yield Table("heat", _HEAT_COLUMNS, tuple(row for spell in spells.spells for row in _heat(spell)))
    yield Table(
        "dominated",
        ("spell", "action", "strict", "least_margin", "mean_margin"),
        tuple((spell.spell, *row) for spell in spells.spells for row in _fields(spell.dominated_by)),
    )
    restricted = []
    for spell in spells.spells:
        for name, entries in (("ban", spell.ban), ("own_alone", spell.own_alone)):
            for each in entries:
                restricted.append((spell.spell, name, each.player, _ANY, each.change))
                restricted += [(spell.spell, name, each.player, *row[1:]) for row in _pairs("", each.change_by_start)]
    yield Table("restrictions", ("spell", "restriction", "player", "begins", "change"), tuple(restricted))
    yield Table(
        "openings",
        ("begins", "action", "score", "loss", "is_best"),
        tuple(
            (start, *row)
            for start, openings in enumerate(spells.openings_by_start)
            for row in _fields(openings, ("action", "score", "loss", "is_best"))
        ),
    )
    yield Table(
        "answers",
        ("begins", "action", "roll", "answer", "score"),
        tuple(
            (start, opening.action, *row)
            for start, openings in enumerate(spells.openings_by_start)
            for opening in openings
            for row in _fields(opening.answers)
        ),
    )


_HEAT_CELLS = ("decisions", "casts", "share", "optimal_share", "best_in_states")
_HEAT_COLUMNS = ("spell", "player", "role", "own_hit_points", "opponent_hit_points", *_HEAT_CELLS)


def _heat(spell: SpellFigures) -> Iterator[Row]:
    for heat in spell.heat_maps:
        size = len(heat.decisions)
        for own in range(size):
            for opponent in range(size):
                cells = [getattr(heat, name)[own][opponent] for name in _HEAT_CELLS]
                yield spell.spell, _ANY if heat.player is None else heat.player, heat.role, own + 1, opponent + 1, *cells


def _strategies(strategies: StrategiesFigures) -> Iterator[Table]:
    rows: list[Row] = []

    def add(kind: str, each: StrategyFigures) -> None:
        cells = each.score, *each.score_by_seat, *each.score_by_order, each.loss
        rows.append((kind, " ".join(each.spells), *cells))

    for kind in ("one_spell", "one_spell_per_role", "sequences"):
        for each in getattr(strategies, kind):
            add(kind, each)
    if strategies.blind is not None:
        add("blind", strategies.blind.strategy)
    columns = ("kind", "spells", "score", "score_seat_0", "score_seat_1", "score_first", "score_second", "loss")
    yield Table("strategies", columns, tuple(rows))
    rules = () if strategies.blind is None else strategies.blind.rules
    yield Table(
        "blind_rules",
        ("situation", "action", "visits"),
        tuple((" ".join(rule.situation), rule.action, rule.visits) for rule in rules),
    )


def _decisions(decisions: DecisionsFigures) -> Iterator[Table]:
    rows: list[Row] = []
    losses: list[Row] = []
    for role in ("all", "first", "answer"):
        each = getattr(decisions, role)
        rows += [(role, name, value) for name, value in _plain_fields(each) if name != "role"]
        for weighting, kinds in (("met", each.kinds), ("states", each.kinds_of_states)):
            if kinds is not None:
                rows += [(role, f"{name}_{weighting}", value) for name, value in _plain_fields(kinds)]
        rows += [(role, f"effective_options_{quantal.temperature}", quantal.effective_options) for quantal in each.quantal]
        ends = zip(each.loss_bins, each.loss_bins[1:], each.loss_shares, strict=False)
        losses += [(role, low, high, share) for low, high, share in ends]
    yield Table("decisions", ("role", "figure", "value"), tuple(rows))
    yield Table("losses", ("role", "low", "high", "share"), tuple(losses))


def _comebacks(plays: tuple[ComebacksFigures, ...]) -> Iterator[Table]:
    rows: list[Row] = []
    differences: list[Row] = []
    hit_points: list[Row] = []
    events: list[Row] = []
    for play in plays:
        name = "perfect" if play.temperature is None else f"quantal {play.temperature}"
        rows += [(name, figure, value) for figure, value in _plain_fields(play) if figure != "temperature"]
        rows += [
            (name, figure, value)
            for figure, value in zip(
                ("first_hit_score_of_first", "first_hit_score_of_second"), play.first_hit_by_order, strict=True
            )
        ]
        for tempo in play.tempo:
            rows += [
                (name, f"tempo_{tempo.opponent}_{figure}", value)
                for figure, value in _plain_fields(tempo)
                if figure != "opponent"
            ]
        differences += [(name, *row) for row in _fields(play.by_difference)]
        events += [(name, *row) for row in _fields(play.events)]
        hit_points += [
            (name, own + 1, opponent + 1, score)
            for own, row in enumerate(play.score_by_hit_points)
            for opponent, score in enumerate(row)
        ]
    yield Table("comebacks", ("play", "figure", "value"), tuple(rows))
    yield Table("leads", ("play", "difference", "visits", "score"), tuple(differences))
    yield Table("hit_points", ("play", "own_hit_points", "opponent_hit_points", "score"), tuple(hit_points))
    yield Table("events", ("play", "event", "per_duel", "before", "after", "swing"), tuple(events))


_CHANGED = ("value", "first_caster_score", "first_caster_change", "player_0_change", "opening", "opening_changes", "opening_loss")


def _sensitivity(sensitivity: SensitivityFigures) -> Iterator[Table]:
    rows: list[Row] = []
    for each in sensitivity.parameters:
        for direction, found in (("down", each.down), ("up", each.up)):
            if found is not None:
                rows.append((each.parameter, each.value, direction, *_fields([found], _CHANGED)[0]))
    changed = tuple("changed_value" if name == "value" else name for name in _CHANGED)
    yield Table("sensitivity", ("parameter", "value", "direction", *changed), tuple(rows))
    found_map = sensitivity.opening_map
    columns = ("first_caster_skill", "other_skill", "opening", "also_best", "score", "first_turn_worth")
    yield Table(
        "opening_map",
        columns,
        tuple(
            (
                own,
                other,
                found_map.openings[row][column],
                found_map.also_best[row][column],
                found_map.score[row][column],
                found_map.first_turn_worth[row][column],
            )
            for row, own in enumerate(found_map.skills)
            for column, other in enumerate(found_map.skills)
        ),
    )


def _readings(readings: ReadingsFigures) -> Iterator[Table]:
    rows: list[Row] = []
    changes: list[Row] = []
    flips: list[Row] = []
    for each in readings.readings:
        names = (each.option, each.other)
        rows += [(*names, name, value) for name, value in _plain_fields(each) if name not in ("option", "other")]
        flips += [(*names, *flip.skills, flip.score, flip.other_score) for flip in each.flips]
        changes += [
            (*names, own, other, each.change[row][column])
            for row, own in enumerate(each.skills)
            for column, other in enumerate(each.skills)
        ]
    skills = ("first_caster_skill", "other_skill")
    yield Table("readings", ("option", "other", "figure", "value"), tuple(rows))
    yield Table("reading_map", ("option", "other", *skills, "change"), tuple(changes))
    yield Table("reading_flips", ("option", "other", *skills, "score", "other_score"), tuple(flips))
