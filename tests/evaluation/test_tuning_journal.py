"""Journals of a search that somebody changed: what no search writes is refused, and the message says where."""

import json
from pathlib import Path
from typing import Any

import pytest

from duel_env.errors import DuelError
from evaluation.tuning import Search, Space
from evaluation.tuning.journal import Journal
from evaluation.tuning.outputs import output_files, results_of
from tests.evaluation.test_tuning import config_of, settings

NAN, INF = float("nan"), float("inf")
SPACE = Space(config_of(settings(tune={"seed": 3, "candidates": 4, "batch": 2, "workers": 1, "time_limit_s": 600.0})))
SPELLS = SPACE.spell_ids


def journal_at(path: Path) -> Journal:
    return Journal(path, SPACE.config.digest, SPACE.today.digest)


def resumed(path: Path) -> dict[str, str]:
    """The files of a search that goes on from a journal."""
    journal = journal_at(path)
    search = Search(SPACE, journal, journal.read(SPACE.config.tune.batch))
    assert search.run()
    return output_files(results_of(search), "en")


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    journal = journal_at(tmp_path_factory.mktemp("search") / "journal.jsonl")
    journal.begin()
    assert Search(SPACE, journal).run()
    return journal.path.read_text().splitlines()


def rewritten(lines: list[str], path: Path, number: int, **changes: Any) -> None:
    """Write the journal with one candidate changed; changes of `figures` are to those of the first pair."""
    entry = json.loads(lines[number + 1])
    for name, value in changes.items():
        if name in entry:
            entry[name] = value
        else:
            entry["figures"][0][name] = value
    path.write_text("\n".join([*lines[: number + 1], json.dumps(entry), *lines[number + 2 :]]) + "\n")


@pytest.mark.parametrize(
    "changes",
    [
        *({name: value} for name in ("first_caster", "mean_rounds", "draws") for value in (NAN, INF, -5.0)),
        {"first_caster": 1.5},
        {"first_caster_bounds": [0.0, NAN]},
        {"first_caster_bounds": [-INF, INF]},
        *({name: dict.fromkeys(SPELLS, NAN)} for name in ("spell_share", "spell_loss", "one_spell")),
        *({name: {}} for name in ("spell_share", "spell_loss", "one_spell")),
        *({name: dict.fromkeys(["\x1b[31m", *SPELLS[1:]], 0.5)} for name in ("spell_share", "spell_loss", "one_spell")),
        {"figures": [], "error": None},
        {"figures": [], "error": ""},
        {"figures": [], "error": "\x1b[31mred"},
        {"figures": [], "error": "two\nlines"},
        {"error": "solved, and not solved"},
    ],
    ids=str,
)
def test_what_no_search_writes_is_refused(tmp_path: Path, lines: list[str], changes: dict[str, Any]) -> None:
    path = tmp_path / "journal.jsonl"
    rewritten(lines, path, 2, **changes)
    with pytest.raises(DuelError, match=r"line 4|candidate 2") as caught:
        resumed(path)
    assert str(caught.value).isprintable()


def test_the_first_candidate_is_todays_rules(tmp_path: Path, lines: list[str]) -> None:
    other = json.loads(lines[3])["parameters"]
    assert other != SPACE.today_values
    path = tmp_path / "journal.jsonl"
    rewritten(lines, path, 0, parameters=other)
    with pytest.raises(DuelError, match="candidate 0: expected today's rules"):
        resumed(path)


def test_why_a_candidate_could_not_be_solved_is_text_in_the_summary(tmp_path: Path, lines: list[str]) -> None:
    path = tmp_path / "journal.jsonl"
    rewritten(lines, path, 0, figures=[], error="<img src=x> | too many")
    summary = resumed(path)["summary.md"]
    assert "&lt;img src=x&gt; / too many" in summary
    assert "<" not in summary
