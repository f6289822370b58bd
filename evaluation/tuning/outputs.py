"""What a search leaves behind: the best rules as a file, the figures of the best rule sets beside today's, a page to read.

* `rules.toml`: the best rule set; see `duel_env.rules_file`.
* `candidates.json`: the best rule sets, and those that nothing beats in both violation and distance, with all figures.
* `candidates.csv`: the same, a row each.
* `summary.md`: today's rules beside the best ones, figure by figure.
"""

import csv
import html
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from duel_env.rules_file import rules_text
from evaluation.tuning.figures import one_spell_scores
from evaluation.tuning.search import Candidate, Search
from evaluation.tuning.space import Space
from evaluation.tuning.wants import judge, needs_one_spell
from evaluation.tuning.words import (
    TEXT,
    Language,
    bounds_text,
    change_name,
    check_name,
    check_text,
    edit_text,
    value_text,
    wanted_text,
)

FORMAT: Final = "duel_env/tuned"
FORMAT_VERSION: Final = 1

NUM_SHOWN: Final = 3
"""Rule sets beside today's in tables."""
NUM_LISTED: Final = 20
"""Best rule sets in files."""


class Results(NamedTuple):
    """The outcome of a search.

    Attributes:
        space: what it chose from.
        num_candidates: rule sets tried.
        today: today's rules.
        best: the best rule sets, today's among them if they are so good; the best first.
        front: those better in violation or distance than every other, by distance; the same objects where they are in `best`, too.
    """

    space: Space
    num_candidates: int
    today: Candidate
    best: tuple[Candidate, ...]
    front: tuple[Candidate, ...]

    @property
    def winner(self) -> Candidate:
        """The best one."""
        return self.best[0]


def results_of(search: Search) -> Results:
    """The best of a search that has at least one batch, with all figures that its wants are about.

    Raises:
        ConvergenceError: as `solve`.
    """
    ranking = search.ranking()
    front: list[Candidate] = []
    for candidate in sorted(ranking, key=lambda each: (each.distance, *each.rank)):
        if not front or candidate.violation < front[-1].violation:
            front.append(candidate)
    complete: dict[int, Candidate] = {}

    def completed(candidate: Candidate) -> Candidate:
        if candidate.number not in complete:
            complete[candidate.number] = _with_one_spell(search.space, candidate)
        return complete[candidate.number]

    return Results(
        space=search.space,
        num_candidates=len(search.candidates),
        today=completed(search.today),
        best=tuple(completed(candidate) for candidate in ranking[:NUM_LISTED]),
        front=tuple(completed(candidate) for candidate in front),
    )


def _with_one_spell(space: Space, candidate: Candidate) -> Candidate:
    """The same with the strategies of one spell measured, where a want is about them."""
    wants, figures = space.config.want, dict(candidate.figures)
    missing = [pair for pair, found in figures.items() if found.one_spell is None and needs_one_spell(wants, pair)]
    if not missing:
        return candidate
    game = space.game(candidate.parameters)
    for pair in missing:
        figures[pair] = figures[pair].model_copy(update={"one_spell": one_spell_scores(game, pair)})
    return replace(candidate, figures=figures, verdict=judge(wants, figures))


# ---- files --------------------------------------------------------------------------------------------------------------------


def winner_rules(results: Results, language: Language) -> str:
    """Content of `rules.toml`: the winner, with what was changed and what came of it in the comment."""
    game = results.space.game(results.winner.parameters)
    return rules_text(game, _notes(results, language))


def _notes(results: Results, language: Language) -> list[str]:
    space, winner = results.space, results.winner
    words = _NOTES[language]
    notes = [words["title"].format(space.config.ruleset, space.today.digest)]
    notes += ["", words["changes"]]
    notes += [f"  {edit_text(edit, space.today, language)}" for edit in winner.edits] or [f"  {TEXT[language]['none']}"]
    notes += ["", words["figures"]]
    if winner.verdict is not None:
        for check in winner.verdict.checks:
            name = check_name(check, space.today, language)
            notes.append(f"  {name}: {check_text(check, space.today, language)} ({wanted_text(check, language)})")
    return notes


_NOTES: Final = {
    "en": {
        "title": "Rules of {0} found by `duel tune`, from the rules {1}.",
        "changes": "Changed:",
        "figures": "Exact figures of perfect play (wanted):",
    },
    "fr": {
        "title": "Règles de {0} trouvées par `duel tune`, à partir des règles {1}.",
        "changes": "Changé :",
        "figures": "Chiffres exacts du jeu parfait (voulu) :",
    },
}


def results_json(results: Results) -> dict[str, Any]:
    """Content of `candidates.json`."""
    space = results.space
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "ruleset": space.config.ruleset,
        "config_digest": space.config.digest,
        "game_digest": space.today.digest,
        "seed": space.config.tune.seed,
        "num_candidates": results.num_candidates,
        "today": _candidate_json(space, results.today),
        "best": [_candidate_json(space, candidate) for candidate in results.best],
        "front": [_candidate_json(space, candidate) for candidate in results.front],
    }


def _candidate_json(space: Space, candidate: Candidate) -> dict[str, Any]:
    return {
        "number": candidate.number,
        "is_met": candidate.is_met,
        "violation": candidate.violation,
        "distance": candidate.distance,
        "edits": [edit._asdict() for edit in candidate.edits],
        "parameters": candidate.parameters,
        "digest": space.game(candidate.parameters).digest,
        "checks": [check.to_json() for check in candidate.verdict.checks] if candidate.verdict is not None else [],
        "figures": [figures.model_dump(mode="json") for figures in candidate.figures.values()],
        "error": candidate.error,
    }


def results_csv(results: Results) -> str:
    """Content of `candidates.csv`: today's rules, then the others by rank; figures as shares of 1."""
    rows = {candidate.number: candidate for candidate in (results.today, *results.best, *results.front)}
    solved = next((candidate for candidate in rows.values() if candidate.verdict is not None), None)
    checks = solved.verdict.checks if solved is not None and solved.verdict is not None else ()
    columns = [
        " ".join(
            [check.figure, *([check.spell] if check.figure == "spell_share" and check.spell else []), *map(str, check.skills)]
        )
        for check in checks
    ]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["number", "in_front", "is_met", "violation", "distance", *results.space.changes, *columns])
    front = {candidate.number for candidate in results.front}
    for candidate in rows.values():
        found = [check.to_json()["value"] for check in candidate.verdict.checks] if candidate.verdict is not None else []
        cells = ["" if value is None else value for value in found]
        flags = [candidate.number in front, candidate.is_met]
        writer.writerow(
            [
                candidate.number,
                *(int(flag) for flag in flags),
                candidate.violation,
                candidate.distance,
                *(str(value).lower() if isinstance(value, bool) else value for value in candidate.parameters.values()),
                *cells,
            ]
        )
    return text.getvalue()


# ---- tables -------------------------------------------------------------------------------------------------------------------


class Comparison(NamedTuple):
    """Today's rules beside the best ones found, as texts.

    Attributes:
        columns: headings.
        rows: cells, as many in each as there are columns.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def compare(results: Results, language: Language) -> Comparison:
    """Today's rules beside the best `NUM_SHOWN`.

    A row for each figure that is wanted, then how far each rule set is from today's, then one for each thing that changes in any.
    """
    text, game = TEXT[language], results.space.today
    others = [candidate for candidate in results.best if candidate.number != results.today.number][:NUM_SHOWN]
    shown = [results.today, *others]
    columns = (text["figure"], text["wanted"], text["today"], *(text["found"].format(place) for place in range(1, len(shown))))
    rows = []
    known = next((candidate.verdict for candidate in shown if candidate.verdict is not None), None)
    for place, check in enumerate(known.checks if known is not None else ()):
        cells = [
            text["unsolved"].format(candidate.error)
            if candidate.verdict is None
            else check_text(candidate.verdict.checks[place], game, language)
            for candidate in shown
        ]
        rows.append((check_name(check, game, language), wanted_text(check, language), *cells))
    rows.append((text["missed_wants"], "0", *(_missed(candidate) for candidate in shown)))
    rows.append((text["distance"], "", *(f"{candidate.distance:g}" for candidate in shown)))
    changed = {edit.name for candidate in shown for edit in candidate.edits}
    for name, change in results.space.changes.items():
        if name in changed:
            values = [candidate.parameters[name] for candidate in shown]
            cells = [value_text(value) + ("" if value == values[0] else f": {text['changed']}") for value in values]
            rows.append((change_name(name, game, language), bounds_text(change, language), *cells))
    return Comparison(columns, tuple(rows))


def _missed(candidate: Candidate) -> str:
    if candidate.verdict is None:
        return "-"
    return str(sum(not check.is_met for check in candidate.verdict.checks))


def summary_lines(results: Results, language: Language) -> tuple[str, ...]:
    """What came of the search, in a sentence or two."""
    words, winner = _SUMMARY[language], results.winner
    if winner.number == results.today.number:
        first = words["today_met" if winner.is_met else "today_best"]
    elif winner.is_met:
        first = words["met"].format(len(winner.edits))
    else:
        first = words["missed"].format(_missed(winner), len(winner.edits))
    return words["tried"].format(results.num_candidates), first


_SUMMARY: Final = {
    "en": {
        "title": "# Rules of {0}: today's, and the best found",
        "tried": "{0} rule sets were tried, each solved exactly.",
        "met": "The best one meets all that is wanted; numbers or options that it changes: {0}.",
        "missed": "None meets all that is wanted; figures that the best one misses: {0}, numbers or options that it changes: {1}.",
        "today_met": "Today's rules meet all that is wanted.",
        "today_best": "None does better than today's rules, which do not meet all that is wanted.",
        "note": "Figures are those of perfect play of both; the best meets what is wanted with the fewest steps away from today's rules.",
    },
    "fr": {
        "title": "# Règles de {0} : les actuelles, et les meilleures trouvées",
        "tried": "{0} jeux de règles ont été essayés, chacun résolu exactement.",
        "met": "Le meilleur tient tout ce qui est voulu ; nombres ou options qu'il change : {0}.",
        "missed": "Aucun ne tient tout ce qui est voulu ; chiffres que le meilleur manque : {0}, nombres ou options qu'il change : {1}.",
        "today_met": "Les règles actuelles tiennent tout ce qui est voulu.",
        "today_best": "Aucun ne fait mieux que les règles actuelles, qui ne tiennent pas tout ce qui est voulu.",
        "note": "Les chiffres sont ceux du jeu parfait des deux ; le meilleur tient ce qui est voulu avec le moins de pas depuis les "
        "règles actuelles.",
    },
}


def summary_markdown(results: Results, language: Language) -> str:
    """Content of `summary.md`."""
    words, table = _SUMMARY[language], compare(results, language)
    lines = [words["title"].format(results.space.config.ruleset), "", " ".join(summary_lines(results, language)), ""]
    lines += [words["note"], "", _markdown_row(table.columns), _markdown_row(["---"] * len(table.columns))]
    lines += [_markdown_row(row) for row in table.rows]
    return "\n".join(lines) + "\n"


def _markdown_row(cells: Sequence[str]) -> str:
    # Names of spells come from files: Markdown would take angle brackets for HTML.
    return f"| {' | '.join(html.escape(cell, quote=False).replace('|', '/') for cell in cells)} |"


def output_files(results: Results, language: Language) -> dict[str, str]:
    """Name and content of every file."""
    return {
        "rules.toml": winner_rules(results, language),
        "candidates.json": json.dumps(results_json(results), indent=1, ensure_ascii=False) + "\n",
        "candidates.csv": results_csv(results),
        "summary.md": summary_markdown(results, language),
    }
