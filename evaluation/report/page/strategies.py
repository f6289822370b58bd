"""Whether something plain is nearly as good as perfect play: one spell over and over, a fixed sequence, eyes shut to hit points."""

from typing import Final

from evaluation.report.figures import StrategyFigures, VerdictCode
from evaluation.report.page.blocks import Block, Figure, Finding, Findings, Heading, Pair, Paragraph, Section, Stack, Table
from evaluation.report.page.names import agent_name
from evaluation.report.page.pictures import LEAST_SCALE, Bar, bars
from evaluation.report.page.shown import Reader, Text
from evaluation.report.page.verdicts import found_verdicts_of

_CODES: Final = (
    VerdictCode.ONE_SPELL,
    VerdictCode.ONE_SPELL_PER_ROLE,
    VerdictCode.FIXED_SEQUENCE,
    VerdictCode.BLIND_TO_HIT_POINTS,
)
_HIT_POINTS: Final = "hit_points"


def strategies_section(reader: Reader) -> Section:
    """Plain strategies, each against perfect play that knows it."""
    text, strategies = reader.wording, reader.report.strategies
    found: list[Finding] = [finding for code in _CODES for finding in found_verdicts_of(reader, code)]
    blocks: list[Block] = [Paragraph(text("strategies.intro")), Findings(found)]
    one_spell = [(f"strategies.one_spell.{i}", plain) for i, plain in enumerate(strategies.one_spell)]
    pairs = [(f"strategies.one_spell_per_role.{i}", plain) for i, plain in enumerate(strategies.one_spell_per_role)]
    sequences = [(f"strategies.sequences.{i}", plain) for i, plain in enumerate(strategies.sequences)]
    tried = text.rich(
        "sequences.intro" if sequences else "sequences.none",
        tried=reader.count("strategies.sequences_tried"),
        length=reader.count("strategies.sequence_length"),
    )
    parts = [
        _part(reader, "one_spell", text("one_spell.intro"), one_spell),
        _part(reader, "role_pairs", text("role_pairs.intro"), pairs),
        _part(reader, "sequences", tried, sequences),
        Stack([Heading(text("blind.title")), *_blind(reader)]),
    ]
    blocks += [Pair(parts[:2]), Pair(parts[2:])]
    return Section(anchor="strategies", title=text("section.strategies"), blocks=blocks)


def _part(reader: Reader, key: str, intro: Text, plain: list[tuple[str, StrategyFigures]]) -> Stack:
    """One kind of plain strategy."""
    head: list[Block] = [Heading(reader.wording(f"{key}.title")), Paragraph(intro)]
    return Stack([*head, _losses(reader, key, plain)] if plain else head)


def _losses(reader: Reader, key: str, plain: list[tuple[str, StrategyFigures]]) -> Figure:
    """What plain strategies give away."""
    text = reader.wording
    scale = max([strategy.loss for _, strategy in plain] + [LEAST_SCALE])
    rows, lines = [], []
    for path, strategy in plain:
        names = [reader.name(spell) for spell in strategy.spells]
        name = text("per_role_short", first=names[0], answer=names[1]) if key == "role_pairs" else text("then").join(names)
        loss = reader.points(f"{path}.loss", signed=False)
        rows.append(Bar(name, strategy.loss / scale, loss, "minus"))
        lines.append((name, *_strategy_texts(reader, path)))
    header = (text("strategy"), *(text(f"strategy_column.{column}") for column in ("score", "first", "second", "loss")))
    return Figure(
        picture=bars(text(f"{key}.picture"), text(f"{key}.description"), rows),
        table=Table(caption=text(f"{key}.picture"), header=header, rows=lines),
        note=text("strategies.note"),
    )


def _strategy_texts(reader: Reader, path: str) -> tuple[Text, ...]:
    return (
        reader.percent(f"{path}.score"),
        reader.percent(f"{path}.score_by_order.0"),
        reader.percent(f"{path}.score_by_order.1"),
        reader.points(f"{path}.loss", signed=False),
    )


# ---- blind to hit points ------------------------------------------------------------------------------------------------------


def _blind(reader: Reader) -> list[Block]:
    text, blind = reader.wording, reader.report.strategies.blind
    if blind is None:
        return [Paragraph(text("blind.none"))]
    path = "strategies.blind"
    first, _, answer = blind.start.partition("/")
    start = text("per_role", first=reader.name(first), answer=reader.name(answer)) if answer else agent_name(reader, blind.start)
    intro = text.rich(
        "blind.intro",
        score=reader.percent(f"{path}.strategy.score"),
        loss=reader.points(f"{path}.strategy.loss", signed=False),
        tried=reader.count(f"{path}.policies_tried"),
        start=start,
    )
    rows = [
        (
            _situation(reader, rule.situation),
            reader.action(f"{path}.rules.{i}.action"),
            reader.decimal(f"{path}.rules.{i}.visits", 2),
        )
        for i, rule in enumerate(blind.rules)
    ]
    header = (text("blind.situation"), text("blind.action"), text("blind.visits"))
    return [Paragraph(intro), Paragraph(text("blind.rules_intro")), Table(caption=text("blind.rules"), header=header, rows=rows)]


def _situation(reader: Reader, situation: dict[str, object]) -> str:
    """Features of the observation in words, where the catalogue has some; skills and chances are the same everywhere, so left out."""
    text = reader.wording
    words = []
    for feature, value in situation.items():
        if feature.endswith("_skill") or "_chance_" in feature or feature.endswith(_HIT_POINTS):
            continue
        if feature.startswith("first_action_"):
            words.append(text("feature.first_action", action=reader.name(feature.removeprefix("first_action_"))))
        elif text.has(f"feature.{feature}"):
            words.append(text(f"feature.{feature}"))
        else:
            words.append(feature if value == 1 else f"{feature} = {value}")
    return ", ".join(words) if words else text("feature.nothing")
