"""Each spell: how often it is cast and where, whether perfect play needs it, what it is worth to forbid it or to own it alone."""

from evaluation.report.figures import Dominance, HeatMap, OpeningFigures, Restriction, SpellFigures
from evaluation.report.page.blocks import Block, Card, Facts, Figure, Heading, Listing, Pair, Paragraph, Section, Stack, Table
from evaluation.report.page.pictures import LEAST_SCALE, Bar, Cell, Grid, bars, grid_picture
from evaluation.report.page.shown import Reader, Text


def spells_section(reader: Reader) -> Section:
    """All spells side by side, the openings, then each spell."""
    text, spells = reader.wording, reader.report.spells
    blocks: list[Block] = [Paragraph(text("spells.intro")), Pair([_usage_figure(reader), _ban_figure(reader)])]
    if spells.counted_rounds is not None:
        blocks.append(Paragraph(text.rich("spells.counted", rounds=reader.count("spells.counted_rounds"))))
    blocks += [_overview_table(reader), Heading(text("openings.title")), Paragraph(text("openings.intro")), *_openings(reader)]
    blocks += [_spell_card(reader, i, spell) for i, spell in enumerate(spells.spells)]
    return Section(anchor="spells", title=text("section.spells"), blocks=blocks)


# ---- side by side -------------------------------------------------------------------------------------------------------------


def _usage_figure(reader: Reader) -> Figure:
    text = reader.wording
    rows, lines = [], []
    for i, spell in enumerate(reader.report.spells.spells):
        path = f"spells.spells.{i}"
        share = reader.percent(f"{path}.real_share")
        rows.append(Bar(reader.name(spell.spell), spell.real_share or 0.0, share))
        lines.append((reader.name(spell.spell), share, reader.percent(f"{path}.share"), reader.decimal(f"{path}.casts", 2)))
    header = (text("spell"), text("usage.real_share"), text("usage.share"), text("usage.casts"))
    return Figure(
        picture=bars(text("usage.title"), text("usage.description"), rows),
        table=Table(caption=text("usage.title"), header=header, rows=lines),
        note=text.rich("usage.note", effective=reader.decimal("spells.effective_spells"), count=len(rows)),
    )


def _ban_figure(reader: Reader) -> Figure:
    """What a spell is worth to one player: what its ban costs. Of both players the one that it costs more."""
    text = reader.wording
    spells = reader.report.spells.spells
    costs = [max([-ban.change for ban in spell.ban] + [0.0]) for spell in spells]
    scale = max([*costs, LEAST_SCALE])
    rows, lines = [], []
    for i, spell in enumerate(spells):
        changes = [ban.change for ban in spell.ban]
        change: Text = text("none")
        if changes:
            change = reader.points(f"spells.spells.{i}.ban.{changes.index(min(changes))}.change")
        rows.append(Bar(reader.name(spell.spell), costs[i] / scale, change, "minus"))
        lines.append((reader.name(spell.spell), *restriction_texts(reader, f"spells.spells.{i}.ban", spell.ban)))
    return Figure(
        picture=bars(text("ban.title"), text("ban.description"), rows),
        table=Table(caption=text("ban.title"), header=(text("spell"), *_who(reader, "overview.ban")), rows=lines),
        note=text("ban.note"),
    )


def _who(reader: Reader, key: str) -> list[str]:
    """A text for each player; one for either where both are alike."""
    text = reader.wording
    if reader.report.about.equal_players:
        return [text(f"{key}_either")]
    return [text(f"{key}_player", player=player) for player in range(2)]


def restriction_texts(reader: Reader, path: str, restrictions: tuple[Restriction, ...]) -> list[Text]:
    """What restrictions change, for each player; for one where both are alike."""
    wanted = 1 if reader.report.about.equal_players else 2
    return [reader.points(f"{path}.{i}.change") if i < len(restrictions) else reader.wording("none") for i in range(wanted)]


def _overview_table(reader: Reader) -> Table:
    text = reader.wording
    rows = []
    for i, spell in enumerate(reader.report.spells.spells):
        path = f"spells.spells.{i}"
        rows.append(
            (
                reader.name(spell.spell),
                reader.percent(f"{path}.chance.0", 0),
                reader.percent(f"{path}.real_share"),
                *restriction_texts(reader, f"{path}.ban", spell.ban),
                *restriction_texts(reader, f"{path}.own_alone", spell.own_alone),
                reader.points(f"{path}.ban_for_both"),
                text(f"dominance.{spell.dominance.value}.short"),
            )
        )
    bans, owns = _who(reader, "overview.ban"), _who(reader, "overview.own")
    header = (
        text("spell"),
        text("overview.chance"),
        text("usage.real_share"),
        *bans,
        *owns,
        text("overview.both"),
        text("overview.needed"),
    )
    return Table(caption=text("overview.title"), header=header, rows=rows)


# ---- openings -----------------------------------------------------------------------------------------------------------------


def _openings(reader: Reader) -> list[Block]:
    text = reader.wording
    starts = range(1) if reader.report.about.equal_players else range(2)
    blocks: list[Block] = []
    for start in starts:
        openings = reader.report.spells.openings_by_start[start]
        rows = []
        for i, opening in enumerate(openings):
            path = f"spells.openings_by_start.{start}.{i}"
            answers = {answer.roll: number for number, answer in enumerate(opening.answers)}
            replies = [
                reader.action(f"{path}.answers.{answers[roll]}.answer") if roll in answers else text("none")
                for roll in ("hit", "missed", "none")
            ]
            known = [reply for roll, reply in zip(("hit", "missed", "none"), replies, strict=True) if _is_used(openings, roll)]
            rows.append(
                (
                    reader.action(f"{path}.action"),
                    reader.percent(f"{path}.score"),
                    reader.points(f"{path}.loss", signed=False),
                    *known,
                )
            )
        header = [text("openings.action"), text("openings.score"), text("openings.loss")]
        header += [text(f"openings.answer_{roll}") for roll in ("hit", "missed", "none") if _is_used(openings, roll)]
        caption = text("openings.title") if len(starts) == 1 else text("openings.caption", player=start)
        blocks.append(Table(caption=caption, header=header, rows=rows))
    return blocks


def _is_used(openings: tuple[OpeningFigures, ...], roll: str) -> bool:
    return any(answer.roll == roll for opening in openings for answer in opening.answers)


# ---- one spell ----------------------------------------------------------------------------------------------------------------


def _spell_card(reader: Reader, number: int, spell: SpellFigures) -> Card:
    text, path = reader.wording, f"spells.spells.{number}"
    equal = reader.report.about.equal_players
    chances: list[Text] = [reader.percent(f"{path}.chance.{player}", 0) for player in ((0,) if equal else (0, 1))]
    effects = [text("effect.damage", damage=spell.damage)] if spell.damage else []
    effects += [text(f"effect.{effect}") for effect in spell.effects]
    items: list[tuple[Text, Text]] = [(text("card.chance"), _alternatives(reader, chances))]
    items += [
        (text("card.casts"), reader.decimal(f"{path}.casts", 2)),
        (text("card.share"), reader.percent(f"{path}.share")),
        (text("card.real_share"), reader.percent(f"{path}.real_share")),
        (text("card.legal_share"), reader.percent(f"{path}.legal_share")),
        (text("card.optimal_share"), reader.percent(f"{path}.optimal_share")),
        (text("card.only_optimal_share"), reader.percent(f"{path}.only_optimal_share")),
        (text("card.least_loss"), reader.points(f"{path}.least_loss", signed=False)),
        (text("card.mean_loss"), reader.points(f"{path}.mean_loss", signed=False)),
    ]
    for kind, restrictions in (("ban", spell.ban), ("own_alone", spell.own_alone)):
        values = restriction_texts(reader, f"{path}.{kind}", restrictions)
        items += zip(_who(reader, f"card.{kind}"), values, strict=True)
    items.append((text("card.ban_for_both"), reader.points(f"{path}.ban_for_both")))
    if spell.ban_opening is not None:
        items.append((text("card.ban_opening"), reader.action(f"{path}.ban_opening")))
    blocks: list[Block] = [
        Paragraph(text("card.effects", effects=text.join(effects) if effects else text("effect.nothing"))),
        Paragraph(
            text.rich(
                f"dominance.{spell.dominance.value}.long",
                spell=reader.name(spell.spell),
                states=reader.count(f"{path}.states"),
                optimal=reader.count(f"{path}.optimal_states"),
                only=reader.count(f"{path}.only_optimal_states"),
                least=reader.points(f"{path}.least_loss", signed=False),
            )
        ),
        *_dominated(reader, path, spell),
    ]
    return Card(reader.name(spell.spell), _beside_maps(reader, path, spell, Stack([*blocks, Facts(items)])))


def _beside_maps(reader: Reader, path: str, spell: SpellFigures, told: Stack) -> list[Block]:
    """What is told about a spell, with its maps beside it, or below where there are maps of both players."""
    text = reader.wording
    if spell.dominance in (Dominance.NEVER_OPTIMAL, Dominance.NEVER_MATTERS):
        return [Pair([told, Paragraph(text("heat.never", spell=reader.name(spell.spell)))])]
    maps = [_heat_map(reader, f"{path}.heat_maps.{i}", heat, reader.name(spell.spell)) for i, heat in enumerate(spell.heat_maps)]
    note = Paragraph(text("heat.note"))
    if reader.report.about.equal_players:
        return [Pair([told, Stack([*maps, note])])]
    return [told, *(Pair(maps[i : i + 2]) for i in range(0, len(maps), 2)), note]


def _alternatives(reader: Reader, values: list[Text]) -> Text:
    if len(values) == 1:
        return values[0]
    return reader.wording.rich("both_players", first=values[0], second=values[1])


def _dominated(reader: Reader, path: str, spell: SpellFigures) -> list[Block]:
    text = reader.wording
    sentences = [
        text.rich(
            "dominated.strict" if by.strict else "dominated.weak",
            spell=reader.name(spell.spell),
            other=reader.action(f"{path}.dominated_by.{i}.action"),
            least=reader.points(f"{path}.dominated_by.{i}.least_margin", signed=False),
            mean=reader.points(f"{path}.dominated_by.{i}.mean_margin", signed=False),
        )
        for i, by in enumerate(spell.dominated_by)
    ]
    return [Listing(sentences)] if sentences else []


def _heat_map(reader: Reader, path: str, heat: HeatMap, spell: str) -> Figure:
    """Rows from full hit points down, as a plot has them."""
    text = reader.wording
    count = len(heat.share)
    cells: list[list[Cell | None]] = []
    lines = []
    for own in reversed(range(count)):
        row: list[Cell | None] = []
        for theirs in range(count):
            where = text("heat.where", own=own + 1, theirs=theirs + 1)
            share = heat.share[own][theirs]
            best = heat.best_in_states[own][theirs]
            at = f"{own}.{theirs}"
            lines.append(
                (
                    where,
                    reader.percent(f"{path}.share.{at}"),
                    reader.percent(f"{path}.best_in_states.{at}"),
                    reader.decimal(f"{path}.decisions.{at}", 3),
                )
            )
            if best is None:
                row.append(None)
                continue
            tip = text(
                "heat.tip",
                where=where,
                share=reader.percent(f"{path}.share.{at}"),
                best=reader.percent(f"{path}.best_in_states.{at}"),
                decisions=reader.decimal(f"{path}.decisions.{at}", 3),
            )
            row.append(Cell("heat", best, reader.hundred(f"{path}.best_in_states.{at}"), tip, share is not None))
        cells.append(row)
    names = [str(own + 1) for own in range(count)]
    role = text(f"role.{heat.role.value}") if heat.player is None else text(f"role.{heat.role.value}_of", player=heat.player)
    title = text("heat.title", spell=spell, role=role)
    grid = Grid(rows=names[::-1], columns=names, cells=cells, row_title=text("heat.own"), column_title=text("heat.theirs"))
    header = (text("heat.position"), text("heat.share"), text("heat.best"), text("heat.decisions"))
    return Figure(
        picture=grid_picture(title, text("heat.description", spell=spell, role=role), grid),
        table=Table(caption=title, header=header, rows=lines),
    )
