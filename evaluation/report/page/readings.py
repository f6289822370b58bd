"""The ambiguous rules read otherwise: how much each reading changes, and where it turns the advantage round."""

from typing import Final

from evaluation.report.figures import ReadingFigures
from evaluation.report.page.blocks import Block, Card, Figure, Pair, Paragraph, Section, Stack, Table
from evaluation.report.page.pictures import LEAST_SCALE, Bar, Swing, bars, swings
from evaluation.report.page.sensitivity import points_map
from evaluation.report.page.shown import Reader, Text

_NOTHING: Final = 5e-4
"""A change of less is none, as far as people can see."""


def readings_section(reader: Reader) -> Section:
    """All readings side by side, then each over skills."""
    text, readings = reader.wording, reader.report.readings.readings
    blocks: list[Block] = [Paragraph(text("readings.intro"))]
    if not readings:
        blocks.append(Paragraph(text("readings.none")))
    else:
        blocks += [_overview(reader), _table(reader)]
        blocks += [_card(reader, i, reading) for i, reading in enumerate(readings)]
    return Section(anchor="readings", title=text("section.readings"), blocks=blocks)


def reading_name(reader: Reader, reading: ReadingFigures) -> str:
    """A reading as a sentence, where the catalogue has one; as it is written with `--set` elsewhere."""
    text = reader.wording
    key = f"reading.{reading.option}.{reading.other}"
    return text(key) if text.has(key) else f"{reading.option} = {reading.other}"


def _overview(reader: Reader) -> Pair:
    text, middle = reader.wording, reader.report.headline.first_caster_score
    here, anywhere = [], []
    here_lines, anywhere_lines = [], []
    readings = reader.report.readings.readings
    scale = max([reading.largest_change for reading in readings] + [LEAST_SCALE])
    for i, reading in enumerate(readings):
        path = f"readings.readings.{i}"
        name = f"{reading.option} = {reading.other}"
        score, largest = reader.percent(f"{path}.first_caster_score"), reader.points(f"{path}.largest_change", signed=False)
        here.append(Swing(name, middle, reading.first_caster_score, "", score))
        here_lines.append((name, score))
        anywhere.append(Bar(name, reading.largest_change / scale, largest))
        anywhere_lines.append((name, largest))
    now = text("sensitivity.now", score=reader.percent("headline.first_caster_score"))
    titles = text("readings.here"), text("readings.anywhere")
    return Pair(
        [
            Figure(
                picture=swings(titles[0], text("readings.here_description"), here, middle, now),
                table=Table(caption=titles[0], header=(text("readings.reading"), text("readings.score")), rows=here_lines),
            ),
            Figure(
                picture=bars(titles[1], text("readings.anywhere_description"), anywhere),
                table=Table(caption=titles[1], header=(text("readings.reading"), text("readings.largest")), rows=anywhere_lines),
            ),
        ]
    )


def _table(reader: Reader) -> Table:
    text = reader.wording
    rows: list[list[Text]] = []
    for i, reading in enumerate(reader.report.readings.readings):
        path = f"readings.readings.{i}"
        flips = len(reading.flips)
        rows.append(
            [
                f"{reading.option} = {reading.other}",
                reader.percent(f"{path}.first_caster_score"),
                reader.points(f"{path}.first_caster_change"),
                reader.decimal(f"{path}.mean_rounds"),
                reader.action(f"{path}.opening"),
                reader.points(f"{path}.largest_change", signed=False),
                text.decimal(flips, 0),
            ]
        )
    header = (
        text("readings.reading"),
        *(text(f"readings.{column}") for column in ("score", "change", "rounds", "opening", "largest", "flips")),
    )
    return Table(caption=text("readings.table"), header=header, rows=rows)


def _card(reader: Reader, number: int, reading: ReadingFigures) -> Card:
    text, path = reader.wording, f"readings.readings.{number}"
    now, other = f"{reading.option} = {reading.value}", f"{reading.option} = {reading.other}"
    sentence = text.rich(
        "readings.sentence",
        change=reader.points(f"{path}.first_caster_change"),
        score=reader.percent(f"{path}.first_caster_score"),
        largest=reader.points(f"{path}.largest_change", signed=False),
        own=reader.count(f"{path}.largest_change_at.0"),
        theirs=reader.count(f"{path}.largest_change_at.1"),
    )
    blocks: list[Block] = [Paragraph(reading_name(reader, reading)), Paragraph(text("readings.instead", now=now))]
    if max(reading.largest_change, abs(reading.first_caster_change)) < _NOTHING:
        return Card(other, [*blocks, Paragraph(text("readings.no_change"))])
    blocks += [
        Paragraph(sentence),
        Paragraph(text("readings.opening_changes" if reading.opening_changes else "readings.opening_stays")),
        _flips(reader, number, reading),
    ]
    texts = (text("readings.map", reading=other), text("readings.map_description"), text("readings.map_note"))
    return Card(other, [Pair([Stack(blocks), points_map(reader, f"{path}.change", reading.skills, texts)])])


def _flips(reader: Reader, number: int, reading: ReadingFigures) -> Block:
    text = reader.wording
    if not reading.flips:
        return Paragraph(text("readings.no_flip"))
    rows = []
    for i, _ in enumerate(reading.flips):
        path = f"readings.readings.{number}.flips.{i}"
        skills = text.rich("map.skills", own=reader.count(f"{path}.skills.0"), theirs=reader.count(f"{path}.skills.1"))
        rows.append((skills, reader.percent(f"{path}.score"), reader.percent(f"{path}.other_score")))
    header = (text("map.pair"), text("readings.as_it_is"), text("readings.otherwise"))
    return Table(caption=text("readings.flip_table"), header=header, rows=rows)
