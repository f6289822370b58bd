"""The report as a page: complete, true to its figures, safe, and the same each time."""

import json
import re
import string
from enum import StrEnum
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.registry import make_agent
from duel_env.game import make_game, make_game_and_setup
from evaluation.exact import exact_model, policy_table, solve
from evaluation.report import Report, build_report, sheets_of
from evaluation.report.figures import Dominance, EventCode, Level, Limit, Role, VerdictCode
from evaluation.report.page import LANGUAGES, Language, render_page, verdict_lines
from evaluation.report.page.blocks import Figure, Pair
from evaluation.report.page.pictures import WIDTH, Bar, Box, Cell, Grid, Picture, Swing, bars, columns, grid_picture, swings
from evaluation.report.page.readings import readings_section
from evaluation.report.page.shown import Reader
from evaluation.report.page.wording import Wording, catalogue
from tests.evaluation.report_pages import HOSTILE, HOSTILE_SPELLS, MORE_HOSTILE, QUICK, Page, at_path, number_in, report_of

CASES: dict[str, dict[str, Any]] = {
    "as it is": {},
    "unequal": {"skills": [70, 40], "hit_points": 2},
    "endless": {"skills": [100, 100], "hit_points": 2},
    "hopeless": {"skills": [0, 0], "hit_points": 1},
    "another reading": {"hit_points": 2, "resolution": "simultaneous", "riposte_sees_roll": False},
    "one spell": {"hit_points": 2, "spells": HOSTILE_SPELLS[:1]},
    "hostile": {"skills": [60, 50], "hit_points": 2, "spells": HOSTILE_SPELLS},
}


@pytest.fixture(params=CASES, ids=lambda name: name.replace(" ", "-"))
def report(request: pytest.FixtureRequest) -> Report:
    return report_of(**CASES[request.param])


_PAGES: dict[tuple[int, Language], str] = {}


def html_of(report: Report, language: Language) -> str:
    """The page of a report that `report_of` made, and keeps: rendered once."""
    key = (id(report), language)
    if key not in _PAGES:
        _PAGES[key] = render_page(report, language)
    return _PAGES[key]


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Language:
    return request.param


# ---- figures ------------------------------------------------------------------------------------------------------------------


def test_every_figure_shown_is_the_figure_of_the_report(report: Report, language: Language) -> None:
    whole = json.loads(json.dumps(report.to_json()))
    names = {action["id"]: action[language] for action in whole["about"]["actions"]}
    figures = Page.read(html_of(report, language)).figures
    assert len(figures) > 300
    for figure in figures:
        path, text = figure.attributes["data-figure"], figure.text
        value = at_path(whole, path)
        if figure.tag == "data":
            assert figure.attributes["value"] == ("" if value is None else str(value)), path
        if value is None:
            assert text == "–", path
        elif isinstance(value, str):
            assert text == names[value], path
        elif "10" in text and "×" in text:
            assert re.fullmatch(r"\d\u00a0×\u00a010⁻[⁰¹²³⁴⁵⁶⁷⁸⁹]+", text), text
            exponent = int(text.split("10⁻")[1].translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")))
            assert float(f"{text[0]}e-{exponent}") == pytest.approx(value, rel=0.5)
        else:
            shown, digits = number_in(text, language)
            is_share = "%" in text or "point" in text or _is_bare_share(path, figure.ancestors, text)
            assert shown == pytest.approx((100.0 if is_share else 1.0) * value, abs=0.5000001 * 10.0**-digits), (path, text)


def _is_bare_share(path: str, ancestors: tuple[str, ...], text: str) -> bool:
    """Shares without a unit: in the headline ("47 of 100"), and in the cells of pictures that say "in per cent"."""
    in_picture = "svg" in ancestors and (".best_in_states." in path or ".score_by_hit_points." in path)
    return text.isdigit() and (
        in_picture or path in ("headline.first_caster_score", "headline.player_0_score", "headline.decided")
    )


def shown_values(report: Report) -> dict[str, float]:
    """Exact values beside the figures of the English page, by path."""
    figures = Page.read(html_of(report, "en")).figures
    return {
        str(figure.attributes["data-figure"]): float(value)
        for figure in figures
        if figure.tag == "data" and (value := figure.attributes["value"]) and value[0] in "-0123456789"
    }


def test_key_figures_of_the_page_are_those_of_the_solver() -> None:
    shown = shown_values(report_of())
    game = make_game("hogwarts")
    sheets = np.zeros(2, game.ruleset.sheet_dtype)
    sheets["skill"] = 60
    solution = solve(game, sheets)
    fair = [solution.win_probability(start) for start in range(2)]
    assert shown["headline.first_caster_score"] == pytest.approx(0.4681, abs=5e-5)  # the table of docs/hogwarts.md
    assert shown["headline.first_caster_score"] == pytest.approx((fair[0] + 1.0 - fair[1]) / 2.0, abs=1e-9)
    assert shown["headline.outcome_by_start.1.win"] == pytest.approx(fair[1], abs=1e-9)

    model = exact_model(game)
    spells = [action.id for action in game.actions]
    for spell in ("expelliarmus", "protego", "levicorpus"):
        allowed = model.legal.copy()
        allowed[model.chooser == 0, spells.index(spell)] = False
        banned = solve(game, sheets, allowed=allowed)
        change = np.mean([banned.win_probability(start) for start in range(2)]) - np.mean(fair)
        assert shown[f"spells.spells.{spells.index(spell)}.ban.0.change"] == pytest.approx(change, abs=1e-9)

    for number, spell in enumerate(spells[:2]):
        policy = policy_table(make_agent(f"spam:{spell}", game), game, sheets)
        against = solve(game, sheets, policies=(policy, None))
        loss = np.mean(fair) - np.mean([against.win_probability(start) for start in range(2)])
        assert shown[f"strategies.one_spell.{number}.loss"] == pytest.approx(loss, abs=1e-9)


def test_the_headline_says_what_the_numbers_say() -> None:
    headline, problems = verdict_lines(report_of(), "en")
    assert headline == (
        "Almost fair: between perfect players, whoever begins wins 47 of 100 duels, so beginning is a slight disadvantage."
    )
    assert any("Protego when first, Expelliarmus as the answer" in problem for problem in problems)
    assert verdict_lines(report_of(skills=[100, 100], hit_points=2), "en")[0].startswith("Nobody wins")
    unequal = report_of(skills=[70, 40], hit_points=2)
    share = round(100 * unequal.headline.player_0_score)
    assert f"skill 70 wins {share} of 100 duels against skill 40" in verdict_lines(unequal, "en")[0]


def test_the_worst_findings_come_first_and_say_their_level_in_words(report: Report) -> None:
    page = Page.read(html_of(report, "en"))
    levels = [
        element.attributes["class"].split()[-1]
        for element in page.all("li")
        if "verdict " in (element.attributes.get("class") or "")
    ]
    overall = levels[: len(levels) - _repeated(report)]
    assert overall == sorted(overall, key=["fail", "warn", "pass"].index)
    words = [element.text for element in page.all("span") if element.attributes.get("class") == "light"]
    assert set(words[-len(levels) :]) <= {"Good", "Watch", "Problem"}


def _repeated(report: Report) -> int:
    """Findings that the section on plain strategies shows once more."""
    codes = (VerdictCode.ONE_SPELL, VerdictCode.ONE_SPELL_PER_ROLE, VerdictCode.FIXED_SEQUENCE, VerdictCode.BLIND_TO_HIT_POINTS)
    return sum(verdict.code in codes for verdict in report.verdicts)


# ---- languages ----------------------------------------------------------------------------------------------------------------


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_languages_have_the_same_texts_with_the_same_places() -> None:
    english, french = (catalogue(language) for language in LANGUAGES)
    assert list(english) == list(french)
    for key in english:
        assert places(english[key]) == places(french[key]), key
        assert english[key].strip(), key
        assert french[key].strip(), key


@pytest.mark.parametrize(
    ("codes", "keys"),
    [
        (VerdictCode, ("verdict.{}.good", "verdict.{}.bad")),
        (Level, ("level.{}", "lead.{}.one", "lead.{}.many")),
        (Dominance, ("dominance.{}.short", "dominance.{}.long")),
        (Limit, ("limit.{}",)),
        (EventCode, ("event.{}",)),
        (Role, ("role.{}", "role.{}_of", "tempo.{}")),
    ],
)
def test_every_code_has_words(codes: type[StrEnum], keys: tuple[str, ...]) -> None:
    for code in codes:
        for key in keys:
            assert key.format(code.value) in catalogue("en")


def test_every_text_of_the_catalogue_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """By these cases; but for those of the codes, and what these games have no occasion to say."""
    used = set()

    class Recorder(dict[str, str]):
        def __getitem__(self, key: str) -> str:
            used.add(key)
            return super().__getitem__(key)

    monkeypatch.setattr("evaluation.report.page.wording.catalogue", lambda language: Recorder(catalogue(language)))
    for settings in CASES.values():
        render_page(report_of(**settings), "en")
    codes = (
        "verdict.",
        "headline.",
        "lead.",
        "number.",
        "dominance.",
        "dominated.",
        "effect.",
        "limit.",
        "feature.",
        "reading.",
        "agent.",
    )
    unused = [key for key in catalogue("en") if key not in used and not key.startswith(codes) and not key.endswith(".none")]
    assert set(unused) <= {"length.later", "readings.opening_changes"}


def test_the_french_page_has_no_english_left() -> None:
    text = Page.read(html_of(report_of(), "fr")).text
    english, french = (catalogue(language) for language in LANGUAGES)
    for key, phrase in english.items():
        pieces = [piece.strip() for piece in re.split(r"\{\w+\}", phrase)]
        for piece in pieces:
            if len(piece) > 12 and piece not in french[key]:
                assert piece not in text, f"{key}: {piece!r}"
    for action in report_of().about.actions:
        assert action.en == action.fr or action.en not in text


def test_where_the_search_began_is_said_in_words(language: Language) -> None:
    report, pair = report_of(), "protego/expelliarmus"
    blind = report.strategies.blind
    assert blind is not None
    strategies = report.strategies.model_copy(update={"blind": blind.model_copy(update={"start": pair})})
    page = render_page(report.model_copy(update={"strategies": strategies}), language)
    words = {"en": "Protego when first, Expelliarmus as the answer", "fr": "Protego en premier, Expelliarmus en réponse"}
    assert words[language] in Page.read(page).text
    assert pair not in page


def test_a_lead_that_changes_rarely_is_not_said_never_to_change() -> None:
    report = report_of()
    first, *others = report.comebacks
    changed = report.model_copy(update={"comebacks": (first.model_copy(update={"lead_changes": 0.0291}), *others)})
    figures = {figure.attributes["data-figure"]: figure.text for figure in Page.read(render_page(changed, "en")).figures}
    assert figures["comebacks.0.lead_changes"] == "0.029"


def test_the_page_says_its_language(report: Report, language: Language) -> None:
    page = Page.read(html_of(report, language))
    assert page.all("html")[0].attributes["lang"] == language


@pytest.mark.parametrize(
    ("shown", "english", "french"),
    [
        (lambda say: say.decimal(1234.5), "1,234.5", "1\u202f234,5"),
        (lambda say: say.decimal(-0.04), "0.0", "0,0"),
        (lambda say: say.percent(0.46809), "46.8\u00a0%", "46,8\u00a0%"),
        (lambda say: say.points(-0.012), "\u22121.2\u00a0points", "\u22121,2\u00a0point"),
        (lambda say: say.points(0.178), "+17.8\u00a0points", "+17,8\u00a0points"),
        (lambda say: say.points(0.01, signed=False), "1.0\u00a0point", "1,0\u00a0point"),
        (lambda say: say.points(0.00001), "0.0\u00a0points", "0,0\u00a0point"),
        (lambda say: say.tiny(4.9e-13), "5\u00a0×\u00a010⁻¹³", "5\u00a0×\u00a010⁻¹³"),
        (lambda say: say.tiny(0.0), "0", "0"),
        (lambda say: say.short(0.1), "0.1", "0,1"),
        (lambda say: say.rate(0.0291), "0.029", "0,029"),
        (lambda say: say.rate(2.31), "2.3", "2,3"),
        (lambda say: say.rate(0.5, 3), "0.500", "0,500"),
        (lambda say: say.rate(0.0), "0.0", "0,0"),
        (lambda say: say.rate(2e-7), "2\u00a0×\u00a010⁻⁷", "2\u00a0×\u00a010⁻⁷"),
        (lambda say: say.signed(-3), "\u22123", "\u22123"),
        (lambda say: say.join(["a", "b", "c"]), "a, b and c", "a, b et c"),
    ],
)
def test_numbers_are_written_as_the_language_writes_them(shown: Any, english: str, french: str) -> None:
    assert shown(Wording("en")) == english
    assert shown(Wording("fr")) == french


# ---- safety -------------------------------------------------------------------------------------------------------------------


def test_nothing_is_loaded_and_nothing_runs(report: Report, language: Language) -> None:
    html = html_of(report, language)
    page = Page.read(html)
    policy = next(element for element in page.all("meta") if element.attributes.get("http-equiv") == "Content-Security-Policy")
    assert policy.attributes["content"] == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert not {"script", "link", "img", "iframe", "object", "embed", "form", "base", "use", "image", "foreignobject"} & {
        element.tag for element in page.elements
    }
    for element in page.elements:
        for name, value in element.attributes.items():
            assert not name.startswith("on"), (element.tag, name)
            assert name not in ("src", "srcset", "style", "action", "xlink:href"), (element.tag, name)
            assert name != "href" or (value or "").startswith("#")
    style = page.all("style")[0].text
    assert "url(" not in style
    assert "@import" not in style


def test_links_lead_somewhere(language: Language) -> None:
    page = Page.read(html_of(report_of(), language))
    anchors = {element.attributes["id"] for element in page.elements if "id" in element.attributes}
    links = [str(element.attributes["href"])[1:] for element in page.all("a")]
    assert len(links) == 7
    assert set(links) == anchors


def test_names_from_files_are_escaped_in_text_and_pictures(language: Language) -> None:
    html = html_of(report_of(**CASES["hostile"]), language)
    assert "<script" not in html
    assert "<svg onload" not in html
    page = Page.read(html)
    for name in (HOSTILE, MORE_HOSTILE):
        assert any(element.text == name for element in page.all("h3"))
        assert any(element.tag == "text" and element.text[:20] == name[:20] for element in page.elements)
        assert any(element.tag == "title" and name in element.text for element in page.elements if "svg" in element.ancestors)
    assert "49" not in [element.text for element in page.all("h3")]


# ---- form ---------------------------------------------------------------------------------------------------------------------


def test_the_same_report_gives_the_same_bytes(report: Report, language: Language) -> None:
    again = Report.model_validate(json.loads(json.dumps(report.to_json())))
    assert render_page(again, language).encode() == html_of(report, language).encode()


def test_the_same_rules_give_the_same_bytes() -> None:
    settings = {"skills": [70, 40], "hit_points": 2}
    game, setup = make_game_and_setup("hogwarts", settings)
    again = build_report(game, sheets_of(game, setup), QUICK)
    assert render_page(again, "en") == html_of(report_of(**settings), "en")


def test_pictures_are_well_formed_and_described(report: Report, language: Language) -> None:
    html = html_of(report, language)
    names = set()
    for source in re.findall(r"<svg.*?</svg>", html, re.DOTALL):
        picture = ElementTree.fromstring(source)
        if picture.get("aria-hidden") == "true":
            continue
        space = "{http://www.w3.org/2000/svg}"
        title, description = picture.find(f"{space}title"), picture.find(f"{space}desc")
        assert picture.get("role") == "img"
        assert title is not None
        assert title.text == picture.get("aria-label")
        assert description is not None
        assert description.text
        assert len(picture) > 3
        names.add(title.text)
    figures = html.count("<figure>")
    assert len(names) >= min(figures, 5)
    assert html.count("<figure>\n<figcaption>") == figures
    assert html.count("<details><summary>") == figures  # each as a table, too


def test_tables_have_rows_as_long_as_their_header(report: Report, language: Language) -> None:
    for table in re.findall(r"<table.*?</table>", html_of(report, language), re.DOTALL):
        rows = re.findall(r"<tr>.*?</tr>", table, re.DOTALL)
        widths = {len(re.findall(r"<t[hd][ >]", row)) for row in rows}
        assert len(widths) == 1, table[:300]


def test_nothing_shows_that_a_program_wrote_it(language: Language) -> None:
    for case in ("as it is", "unequal", "endless"):
        page = Page.read(html_of(report_of(**CASES[case]), language))
        assert page.declared == "DOCTYPE html"
        assert not re.search(r"\b(None|nan|inf|True|Undefined)\b|[{}]|Markup|Shown\(", page.text)


# ---- pictures -----------------------------------------------------------------------------------------------------------------

SHARES = st.floats(-0.5, 1.5)
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=60)


def check_boxes(picture: Picture) -> None:
    for shape in picture.shapes:
        if isinstance(shape, Box):
            assert shape.width >= 0
            assert shape.height >= 0
            assert -1e-6 <= shape.x <= shape.x + shape.width <= picture.width + 1e-6
            assert -1e-6 <= shape.y <= shape.y + shape.height <= picture.height + 1e-6
            assert shape.strength is None or 0.0 <= shape.strength <= 1.0


@given(st.lists(st.tuples(NAMES, SHARES), max_size=12), st.none() | st.floats(0, 1))
def test_bars_stay_within_their_picture_and_are_as_long_as_their_shares(
    rows: list[tuple[str, float]], mark: float | None
) -> None:
    found = bars("t", "d", [Bar(name, share, "1 %") for name, share in rows], None if mark is None else (mark, "mark"))
    check_boxes(found)
    tracks = [shape for shape in found.shapes if isinstance(shape, Box) and shape.style == "track"]
    lengths = [shape for shape in found.shapes if isinstance(shape, Box) and shape.style == "bar"]
    for track, length, (_, share) in zip(tracks, lengths, rows, strict=True):
        assert length.width == pytest.approx(track.width * min(max(share, 0.0), 1.0))


@given(st.lists(st.tuples(NAMES, st.floats(0, 1), st.floats(0, 1)), max_size=8), st.floats(0, 1))
def test_swings_lie_on_the_side_of_their_change(rows: list[tuple[str, float, float]], middle: float) -> None:
    found = swings("t", "d", [Swing(name, low, high, "low", "high") for name, low, high in rows], middle, "now")
    check_boxes(found)
    for style, place in (("minus", 1), ("plus", 2)):
        boxes = [shape for shape in found.shapes if isinstance(shape, Box) and shape.style == style]
        for box, row in zip(boxes, rows, strict=True):
            if row[place] > middle:
                assert box.x == pytest.approx(WIDTH / 2)
            if row[place] < middle:
                assert box.x + box.width == pytest.approx(WIDTH / 2)


@pytest.mark.parametrize("change", [0.0001, 0.001, 0.01, 0.05, 0.2])
def test_small_swings_look_small(change: float) -> None:
    """One point is a fifth of the least scale, which is five."""
    found = swings("t", "d", [Swing("n", 0.487, 0.487 + change, "low", "high")], 0.487, "now")
    largest = swings("t", "d", [Swing("n", 0.487, 0.987, "low", "high")], 0.487, "now")
    width, whole = (
        next(shape.width for shape in picture.shapes if isinstance(shape, Box) and shape.style == "plus")
        for picture in (found, largest)
    )
    assert width == pytest.approx(whole * min(change / 0.05, 1.0))


def test_small_differences_look_small_in_the_readings() -> None:
    report = report_of()
    readings = report.readings.readings
    largest = max(reading.largest_change for reading in readings)
    small = [reading.model_copy(update={"largest_change": 0.002 * reading.largest_change / largest}) for reading in readings]
    changed = report.model_copy(update={"readings": report.readings.model_copy(update={"readings": tuple(small)})})
    section = readings_section(Reader(changed, Wording("en")))
    figure = next(block for block in section.blocks if isinstance(block, Pair)).blocks[1]
    assert isinstance(figure, Figure)
    boxes = [shape for shape in figure.picture.shapes if isinstance(shape, Box)]
    tracks, lengths = ([box.width for box in boxes if box.style == style] for style in ("track", "bar"))
    assert max(lengths) == pytest.approx(max(tracks) * 0.002 / 0.05)


@given(st.integers(1, 25), st.data())
def test_grids_have_a_box_for_each_cell(size: int, data: st.DataObject) -> None:
    strengths = data.draw(st.lists(st.none() | st.floats(0, 1), min_size=size, max_size=size))
    cells = [[None if strength is None else Cell("heat", strength, "100", "tip") for strength in strengths] for _ in range(size)]
    names = [str(number) for number in range(size)]
    found = grid_picture("t", "d", Grid(rows=names, columns=names, cells=cells, row_title="r", column_title="c"))
    check_boxes(found)
    boxes = [shape for shape in found.shapes if isinstance(shape, Box) and shape.style == "heat"]
    assert len(boxes) == size * sum(strength is not None for strength in strengths)
    assert len({(box.x, box.y) for box in boxes}) == len(boxes)


@given(st.lists(st.floats(0, 1), max_size=60))
def test_columns_are_as_tall_as_their_shares(shares: list[float]) -> None:
    found = columns("t", "d", [(str(i), share, "tip") for i, share in enumerate(shares)], "axis")
    check_boxes(found)
    tall = [shape.height for shape in found.shapes if isinstance(shape, Box) and shape.style == "bar"]
    scale = 120.0 / max([*shares, 1e-9])
    assert tall == pytest.approx([share * scale for share in shares])
