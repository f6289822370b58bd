"""All verdicts, and what is behind the key numbers: who wins, length, luck, what mistakes change."""

from typing import Final

from evaluation.report.page.blocks import Block, Figure, Findings, Heading, Pair, Paragraph, Section, Table
from evaluation.report.page.names import agent_name
from evaluation.report.page.pictures import Bar, bars, columns
from evaluation.report.page.shown import Reader, Text
from evaluation.report.page.verdicts import found_verdicts

_MOST_COLUMNS: Final = 60
"""Rounds that the picture of lengths shows at most."""


def verdict_section(reader: Reader) -> Section:
    """Verdicts, and what is behind the key numbers."""
    text = reader.wording
    blocks: list[Block] = [
        Paragraph(text("verdicts.intro")),
        Findings(found_verdicts(reader)),
        Heading(text("fair.title")),
        Paragraph(text("fair.intro")),
        _starts_table(reader),
        Pair([_length_block(reader), _skill_figure(reader)]),
        Heading(text("mistakes.title")),
        Paragraph(text("mistakes.intro")),
        _mistakes_table(reader),
    ]
    return Section(anchor="verdict", title=text("section.verdict"), blocks=blocks)


def _starts_table(reader: Reader) -> Table:
    text = reader.wording
    rows = []
    for player in range(2):
        outcome, bounds = f"headline.outcome_by_start.{player}", f"headline.bounds_by_start.{player}"
        rows.append(
            (
                text("player_begins", player=player),
                reader.percent(f"{outcome}.win", 2),
                reader.percent(f"{outcome}.loss", 2),
                reader.percent(f"{outcome}.draw", 2),
                reader.percent(f"{outcome}.endless", 2),
                text.rich("range", low=reader.percent(f"{bounds}.0", 4), high=reader.percent(f"{bounds}.1", 4)),
            )
        )
    header = ("", text("player_wins", player=0), text("player_wins", player=1), text("drawn"), text("endless"), text("bounds"))
    return Table(caption=text("fair.table"), header=header, rows=rows)


def _length_block(reader: Reader) -> Block:
    text, length = reader.wording, reader.report.headline.length
    if sum(length.distribution) <= 0.0:
        return Paragraph(text("length.never"))
    path = "headline.length.distribution"
    until = min(len(length.distribution), _MOST_COLUMNS)
    shown = [reader.percent(f"{path}.{i}", 2) for i in range(until)]
    names = [text("round", number=i + 1) for i in range(until)]
    picture = columns(
        text("length.title"),
        text("length.description"),
        [(str(i + 1), length.distribution[i], f"{names[i]}: {shown[i]}") for i in range(until)],
        text("length.axis"),
    )
    rest = sum(length.distribution[until:])
    note = text.rich(
        "length.note",
        p5=reader.count("headline.length.p5"),
        median=reader.count("headline.length.median"),
        p95=reader.count("headline.length.p95"),
    )
    rows = list(zip(names, shown, strict=True))
    table = Table(caption=text("length.title"), header=(text("length.axis"), text("share_of_duels")), rows=rows)
    if rest > 0.0:
        note += " " + text("length.later", share=text.percent(rest, 2))
    return Figure(picture=picture, table=table, note=note)


def _skill_figure(reader: Reader) -> Figure:
    text, skills = reader.wording, reader.report.headline.skill
    rows, lines = [], []
    for i, skill in enumerate(skills):
        score = reader.percent(f"headline.skill.{i}.perfect_score")
        name = agent_name(reader, skill.opponent)
        rows.append(Bar(name, skill.perfect_score, score))
        ceiling = reader.percent(f"headline.skill.{i}.best_response_score")
        lines.append((name, score, ceiling, reader.percent(f"headline.skill.{i}.skill_share")))
    header = (text("opponent"), text("skill.score"), text("skill.ceiling"), text("skill.share"))
    return Figure(
        picture=bars(text("skill.title"), text("skill.description"), rows, (0.5, text("even"))),
        table=Table(caption=text("skill.title"), header=header, rows=lines),
        note=text("skill.note"),
    )


def _mistakes_table(reader: Reader) -> Table:
    text = reader.wording
    equal = reader.report.about.equal_players
    perfect = "headline"
    rows: list[list[Text]] = [
        [
            text("mistakes.none"),
            reader.percent(f"{perfect}.first_caster_score"),
            *([] if equal else [reader.percent(f"{perfect}.player_0_score")]),
            reader.percent(f"{perfect}.decided"),
            reader.decimal(f"{perfect}.length.mean"),
        ]
    ]
    for i, _ in enumerate(reader.report.headline.by_strength):
        path = f"headline.by_strength.{i}"
        rows.append(
            [
                text.rich("mistakes.row", temperature=reader.points(f"{path}.temperature", signed=False)),
                reader.percent(f"{path}.first_caster_score"),
                *([] if equal else [reader.percent(f"{path}.player_0_score")]),
                reader.percent(f"{path}.decided"),
                reader.decimal(f"{path}.mean_rounds"),
            ]
        )
    header = [
        text("mistakes.how"),
        text("mistakes.first"),
        *([] if equal else [text("mistakes.player_0")]),
        text("mistakes.decided"),
        text("mistakes.rounds"),
    ]
    return Table(caption=text("mistakes.title"), header=header, rows=rows)
