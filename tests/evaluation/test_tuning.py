"""The search for rules: what may change, exact figures, what is wanted, and that a killed search loses nothing."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.scripted import spam_agent
from duel_env.config import read_toml
from duel_env.errors import ConfigError, SchemaError
from duel_env.game import make_game
from duel_env.rules_file import read_rules
from evaluation.exact import FIRST, SECOND, policy_table, solve
from evaluation.tuning import Search, Space, TuneConfig, judge, load_tune_config, measure
from evaluation.tuning.journal import Journal
from evaluation.tuning.outputs import compare, output_files, results_json, results_of
from evaluation.tuning.settings import Want
from evaluation.tuning.wants import CAP, ONE_SPELL_CAP

ROOT = Path(__file__).resolve().parents[2]
SHIPPED_CONFIG = ROOT / "configs" / "tune" / "hogwarts_balanced.toml"
SHIPPED_RULES = ROOT / "configs" / "rules" / "hogwarts_balanced.toml"


def settings(**changes):
    """A small search, as from TOML: two hit points, so that each candidate takes milliseconds."""
    values = {
        "ruleset": "hogwarts",
        "game": {"hit_points": 2},
        "tune": {"seed": 3, "candidates": 24, "batch": 4, "workers": 1, "time_limit_s": 600.0},
        "change": {
            "spells.stupefy_strong.penalty": {"low": 0, "high": 30, "step": 5, "cost": 1},
            "spells.protego.penalty": {"low": 0, "high": 20, "step": 10, "cost": 2},
            "levicorpus_hits_riposte": {"choices": [True, False], "cost": 3},
        },
        "want": [
            {"figure": "first_caster", "skills": [[60, 60]], "low": 0.49, "high": 0.51, "weight": 1},
            {"figure": "mean_rounds", "skills": [[60, 60], [40, 40]], "high": 6, "weight": 0.5},
            {"figure": "one_spell", "skills": [[60, 60]], "high": 0.45, "weight": 1},
        ],
    }
    return values | changes


def config_of(values) -> TuneConfig:
    return TuneConfig.model_validate(values)


def found(search: Search):
    return [(candidate.parameters, candidate.violation, candidate.distance) for candidate in search.candidates]


# ---- figures ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("skills", [(60, 60), (45, 45), (80, 60)])
def test_the_value_of_beginning_is_that_of_a_direct_solve(game, skills):
    sheets = np.zeros(2, game.ruleset.sheet_dtype)
    sheets["skill"] = skills
    solution = solve(game, sheets)
    figures = measure(game, skills, one_spell=False)
    # What player 0 gains by acting first is gained against the same opponent who does.
    expected = 0.5 + (solution.win_probability(FIRST) - solution.win_probability(SECOND)) / 2
    assert figures.first_caster == pytest.approx(expected, abs=1e-12)
    low, high = figures.first_caster_bounds
    assert low <= figures.first_caster <= high < low + 1e-9
    if skills[0] == skills[1]:
        assert figures.first_caster == pytest.approx(solution.win_probability(FIRST), abs=1e-12)


def test_figures_of_the_default_rules_are_those_of_the_rules_page(game):
    figures = measure(game, (60, 60))
    assert figures.first_caster == pytest.approx(0.4681, abs=5e-5)
    # The page has the score of perfect play against these, averaged over who acts first.
    for spell, perfect in (("stupefy", 0.8723), ("stupefy_strong", 0.7106), ("expelliarmus", 0.6048)):
        assert figures.one_spell[spell] == pytest.approx(1 - perfect, abs=5e-5)


def test_one_spell_scores_are_best_responses_to_the_scripted_agent(game):
    sheets = np.zeros(2, game.ruleset.sheet_dtype)
    sheets["skill"] = 60
    figures = measure(game, (60, 60))
    table = policy_table(spam_agent(game, "levicorpus", "spam:levicorpus"), game, sheets)
    answer = solve(game, sheets, (None, table))  # in the other seat: the rules are the same for both
    score = 1 - (answer.win_probability(FIRST) + answer.win_probability(SECOND)) / 2
    assert figures.one_spell["levicorpus"] == pytest.approx(score, abs=1e-9)


@given(st.integers(0, 12), st.integers(0, 100))
def test_shares_are_shares_and_losses_are_of_spells_not_cast(penalty, skill):
    game = make_game("hogwarts", {"hit_points": 2, "spells": _spells(stupefy_strong=5 * penalty)})
    figures = measure(game, (skill, skill), one_spell=False)
    shares = list(figures.spell_share.values())
    assert min(shares) >= 0.0
    assert sum(shares) == pytest.approx(1.0)
    for spell, share in figures.spell_share.items():
        loss = figures.spell_loss[spell]
        assert loss is None or 0.0 <= loss <= 1.0
        if share > 1e-3 and figures.mean_rounds is not None:
            assert loss == 0.0
    assert 0.0 <= figures.draws <= 1.0
    assert (figures.mean_rounds is None) == (figures.draws > 0.0)  # with the ordered resolution only endless play is a draw
    assert type(figures).model_validate(json.loads(json.dumps(figures.model_dump(mode="json")))) == figures


def test_endless_play_is_counted_in_a_limited_number_of_rounds(game):
    figures = measure(game, (100, 100), one_spell=False)  # the rules page: endless Protego is perfect play for both
    assert figures.mean_rounds is None
    assert figures.draws == 1.0
    assert figures.first_caster == pytest.approx(0.5)
    assert sum(figures.spell_share.values()) == pytest.approx(1.0)


def _spells(**penalties):
    spells = [dict(spell) for spell in make_game("hogwarts").options_json()["spells"]]
    for spell in spells:
        spell["penalty"] = penalties.get(spell["id"], spell["penalty"])
    return spells


# ---- wants --------------------------------------------------------------------------------------------------------------------


def want(**values) -> Want:
    return Want.model_validate({"skills": [[60, 60]], "weight": 1.0} | values)


def test_violations_are_distances_from_the_bounds_in_units_of_the_figure(game):
    figures = {(60, 60): measure(game, (60, 60))}
    value, share = figures[60, 60].first_caster, figures[60, 60].spell_share
    for low, high, expected in (
        (0.0, 1.0, 0.0),
        (value, value, 0.0),
        (0.49, 0.51, (0.49 - value) / 0.01),
        (None, 0.45, (value - 0.45) / 0.01),
        (0.9, None, CAP),
    ):
        verdict = judge((want(figure="first_caster", low=low, high=high, weight=2.0),), figures)
        assert verdict.violation == pytest.approx(2 * expected)
        assert verdict.is_met == (expected == 0)
    verdict = judge((want(figure="spell_share", low=0.25, spells=["stupefy", "expelliarmus"]),), figures)
    assert [check.spell for check in verdict.checks] == ["stupefy", "expelliarmus"]
    assert verdict.violation == pytest.approx((0.25 - share["expelliarmus"]) / 0.05)  # Stupefy has 30 %


def test_a_spell_that_nearly_pays_is_nearer_to_use(game):
    figures = measure(game, (60, 60), one_spell=False)
    near = figures.model_copy(update={"spell_loss": {**figures.spell_loss, "levicorpus": 0.001}})
    far = figures.model_copy(update={"spell_loss": {**figures.spell_loss, "levicorpus": 0.06}})
    never = figures.model_copy(update={"spell_loss": {**figures.spell_loss, "levicorpus": None}})
    wanted = (want(figure="spell_share", low=0.05, spells=["levicorpus"]),)
    violations = [judge(wanted, {(60, 60): each}).violation for each in (near, far, never)]
    assert violations == sorted(violations)
    assert violations[0] == pytest.approx(1.02)


def test_what_was_not_measured_never_looks_better_than_what_was(game):
    measured = measure(game, (60, 60))
    unknown = measured.model_copy(update={"one_spell": None})
    wanted = (want(figure="one_spell", high=0.0),)
    assert judge(wanted, {(60, 60): unknown}).violation == ONE_SPELL_CAP
    assert judge(wanted, {(60, 60): measured}).violation <= ONE_SPELL_CAP
    check = judge((want(figure="one_spell", high=0.39),), {(60, 60): measured}).checks[0]
    assert check.spell == "expelliarmus"
    assert not check.is_met


def test_endless_play_is_too_long(game):
    figures = {(100, 100): measure(game, (100, 100), one_spell=False)}
    verdict = judge((want(figure="mean_rounds", low=2, high=9, skills=[[100, 100]]),), figures)
    assert verdict.violation == CAP
    assert verdict.checks[0].to_json()["value"] is None


# ---- what may change ----------------------------------------------------------------------------------------------------------


def test_distance_is_the_sum_of_steps_times_their_cost():
    space = Space(config_of(settings()))
    today = space.today_values
    assert space.distance(today) == 0.0
    assert space.edits(today) == ()
    changed = {**today, "spells.stupefy_strong.penalty": 0, "spells.protego.penalty": 20, "levicorpus_hits_riposte": False}
    assert space.distance(changed) == 2 * 1 + 2 * 2 + 3
    assert [(edit.name, edit.before, edit.after, edit.steps) for edit in space.edits(changed)] == [
        ("spells.stupefy_strong.penalty", 10, 0, 2),
        ("spells.protego.penalty", 0, 20, 2),
        ("levicorpus_hits_riposte", True, False, 1),
    ]
    game = space.game(changed)
    assert game.options_json()["spells"][5]["penalty"] == 20
    assert game.options_json()["hit_points"] == 2
    assert space.game(today).digest == space.today.digest


def test_keys_with_and_without_quotes_mean_the_same(tmp_path):
    path = tmp_path / "tune.toml"
    quoted = SHIPPED_CONFIG.read_text(encoding="utf-8")
    path.write_text(
        quoted.replace('"spells.', "spells.").replace('penalty"', "penalty").replace('damage"', "damage"), encoding="utf-8"
    )
    assert load_tune_config(path).digest == load_tune_config(SHIPPED_CONFIG).digest


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ruleset": "chess"}, "unknown ruleset"),
        ({"game": {"hit_point": 3}}, "unknown key hit_point (did you mean hit_points?)"),
        ({"change": {}}, "change = {}"),
        (
            {"change": {"spells.protega.penalty": {"low": 0, "high": 5, "step": 5, "cost": 1}}},
            "did you mean spells.protego.penalty",
        ),
        ({"change": {"spells.protego.penalti": {"low": 0, "high": 5, "step": 5, "cost": 1}}}, "did you mean penalty?"),
        ({"change": {"spells.protego.id": {"choices": ["protego", "x"], "cost": 1}}}, "a spell has no id"),
        (
            {"change": {"spells.protego.penalty": {"low": 5, "high": 0, "step": 5, "cost": 1}}},
            "low = 5 must be less than high = 0",
        ),
        ({"change": {"spells.protego.penalty": {"low": 0, "high": 5, "step": 0, "cost": 1}}}, "spells.protego.penalty.step = 0"),
        ({"change": {"spells.protego.penalty": {"low": 0, "high": 7, "step": 5, "cost": 1}}}, "whole number of steps"),
        ({"change": {"spells.protego.penalty": {"low": 0, "high": 5, "cost": 1}}}, "expected low, high and step, or choices"),
        (
            {"change": {"spells.protego.penalty": {"low": 0, "high": 5, "step": 5}}},
            "missing key change.spells.protego.penalty.cost",
        ),
        (
            {"change": {"spells.protego.penalty": {"low": 0, "hihg": 5, "step": 5, "cost": 1}}},
            "unknown key change.spells.protego.penalty.hihg",
        ),
        ({"change": {"spells.protego.penalty": {"low": 5, "high": 10, "step": 5, "cost": 1}}}, "today's value 0 is not among"),
        ({"change": {"spells.protego.penalty": {"low": 0, "high": 500, "step": 100, "cost": 1}}}, "500 is not accepted"),
        ({"change": {"spells.protego.penalty": {"low": 0, "high": 100_000, "step": 1, "cost": 1}}}, "at most 1,000 values"),
        ({"change": {"resolution": {"choices": ["ordered", "both"], "cost": 1}}}, "'both' is not accepted"),
        ({"change": {"resolution": {"choices": ["ordered"], "cost": 1}}}, "change.resolution.choices"),
        ({"change": {"riposte_sees_roll": {"choices": [1, 0], "cost": 1}}}, "today's value True is not among"),
        ({"change": {"riposte_sees_roll": {"choices": [True, 0], "cost": 1}}}, "0 is not of the kind"),
        ({"change": {"hit_points": {"low": 1, "high": 3, "step": 1, "cost": -1}}}, "change.hit_points.cost"),
        ({"change": {"hit_points": 5}}, "change.hit_points = 5"),
        ({"change": {"spells": {"choices": ["a.toml", "b.toml"], "cost": 1}}}, "there is no such option or spell"),
        *(
            ({"change": {f"spells.protego.{key}": {"choices": [text, "=1+1"], "cost": 1}}}, f"{key} is text for people")
            for key, text in (("en", "Protego"), ("fr", "Protego"))
        ),
        ({"want": []}, "want"),
        ({"want": [{"figure": "fairness", "skills": [[60, 60]], "low": 0.5, "weight": 1}]}, "want.0.figure = 'fairness'"),
        ({"want": [{"figure": "draws", "skills": [[60, 60]], "weight": 1}]}, "expected low, high, or both"),
        (
            {"want": [{"figure": "draws", "skills": [[60, 60]], "low": 0.2, "high": 0.1, "weight": 1}]},
            "low = 0.2 is more than high",
        ),
        ({"want": [{"figure": "draws", "skills": [[60, 60]], "high": 5, "weight": 1}]}, "is a share, from 0 to 1"),
        ({"want": [{"figure": "draws", "skills": [[60, 160]], "high": 0, "weight": 1}]}, "160"),
        ({"want": [{"figure": "draws", "skills": [60, 60], "high": 0, "weight": 1}]}, "expected a list of pairs"),
        ({"want": [{"figure": "draws", "skills": [[60, 60]], "high": 0, "weight": 0}]}, "want.0.weight = 0"),
        ({"want": [{"figure": "draws", "skills": [[60, 60]], "high": float("nan"), "weight": 1}]}, "want.0.high"),
        ({"want": [{"figure": "draws", "skills": [[6, 6], [6, 6]], "high": 0, "weight": 1}]}, "twice"),
        ({"want": [{"figure": "spell_share", "skills": [[6, 6]], "low": 0.2, "weight": 1}]}, "6 spells cannot have 20 %"),
        ({"want": [{"figure": "spell_share", "skills": [[6, 6]], "low": 0.2, "weight": 1, "spells": ["zap"]}]}, "no spell zap"),
        (
            {"want": [{"figure": "spell_share", "skills": [[6, 6]], "low": 0.2, "weight": 1, "spells": ["protego", "protego"]}]},
            "a spell is there twice",
        ),
        ({"want": [{"figure": "mean_rounds", "skills": [[6, 6]], "high": 0.5, "weight": 1}]}, "at least one round"),
        ({"tune": {"seed": 1, "candidates": 0, "batch": 1, "workers": 1, "time_limit_s": 1.0}}, "tune.candidates = 0"),
        ({"tune": {"seed": 1, "candidates": 1, "batch": 1, "workers": 1}}, "missing key tune.time_limit_s"),
    ],
)
def test_wrong_settings_are_named(tmp_path, changes, message):
    from training.toml_text import to_toml

    path = tmp_path / "tune.toml"
    path.write_text(to_toml(settings(**changes)), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        Space(load_tune_config(path))
    assert message in str(caught.value)


# ---- the search ---------------------------------------------------------------------------------------------------------------


def test_the_first_candidate_is_todays_rules_and_ranks_put_wants_before_nearness():
    search = Search(Space(config_of(settings())))
    assert search.run()
    assert search.today.distance == 0.0
    assert search.today.parameters == search.space.today_values
    ranking = search.ranking()
    assert ranking[0] is search.best
    keys = [(candidate.violation, candidate.distance) for candidate in ranking]
    assert keys == sorted(keys)
    scores = np.array([candidate.score for candidate in ranking])
    assert np.all(np.diff(scores) > -1e-6)
    distinct = {tuple(candidate.parameters.values()) for candidate in search.candidates}
    assert len(distinct) == len(search.candidates) == 24  # of 42: nothing is tried twice while there is something new


def test_figures_of_a_candidate_are_those_of_its_rules():
    search = Search(Space(config_of(settings())))
    search.run()
    for candidate in search.candidates[:: len(search.candidates) // 5]:
        game = make_game("hogwarts", search.space.options(candidate.parameters))
        for pair, figures in candidate.figures.items():
            again = measure(game, pair, one_spell=figures.one_spell is not None)
            assert again == figures
        assert candidate.verdict == judge(search.config.want, candidate.figures)


def test_the_same_seed_gives_the_same_candidates_whatever_the_workers():
    tune = settings()["tune"]
    one, two, other = (Search(Space(config_of(settings(tune=tune | changes)))) for changes in ({}, {"workers": 3}, {"seed": 4}))
    for search in (one, two, other):
        search.run()
    assert found(one) == found(two)
    assert found(one) != found(other)
    assert results_json(results_of(one)) == results_json(results_of(two))


def test_a_small_space_is_searched_to_its_end():
    changes = {"spells.protego.penalty": {"low": 0, "high": 20, "step": 10, "cost": 2}}
    search = Search(Space(config_of(settings(change=changes))))
    assert search.run()
    assert {candidate.parameters["spells.protego.penalty"] for candidate in search.candidates} == {0, 10, 20}
    assert len(search.ranking()) == 3


def test_rules_with_too_many_states_are_candidates_that_could_not_be_solved():
    changes = {"hit_points": {"low": 2, "high": 5_002, "step": 5_000, "cost": 1}}
    tune = settings()["tune"] | {"candidates": 8}
    search = Search(Space(config_of(settings(change=changes, tune=tune))))
    assert search.run()
    unsolved = [candidate for candidate in search.candidates if candidate.error]
    assert unsolved
    assert all("states" in candidate.error and not candidate.is_met and not candidate.figures for candidate in unsolved)
    results = results_of(search)
    assert results.winner.parameters["hit_points"] == 2
    assert output_files(results, "en").keys() == {"rules.toml", "candidates.json", "candidates.csv", "summary.md"}


def test_a_search_stops_when_asked_or_out_of_time_and_goes_on_as_if_nothing_had_happened(tmp_path):
    space = Space(config_of(settings()))
    whole = Search(space)
    assert whole.run()
    journal = Journal(tmp_path / "journal.jsonl", space.config.digest, space.today.digest)
    journal.begin()
    answers = iter([False, False, True])
    part = Search(space, journal)
    assert not part.run(stop=lambda: next(answers))
    assert len(part.candidates) == 8
    again = Search(space, journal, journal.read(4))
    assert found(again) == found(part)
    assert again.run()
    assert found(again) == found(whole)
    late = Search(Space(config_of(settings(tune=settings()["tune"] | {"time_limit_s": 1e-9}))))
    assert not late.run()


def test_half_a_batch_at_the_end_of_a_journal_is_dropped(tmp_path):
    space = Space(config_of(settings()))
    journal = Journal(tmp_path / "journal.jsonl", space.config.digest, space.today.digest)
    journal.begin()
    search = Search(space, journal)
    search.run()
    content = journal.path.read_bytes()
    lines = content.splitlines(keepends=True)
    journal.path.write_bytes(b"".join(lines[:11]) + lines[11][:40])  # a header, two batches of four, two lines and a torn one
    entries = journal.read(4)
    assert len(entries) == 8
    again = Search(space, journal, entries)
    again.run()
    assert journal.path.read_bytes() == content


def test_a_journal_of_something_else_is_refused(tmp_path):
    space = Space(config_of(settings()))
    path = tmp_path / "journal.jsonl"
    journal = Journal(path, space.config.digest, space.today.digest)
    journal.begin()
    Search(space, journal).run()
    content = path.read_bytes()
    with pytest.raises(ConfigError, match="other settings or rules"):
        Journal(path, "0" * 16, space.today.digest).read(4)
    lines = content.splitlines(keepends=True)
    for damaged, error, message in (
        (b"", SchemaError, "line 1: damaged"),
        (b"{}\n", SchemaError, "not the journal of a search"),
        (lines[0].replace(b'"version": 1', b'"version": 9'), SchemaError, "version 9"),
        (lines[0] + b"nonsense\n" + b"".join(lines[2:]), SchemaError, "line 2: damaged"),
        (lines[0] + b"".join(lines[2:]), SchemaError, "expected candidate 0, found 1"),
        (lines[0] + lines[1].replace(b'"number": 0', b'"number": "0"') + b"".join(lines[2:]), SchemaError, "number"),
        (lines[0] + lines[1].replace(b'"draws": 0.0', b'"draws": null') + b"".join(lines[2:]), SchemaError, "draws"),
        (
            lines[0] + lines[1].replace(b'"spells.protego.penalty": 0', b'"spells.protego.penalty": 3') + b"".join(lines[2:]),
            ConfigError,
            "= 3",
        ),
    ):
        path.write_bytes(damaged)
        with pytest.raises(error, match=message):
            Search(space, journal, journal.read(4))


# ---- what it leaves behind ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def search() -> Search:
    done = Search(Space(config_of(settings())))
    done.run()
    return done


def test_the_rules_found_are_the_winners(search, tmp_path):
    files = output_files(results_of(search), "en")
    path = tmp_path / "rules.toml"
    path.write_text(files["rules.toml"], encoding="utf-8")
    game = make_game("hogwarts", read_rules(path))
    listed = json.loads(files["candidates.json"])
    assert listed["best"][0]["digest"] == game.digest == search.space.game(search.best.parameters).digest
    for edit in listed["best"][0]["edits"]:
        assert f": {str(edit['before']).lower()} -> {str(edit['after']).lower()}" in files["rules.toml"]


def test_the_front_is_what_nothing_beats(search):
    results = results_of(search)
    for one in results.front:
        assert not any(
            (other.violation, other.distance) != (one.violation, one.distance)
            and other.violation <= one.violation
            and other.distance <= one.distance
            for other in search.candidates
        )
    assert results.front[0].number == 0  # nothing is nearer to today's rules than they are
    assert results.front[-1].violation == results.winner.violation


def test_tables_have_every_figure_with_its_want_and_verdict_in_words(search):
    for language, met, missed in (("en", "met", "missed"), ("fr", "tenu", "manqué")):
        results = results_of(search)
        table = compare(results, language)
        assert results.today.verdict is not None
        checks = results.today.verdict.checks
        assert all(check.value is not None for check in checks)  # strategies of one spell are measured for those shown
        for row, check in zip(table.rows, checks, strict=False):
            assert len(row) == len(table.columns) == 6
            assert row[2].endswith(met if check.is_met else missed)
            assert not row[2].endswith(missed if check.is_met else met)
        files = output_files(results, language)
        assert files["summary.md"].count("\n|") == len(table.rows) + 2
        rows = files["candidates.csv"].splitlines()
        assert len({row.count(",") for row in rows}) == 1


# ---- killed -------------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_search_that_was_killed_is_resumed_and_loses_nothing(tmp_path):
    from training.toml_text import to_toml

    path, folder = tmp_path / "tune.toml", tmp_path / "killed"
    path.write_text(to_toml(settings(tune=settings()["tune"] | {"candidates": 40})), encoding="utf-8")
    code = "import sys; from training.cli import main; main(sys.argv[1:])"
    arguments = [sys.executable, "-c", code, "tune", str(path), "--no-report", "--quiet", "-o"]
    journal = folder / "journal.jsonl"
    process = subprocess.Popen([*arguments, str(folder)], cwd=ROOT)
    try:
        deadline = time.monotonic() + 300
        while not (journal.is_file() and journal.read_bytes().count(b"\n") >= 9):
            assert process.poll() is None, "it ended before it could be killed"
            assert time.monotonic() < deadline
            time.sleep(0.001)
        os.kill(process.pid, signal.SIGKILL)
    finally:
        process.kill()
        process.wait()
    before = journal.read_bytes()
    kept = before[: before.rindex(b"\n") + 1].splitlines()
    assert not (folder / "rules.toml").exists()
    subprocess.run([*arguments, str(folder), "--resume"], cwd=ROOT, check=True)
    subprocess.run([*arguments, str(tmp_path / "whole")], cwd=ROOT, check=True)
    whole = (tmp_path / "whole" / "journal.jsonl").read_bytes()
    assert journal.read_bytes() == whole
    assert whole.splitlines()[: len(kept)] == kept
    for name in ("rules.toml", "candidates.json", "candidates.csv", "summary.md"):
        assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


# ---- the rules that are shipped -----------------------------------------------------------------------------------------------


def test_the_shipped_rules_do_what_their_configuration_wants():
    """By solves of the rules in the file that share nothing with the search but the solver."""
    game = make_game("hogwarts", read_rules(SHIPPED_RULES))
    sheets = np.zeros(2, game.ruleset.sheet_dtype)
    sheets["skill"] = (60, 60)
    solution = solve(game, sheets)
    low, high = solution.win_bounds(FIRST)
    assert 0.49 <= low <= high <= 0.51
    cast = _casts_of_perfect_play(solution)
    shares = cast / cast.sum()
    assert len(shares) == 6
    assert shares.min() >= 0.05
    figures = measure(game, (60, 60))
    assert list(figures.spell_share.values()) == pytest.approx(list(shares), abs=1e-9)
    config = load_tune_config(SHIPPED_CONFIG)
    assert judge(config.want, {pair: measure(game, pair) for pair in config.skills}).is_met


def _casts_of_perfect_play(solution):
    """Expected casts of each spell by following the probabilities through the state graph, step by step."""
    game, graph = solution.game, solution.game.graph
    num_nodes, num_spells = len(graph.states), len(game.options.spells)
    chances = _chances(game, solution.sheets)
    mass = np.zeros(num_nodes)
    mass[graph.starts[[FIRST, SECOND]]] = 0.5
    cast = np.zeros(game.num_actions)
    players = np.arange(graph.num_player)
    after_action = graph.edges[players, solution.actions] >> 1
    first_chance = graph.num_player + graph.num_terminal
    after_die = graph.edges[first_chance:, :2] >> 1
    while mass[: graph.num_player].sum() + mass[first_chance:].sum() > 1e-13:
        following = np.zeros(num_nodes)
        np.add.at(cast, solution.actions, mass[: graph.num_player])
        np.add.at(following, after_action, mass[: graph.num_player])
        np.add.at(following, after_die, mass[first_chance:, None] * chances)
        mass = following
    return cast[:num_spells]


def _chances(game, sheets):
    """Probabilities of both outcomes of the die at each node that waits for one, (C, 2)."""
    from duel_env.rules.protocol import write_chance_outcomes

    states = game.graph.states[game.graph.num_player + game.graph.num_terminal :]
    probability = np.zeros((len(states), 2))
    for number, state in enumerate(states):
        write_chance_outcomes(state, game.rules[0], sheets, probability[number])
    return probability


def test_the_shipped_rules_are_recognisable():
    today = {spell["id"]: spell for spell in make_game("hogwarts").options_json()["spells"]}
    shipped = make_game("hogwarts", read_rules(SHIPPED_RULES)).options_json()
    assert [spell["id"] for spell in shipped["spells"]] == list(today)
    for spell in shipped["spells"]:
        assert spell["penalty"] % 5 == 0
        for key in ("en", "fr", "disarm", "petrify", "hex", "block"):
            assert spell[key] == today[spell["id"]][key]


def test_shipped_rules_say_what_they_change():
    text = SHIPPED_RULES.read_text(encoding="utf-8")
    today = make_game("hogwarts").options_json()
    shipped = read_toml(SHIPPED_RULES)
    changed = 0
    for before, after in zip(today["spells"], shipped["spells"], strict=True):
        for key in ("penalty", "damage"):
            if before[key] != after.get(key, 0):
                changed += 1
                assert f"{before['en']}, {key}: {before[key]} -> {after[key]}" in text
    assert changed == text.count(" -> ")
