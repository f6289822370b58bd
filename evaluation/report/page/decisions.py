"""How rich the decisions are, and whether a duelist who is behind can come back."""

from typing import Final

from evaluation.report.figures import ComebacksFigures
from evaluation.report.page.blocks import Block, Figure, Heading, Pair, Paragraph, Section, Table
from evaluation.report.page.pictures import Bar, Cell, Grid, bars, grid_picture
from evaluation.report.page.shown import Reader, Text

_KINDS: Final = (("forced", "faint"), ("pointless", "faint"), ("clear", "bar"), ("close", "plus"))
_ROLES: Final = ("all", "first", "answer")


def decisions_section(reader: Reader) -> Section:
    """Decisions, then comebacks."""
    text = reader.wording
    blocks: list[Block] = [
        Paragraph(text("decisions.intro")),
        Pair([_kinds_figure(reader), _losses_figure(reader)]),
        _decisions_table(reader),
        Heading(text("comebacks.title")),
        Paragraph(text("comebacks.intro")),
        *_comebacks(reader),
    ]
    return Section(anchor="decisions", title=text("section.decisions"), blocks=blocks)


# ---- decisions ----------------------------------------------------------------------------------------------------------------


def _kinds_figure(reader: Reader) -> Block:
    text, kinds = reader.wording, reader.report.decisions.all.kinds
    if kinds is None:
        return Paragraph(text("kinds.none"))
    rows, lines = [], []
    for kind, style in _KINDS:
        rows.append(Bar(text(f"kind.{kind}"), getattr(kinds, kind), reader.percent(f"decisions.all.kinds.{kind}"), style))
    for kind, _ in _KINDS:
        lines.append((text(f"kind.{kind}"), *(_kind_text(reader, role, kind) for role in _ROLES)))
    header = (text("kind.title"), *(text(f"decisions.{role}") for role in _ROLES))
    return Figure(
        picture=bars(text("kinds.title"), text("kinds.description"), rows),
        table=Table(caption=text("kinds.title"), header=header, rows=lines),
        note=text("kinds.note", close=text.points(reader.report.method.settings.close, signed=False)),
    )


def _kind_text(reader: Reader, role: str, kind: str) -> Text:
    path = f"decisions.{role}.kinds"
    return reader.wording("none") if reader.value(path) is None else reader.percent(f"{path}.{kind}")


def _losses_figure(reader: Reader) -> Block:
    """What an action taken by chance gives away."""
    text, figures = reader.wording, reader.report.decisions.all
    if not figures.loss_shares:
        return Paragraph(text("losses.none"))
    names = [
        text("range", low=text.short(100.0 * low), high=text.short(100.0 * high))
        for low, high in zip(figures.loss_bins[:-1], figures.loss_bins[1:], strict=True)
    ]
    rows, lines = [], []
    for i, share in enumerate(figures.loss_shares):
        shown = reader.percent(f"decisions.all.loss_shares.{i}")
        rows.append(Bar(text("losses.bin", range=names[i]), share, shown))
        lines.append((names[i], shown))
    return Figure(
        picture=bars(text("losses.title"), text("losses.description"), rows),
        table=Table(caption=text("losses.title"), header=(text("losses.points"), text("losses.share")), rows=lines),
        note=text("losses.note"),
    )


def _decisions_table(reader: Reader) -> Table:
    text = reader.wording
    lines: list[tuple[str, str]] = [
        ("decisions", "decimal"),
        ("real_share", "percent"),
        ("two_close_share", "percent"),
        ("mean_gap", "points"),
        ("mean_loss_random", "points"),
        ("mean_loss_worst", "points"),
    ]
    rows: list[list[Text]] = []
    for field, kind in lines:
        shown: list[Text] = []
        for role in _ROLES:
            path = f"decisions.{role}.{field}"
            if kind == "points":
                shown.append(reader.points(path, signed=False))
            else:
                shown.append(reader.percent(path) if kind == "percent" else reader.decimal(path))
        rows.append([text(f"decisions_row.{field}"), *shown])
    for i, _ in enumerate(reader.report.decisions.all.quantal):
        name = text.rich(
            "decisions_row.quantal", temperature=reader.points(f"decisions.all.quantal.{i}.temperature", signed=False)
        )
        rows.append([name, *(reader.decimal(f"decisions.{role}.quantal.{i}.effective_options", 2) for role in _ROLES)])
    header = ("", *(text(f"decisions.{role}") for role in _ROLES))
    return Table(caption=text("decisions.table"), header=header, rows=rows)


# ---- comebacks ----------------------------------------------------------------------------------------------------------------


def _comebacks(reader: Reader) -> list[Block]:
    """Perfect play in pictures; all kinds of play in tables."""
    text, report = reader.wording, reader.report
    names = [_play_name(reader, i, kind) for i, kind in enumerate(report.comebacks)]
    facts: list[list[Text]] = []
    for field, show in (
        ("first_hit_score", reader.percent),
        ("first_hit_share_of_first_caster", reader.percent),
        ("won_from_behind", reader.percent),
        ("lead_changes", reader.rate),
        ("favourite_changes", reader.rate),
    ):
        shown = [show(f"comebacks.{i}.{field}") for i in range(len(report.comebacks))]
        facts.append([text(f"comebacks_row.{field}"), *shown])
    blocks: list[Block] = [Table(caption=text("comebacks.table"), header=("", *names), rows=facts)]
    last = len(names) - 1
    blocks.append(Pair([_score_map(reader), _difference_figure(reader, last, names[last])]))
    blocks += [Heading(text("events.title")), Paragraph(text("events.intro"))]
    blocks += [_events_table(reader, i, name) for i, name in enumerate(names)]
    blocks.append(_tempo(reader))
    return blocks


def _play_name(reader: Reader, number: int, kind: ComebacksFigures) -> str:
    if kind.temperature is None:
        return reader.wording("play.perfect")
    return reader.wording("play.quantal", temperature=reader.points(f"comebacks.{number}.temperature", signed=False))


def _score_map(reader: Reader) -> Figure:
    text, scores = reader.wording, reader.report.comebacks[0].score_by_hit_points
    path, count = "comebacks.0.score_by_hit_points", len(reader.report.comebacks[0].score_by_hit_points)
    cells: list[list[Cell | None]] = []
    lines = []
    for own in reversed(range(count)):
        row: list[Cell | None] = []
        for theirs in range(count):
            score = scores[own][theirs]
            where = text("heat.where", own=own + 1, theirs=theirs + 1)
            shown = reader.percent(f"{path}.{own}.{theirs}")
            lines.append((where, shown))
            if score is None:
                row.append(None)
                continue
            side = "plus" if score >= 0.5 else "minus"
            row.append(
                Cell(side, min(abs(score - 0.5) * 2.0, 1.0), reader.hundred(f"{path}.{own}.{theirs}"), f"{where}: {shown}")
            )
        cells.append(row)
    names = [str(own + 1) for own in range(count)]
    grid = Grid(rows=names[::-1], columns=names, cells=cells, row_title=text("heat.own"), column_title=text("heat.theirs"))
    return Figure(
        picture=grid_picture(text("score_map.title"), text("score_map.description"), grid),
        table=Table(caption=text("score_map.title"), header=(text("heat.position"), text("score_map.score")), rows=lines),
        key=(("plus", text("score_map.ahead")), ("minus", text("score_map.behind"))),
        note=text("score_map.note"),
    )


def _difference_figure(reader: Reader, number: int, play: str) -> Figure:
    """In the last kind of play: with mistakes, which also comes to leads that perfect players never have."""
    text = reader.wording
    title = text("difference.picture", play=play)
    rows, lines = [], []
    for i, found in enumerate(reader.report.comebacks[number].by_difference):
        path = f"comebacks.{number}.by_difference.{i}"
        score = reader.percent(f"{path}.score")
        name = (
            text("difference.even") if found.difference == 0 else text("difference.row", difference=text.signed(found.difference))
        )
        lines.append((name, score, reader.decimal(f"{path}.visits", 3)))
        if found.score is not None:
            rows.append(Bar(name, found.score, score, "plus" if found.score >= 0.5 else "minus"))
    header = (text("difference.title"), text("score_map.score"), text("difference.visits"))
    return Figure(
        picture=bars(title, text("difference.description"), rows, (0.5, text("even"))),
        table=Table(caption=title, header=header, rows=lines),
    )


def _events_table(reader: Reader, number: int, name: str) -> Table:
    text = reader.wording
    rows = []
    for i, event in enumerate(reader.report.comebacks[number].events):
        path = f"comebacks.{number}.events.{i}"
        rows.append(
            (
                text(f"event.{event.event.value}"),
                reader.rate(f"{path}.per_duel", 2),
                reader.percent(f"{path}.before"),
                reader.percent(f"{path}.after"),
                reader.points(f"{path}.swing"),
            )
        )
    header = (text("events.event"), *(text(f"events.{column}") for column in ("per_duel", "before", "after", "swing")))
    return Table(caption=text("events.caption", play=name), header=header, rows=rows)


def _tempo(reader: Reader) -> Table:
    text = reader.wording
    rows = [
        (
            text(f"tempo.{tempo.opponent.value}"),
            reader.percent(f"comebacks.0.tempo.{i}.score_without"),
            reader.percent(f"comebacks.0.tempo.{i}.score"),
            reader.points(f"comebacks.0.tempo.{i}.gain"),
        )
        for i, tempo in enumerate(reader.report.comebacks[0].tempo)
    ]
    header = (text("tempo.lost"), *(text(f"tempo.{column}") for column in ("without", "with", "gain")))
    return Table(caption=text("tempo.title"), header=header, rows=rows)
