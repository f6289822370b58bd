"""`duel atlas`: every pair of skills, solved and drawn."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np
import typer
from numpy.typing import NDArray

from duel_env.errors import ConfigError
from training.cli.options import (
    Language,
    LanguageOption,
    RulesOption,
    SetOption,
    console,
    count,
    find_arena,
    progress_bar,
    refuse_round_limit,
    write_file,
)

if TYPE_CHECKING:
    from duel_env.game import Game
    from evaluation.atlas import Atlas

ATLAS_FILE: Final = "atlas.npz"

_TEXT: Final = {
    Language.EN: {
        "solved": "{0} pairs of skills, both starts, certified to {1:.0e}: {2}",
        "picture": "picture: {0}",
        "stopped": "stopped after {0} of {1} pairs; the same command goes on",
        "plain": "no pictures: they need matplotlib, pip install 'duel-env[design]'",
        "resumed": "going on: {0} of {1} pairs are solved",
    },
    Language.FR: {
        "solved": "{0} paires de Sortilèges, les deux débuts, certifiées à {1:.0e} : {2}",
        "picture": "image : {0}",
        "stopped": "arrêté après {0} paires sur {1} ; la même commande continue",
        "plain": "pas d'images : il faut matplotlib, pip install 'duel-env[design]'",
        "resumed": "reprise : {0} paires sur {1} sont résolues",
    },
}


def atlas_command(
    ruleset: Annotated[str | None, typer.Argument(metavar="[RULESET]", help="Which game; `duel envs` lists them.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the file and the pictures.")] = Path("atlas"),
    step: Annotated[int, typer.Option("--step", min=1, max=100, help="Distance between the skills, from 0 to 100.")] = 1,
    workers: Annotated[int, typer.Option("--workers", min=1, max=256, help="Threads.")] = 2,
    overrides: SetOption = None,
    rules: RulesOption = None,
    language: LanguageOption = Language.EN,
) -> None:
    """Solve all pairs of skills, both starts, and draw who wins, what acting first is worth, and the best openings.

    The same command goes on with what an interrupted one has left. There is no round limit, that of a file of rules does not
    count: endless play is a draw. The file is read by `numpy.load`; its arrays are explained in `evaluation/atlas.py`.

    Examples:
        duel atlas
        duel atlas --step 5 --set hit_points=3 -o atlas-3hp
    """
    from evaluation.atlas import solve_atlas
    from training.folder_lock import FolderLock
    from training.interrupt import stop_on_request

    refuse_round_limit(overrides, "duel atlas")
    if output.exists() and not output.is_dir():
        raise ConfigError(f"--output {output}: expected a folder, this is a file")
    game, _ = find_arena((), ruleset or "hogwarts", None, overrides, rules)
    path, text = output / ATLAS_FILE, _TEXT[language]
    try:
        output.mkdir(parents=True, exist_ok=True)
        lock = FolderLock(output)
    except OSError as error:
        raise ConfigError(f"cannot write {output}: {error.strerror or error}") from error
    try:
        atlas = _begun(game, np.arange(0, 101, step), path, text["resumed"], language)
        with stop_on_request() as stop, progress_bar(atlas.num_pairs) as progress:
            done = solve_atlas(atlas, path, workers, lambda solved, _: progress("pairs", solved), lambda: stop)
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        lock.release()
    if not done:
        typer.echo(text["stopped"].format(count(atlas.num_solved, language), count(atlas.num_pairs, language)), err=True)
        raise typer.Exit(stop.exit_code)
    shown = console()
    shown.print(text["solved"].format(count(atlas.num_pairs, language), atlas.max_error, path))
    try:
        from evaluation.atlas_pictures import draw_atlas
    except ModuleNotFoundError:
        shown.print(text["plain"])
        return
    for name, picture in draw_atlas(atlas, language.value).items():
        write_file(output / name, picture)
        shown.print(text["picture"].format(output / name))


def _begun(game: "Game", skills: NDArray[np.int64], path: Path, resumed: str, language: Language) -> "Atlas":
    """The atlas in the file, or an empty one where there is none."""
    from evaluation.atlas import Atlas

    if not path.exists():
        return Atlas(game, skills)
    atlas = Atlas.read(path, game)
    if not np.array_equal(atlas.skills, skills):
        raise ConfigError(f"{path} is an atlas of other skills; choose another folder with --output")
    typer.echo(resumed.format(count(atlas.num_solved, language), count(atlas.num_pairs, language)), err=True)
    return atlas
