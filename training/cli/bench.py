"""`duel bench`: how fast it is here."""

import json
from typing import Annotated

import typer

from duel_env.errors import ConfigError


def bench_command(
    rows: Annotated[str, typer.Option(help="Comma-separated rows to measure; all of them by default.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Measure speed, beside other libraries' environments in the same run.

    Each rate is the best of several repeats, with the median beside it: noise of the machine only slows things down. Checksums of what was
    played are compared with known ones; the command fails if the duels are not what they were. Close other programs first.

    Example: duel bench --rows random_play,single,taxi
    """
    from rich.console import Console
    from rich.table import Table

    from training.bench import ROW_NAMES, measurements
    from training.bench import as_json as row_as_json

    names = tuple(name.strip() for name in rows.split(",") if name.strip()) or ROW_NAMES
    if len(set(names)) < len(names):
        raise ConfigError("--rows names a row twice")
    progress = Console(stderr=True)
    found = []
    with progress.status("measuring"):
        for measurement in measurements(names):
            found.append(measurement)
    if as_json:
        print(json.dumps([row_as_json(measurement) for measurement in found], indent=2))
        return
    table = Table("measured", "per second", "median", "unit", "checksum")
    for row in found:
        table.add_row(row.name, _rate(row.per_second), _rate(row.median_per_second), row.unit, row.checksum)
    Console().print(table)


def _rate(per_second: float) -> str:
    return f"{per_second:,.0f}" if per_second >= 100 else f"{per_second:.3g}"
