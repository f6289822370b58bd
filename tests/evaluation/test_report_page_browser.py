"""The page in a browser, opened from disk on a desk and on a phone. Skipped where there is no Chromium."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.report.page import LANGUAGES, render_page
from tests.chromium import Browser, chromium, find_chromium
from tests.evaluation.report_pages import HOSTILE_SPELLS, report_of

PROGRAM = find_chromium()
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="no Chromium: apt-get install chromium, or name a browser in DUEL_ENV_CHROMIUM"
)

CASES = {"plain": {"hit_points": 3}, "hostile": {"skills": [60, 50], "hit_points": 2, "spells": HOSTILE_SPELLS}}
WIDTHS = (1280, 360)

WIDER_THAN_THE_SCREEN = """
[...document.querySelectorAll("body *")].filter(element => {
    if (element.closest(".scroll") && !element.matches(".scroll")) return false;
    if (element.closest("svg") && !element.matches("svg")) return false;
    const box = element.getBoundingClientRect();
    return box.width > 0 && (box.left < -0.5 || box.right > document.documentElement.clientWidth + 0.5);
}).map(element => element.outerHTML.slice(0, 200))
"""
OUT_OF_THEIR_CELLS = """
[...document.querySelectorAll("th, td")].filter(cell => {
    const content = document.createRange();
    content.selectNodeContents(cell);
    const inner = content.getBoundingClientRect(), box = cell.getBoundingClientRect();
    return inner.width > 0 && (inner.left < box.left - 0.5 || inner.right > box.right + 0.5);
}).map(cell => cell.outerHTML.slice(0, 200))
"""
INVISIBLE_PICTURES = """
[...document.querySelectorAll("svg")].filter(picture => {
    const box = picture.getBoundingClientRect(), style = getComputedStyle(picture);
    return box.width < 5 || box.height < 5 || style.visibility !== "visible" || style.display === "none";
}).map(picture => picture.outerHTML.slice(0, 200))
"""
SMALLEST_TEXT = """
Math.min(...[...document.querySelectorAll("figure > svg")].map(picture => {
    const scale = picture.getBoundingClientRect().width / picture.viewBox.baseVal.width;
    return scale * Math.min(...[...picture.querySelectorAll("text")].map(text => parseFloat(getComputedStyle(text).fontSize)));
}))
"""
UNREADABLE = """
(() => {
    const channels = colour => colour.match(/[\\d.]+/g).map(Number);
    const light = colour => {
        const [r, g, b] = channels(colour).slice(0, 3).map(c => c / 255).map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = element => {
        for (let at = element; at; at = at.parentElement) {
            const colour = getComputedStyle(at).backgroundColor;
            if (channels(colour)[3] !== 0) return colour;
        }
        return "rgb(255, 255, 255)";
    };
    return [...document.querySelectorAll("body p, body dt, body dd, body li, body th, body td, body a, body h1, body h2, body h3, .light")]
        .filter(element => element.getBoundingClientRect().width > 0)
        .filter(element => {
            const [one, other] = [light(getComputedStyle(element).color), light(ground(element))].sort((a, b) => b - a);
            return (one + 0.05) / (other + 0.05) < 4.5;
        }).map(element => element.outerHTML.slice(0, 200));
})()
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert PROGRAM is not None
    with chromium(PROGRAM) as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    for name, settings in CASES.items():
        for language in LANGUAGES:
            (folder / f"{name}.{language}.html").write_text(render_page(report_of(**settings), language), encoding="utf-8")
    return folder


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [f"{name}.{language}" for name in CASES for language in LANGUAGES])
def test_the_page_opens_from_disk_and_fits_the_screen(browser: Browser, folder: Path, name: str, width: int, dark: bool) -> None:
    path = folder / f"{name}.html"
    browser.open(path, width, dark=dark)
    requests = [event["params"]["request"]["url"] for event in browser.events if event["method"] == "Network.requestWillBeSent"]
    assert requests == [path.as_uri()]
    messages = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
    assert not [event["params"] for event in browser.events if event["method"] in messages]
    assert browser.evaluate("document.documentElement.clientWidth") == width
    assert browser.evaluate("document.documentElement.scrollWidth") == width
    assert browser.evaluate(WIDER_THAN_THE_SCREEN) == []
    assert browser.evaluate(OUT_OF_THEIR_CELLS) == []
    assert browser.evaluate("document.querySelectorAll('figure > svg').length") >= 10
    assert browser.evaluate(INVISIBLE_PICTURES) == []
    assert browser.evaluate(SMALLEST_TEXT) >= 9.5
    assert browser.evaluate(UNREADABLE) == []


def test_a_phone_shows_the_verdict_without_scrolling(browser: Browser, folder: Path) -> None:
    browser.open(folder / "plain.en.html", 360, 740)
    assert browser.evaluate("document.querySelector('.headline').getBoundingClientRect().bottom") < 740
    assert browser.evaluate("document.querySelector('.counts').getBoundingClientRect().bottom") < 740


def test_tables_fit_the_screen_when_they_are_opened(browser: Browser, folder: Path) -> None:
    browser.open(folder / "plain.en.html", 360)
    browser.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
    assert browser.evaluate(WIDER_THAN_THE_SCREEN) == []
    assert browser.evaluate("document.documentElement.scrollWidth") == 360
    assert browser.evaluate(
        "[...document.querySelectorAll('details table')].every(table => table.getBoundingClientRect().height > 20)"
    )
