"""`duel report`, run in this process."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.report import Report
from tests.evaluation.report_pages import Page
from training.cli import main
from training.cli.report import _PARTS, _STEPS, _overall

SETTINGS = """
opponents = ["random"]
grid_step = 100
readings_grid_step = 100
blind_solves = 1
max_sequences = 6
temperatures = [0.05]
"""
LENIENT = """
[thresholds]
dead_spell_ban = 0.0
close_decisions = { warn = -1.0, fail = -1.0 }
fairness = { warn = 1.0, fail = 1.0 }
must_have = { warn = 2.0, fail = 2.0 }
degenerate = { warn = -1.0, fail = -1.0 }
snowball = { warn = 2.0, fail = 2.0 }
first_hit = { warn = 2.0, fail = 2.0 }
"""
QUICK = ("report", "--set", "hit_points=2", "--settings", "quick.toml")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quick.toml").write_text(SETTINGS)
    return tmp_path


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    return int(caught.value.code or 0)


def test_a_folder_gets_the_page_the_figures_and_the_tables(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*QUICK, "--skills", "60", "60", "-o", "some/where") == 0
    lines = capsys.readouterr().out.splitlines()
    assert "whoever begins wins" in lines[0]
    assert lines[1:3] == ["Page: some/where/report.html", "Figures: some/where/report.json"]
    written = folder / "some" / "where"
    page = (written / "report.html").read_text(encoding="utf-8")
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">')
    headline = next(element for element in Page.read(page).all("p") if element.attributes.get("class") == "headline")
    assert headline.text == lines[0]
    report = Report.model_validate(json.loads((written / "report.json").read_text(encoding="utf-8")))
    assert report.about.skills == (60, 60)
    assert report.about.hit_points == 2
    with (written / "verdicts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["code"] for row in rows] == [verdict.code.value for verdict in report.verdicts]
    assert lines[3] == f"{len(list(written.glob('*.csv')))} tables: some/where/*.csv"


def test_files_are_replaced_and_the_page_is_in_the_language(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "report").mkdir()
    (folder / "report" / "report.html").write_text("old")
    (folder / "report" / "notes.txt").write_text("mine")
    assert run(*QUICK, "--lang", "fr") == 0
    out = capsys.readouterr().out
    assert "Page : report/report.html" in out
    assert '<html lang="fr">' in (folder / "report" / "report.html").read_text(encoding="utf-8")
    assert (folder / "report" / "notes.txt").read_text() == "mine"
    assert not list((folder / "report").glob(".*"))


def test_check_fails_where_a_verdict_does_and_says_which(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*QUICK, "--check", "--quiet") == 1
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.startswith("These verdicts failed:\n- ")
    report = Report.model_validate(json.loads((folder / "report" / "report.json").read_text(encoding="utf-8")))
    assert report.level == "fail"


def test_check_lets_warnings_pass_and_limits_can_be_moved(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "lenient.toml").write_text(SETTINGS + LENIENT)
    arguments = ("report", "--set", "hit_points=2", "--set", "spells=two.toml", "--settings", "lenient.toml", "--check")
    (folder / "two.toml").write_text(
        '[[spells]]\nid = "bolt"\nen = "Bolt"\nfr = "Trait"\npenalty = 0\ndamage = 1\n'
        '[[spells]]\nid = "shield"\nen = "Shield"\nfr = "Bouclier"\npenalty = 0\nblock = true\n'
    )
    assert run(*arguments) == 0
    assert capsys.readouterr().err == ""
    report = Report.model_validate(json.loads((folder / "report" / "report.json").read_text(encoding="utf-8")))
    assert report.level == "warn"
    assert report.method.settings.thresholds.must_have.fail == 2.0


ERRORS = {
    ("-o", "quick.toml"): "--output quick.toml: expected a folder, this is a file",
    ("-o", "quick.toml/sub"): "cannot write quick.toml/sub",
    ("--skills", "20..95", "60"): "a report is about two fixed skills",
    ("--settings", "nowhere.toml"): "cannot read nowhere.toml",
    ("--settings", "wrong.toml"): "unknown key thresholds.fairnes (did you mean fairness?)",
    ("--set", "hit_points=0"): "hit_points = 0",
    ("--set", "max_rounds=3"): "--set max_rounds=3: duel report leaves the round limit out",
    ("chess",): "unknown ruleset 'chess'; available: hogwarts",
}


@pytest.mark.parametrize("arguments", ERRORS, ids=" ".join)
def test_errors_are_one_line_and_exit_2(folder: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    (folder / "wrong.toml").write_text("[thresholds]\nfairnes = { warn = 0.1, fail = 0.2 }\n")
    assert run("report", *arguments) == 2
    found = capsys.readouterr()
    assert found.out == ""
    assert ERRORS[arguments] in found.err
    assert found.err.count("\n") == 1


@pytest.mark.parametrize(("module", "extra"), [("jinja2", "design"), ("numba_missing", "train")])
def test_a_missing_module_names_its_extra(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, module: str, extra: str
) -> None:
    def missing(*_: object, **__: object) -> None:
        raise ModuleNotFoundError(f"No module named '{module}'", name=module)

    monkeypatch.setattr("evaluation.report.build.build_report", missing)
    assert run("report") == 2
    expected = f"error: duel report needs {module} (No module named '{module}'): pip install 'duel-env[{extra}]'\n"
    assert capsys.readouterr().err == expected


def test_without_jinja2_nothing_is_computed_first(folder: Path) -> None:
    program = (
        "import sys; sys.modules['jinja2'] = None\nfrom training.cli import main\nmain(['report', '--settings', 'quick.toml'])\n"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert found.returncode == 2
    assert "pip install 'duel-env[design]'" in found.stderr
    assert "Traceback" not in found.stderr
    assert not (folder / "report").exists()


def test_progress_goes_forward_to_the_end() -> None:
    told: list[int] = []
    tell = _overall(lambda label, done: told.append(done))
    for part in _PARTS:
        for done in range(4):
            tell(part, done, 3)
    assert told == sorted(told)
    assert told[0] == 0
    assert told[-1] == _STEPS


def test_the_round_limit_of_a_file_is_accepted_and_does_not_count(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of rules always holds one, and the page says nothing of a change that changes nothing."""
    (folder / "rules.toml").write_text("max_rounds = 3\nhit_points = 2\n")
    (folder / "plain.toml").write_text("hit_points = 2\n")
    for rules in ("rules", "plain"):
        assert run("report", "--rules", f"{rules}.toml", "--settings", "quick.toml", "-o", rules) == 0
    capsys.readouterr()
    limited, plain = (json.loads((folder / rules / "report.json").read_text()) for rules in ("rules", "plain"))
    assert limited["about"]["options"]["max_rounds"] == 3
    assert limited["headline"] == plain["headline"]
    page = (folder / "rules" / "report.html").read_text(encoding="utf-8")
    assert "Rules with changes: hit_points = 2" in page
    assert "max_rounds" not in page
