"""The whole report."""

import platform
from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray

import duel_env
from duel_env.errors import ConfigError
from duel_env.game import Game
from evaluation.exact import require_enumerable
from evaluation.report.comebacks import comebacks
from evaluation.report.context import Context, Progress, silent
from evaluation.report.decisions import decisions
from evaluation.report.figures import FORMAT, VERSION, AboutFigures, ActionName, Limit, MethodFigures, Report
from evaluation.report.headline import headline
from evaluation.report.readings import readings
from evaluation.report.sensitivity import sensitivity
from evaluation.report.settings import ReportSettings
from evaluation.report.spells import spells
from evaluation.report.strategies import strategies
from evaluation.report.verdicts import Parts, verdicts, worst

SEARCH_RESULTS = ("strategies.blind",)
"""Parts of the report that a search found; see `MethodFigures.search_results`."""


def sheets_of(game: Game, setup: NDArray[np.void]) -> NDArray[np.void]:
    """SHEET (2,) of a set-up.

    Args:
        game: the rules.
        setup: SETUP (1,), see `make_game_and_setup`; who begins does not matter.

    Raises:
        ConfigError: skills that are drawn for each duel; another ruleset than the school duel.
    """
    require_enumerable(game)
    record = game.check_setup(setup)[0]
    if not game.ruleset.is_fixed(setup):
        ranges = ", ".join(f"{low}..{high}" for low, high in zip(record["skill_low"], record["skill_high"], strict=True))
        raise ConfigError(f"skills {ranges}: a report is about two fixed skills, such as 60 60")
    return Context.sheets_of(game, (int(record["skill_low"][0]), int(record["skill_low"][1])))


def build_report(
    game: Game, sheets: NDArray[np.void], settings: ReportSettings | None = None, progress: Progress = silent
) -> Report:
    """Everything that the designer's report says.

    Args:
        game: the rules; their round limit does not count.
        sheets: SHEET (2,), see `sheets_of`.
        settings: how it is made; the defaults without.
        progress: is told what is worked on.

    Raises:
        ConfigError: another ruleset than the school duel, rules with too many states, or sheets that do not fit.
        ConvergenceError: as `evaluation.exact.solve`.
    """
    require_enumerable(game)
    settings = settings or ReportSettings()
    context = Context(game, sheets, settings)
    parts = Parts(
        headline=headline(context, progress),
        spells=spells(context, progress),
        strategies=strategies(context, progress),
        decisions=decisions(context),
        comebacks=comebacks(context, progress),
        sensitivity=sensitivity(context, progress),
        readings=readings(context, progress),
    )
    judged = verdicts(settings.thresholds, parts)
    return Report(
        format=FORMAT,
        version=VERSION,
        about=_about(context),
        verdicts=judged,
        level=worst(judged),
        **{name: getattr(parts, name) for name in Parts._fields},
        method=_method(context),
    )


def _about(context: Context) -> AboutFigures:
    game = context.game
    return AboutFigures(
        ruleset=game.ruleset.name,
        ruleset_version=game.ruleset.version,
        digest=game.digest,
        options=game.options_json(),
        skills=context.skills,
        hit_points=context.options.hit_points,
        actions=tuple(
            ActionName(id=action.id, en=action.en, fr=action.fr, is_spell=number < context.num_spells)
            for number, action in enumerate(game.actions)
        ),
        equal_players=context.are_equal,
    )


def _method(context: Context) -> MethodFigures:
    versions = {"duel-env": duel_env.__version__, "python": platform.python_version()}
    versions |= {name: version(name) for name in ("numpy", "numba")}
    absent = set() if context.counted_rounds is not None else {Limit.COUNTED_ROUNDS}
    return MethodFigures(
        versions=versions,
        seeds=(),
        states=context.model.num_nodes,
        decisions=context.model.num_player,
        merged_states=len(context.model.merged.roles),
        solutions=context.solutions,
        search_results=SEARCH_RESULTS,
        limits=tuple(limit for limit in Limit if limit not in absent),
        settings=context.settings,
    )
