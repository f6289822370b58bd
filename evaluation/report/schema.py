"""The JSON Schema of a report, generated from its models: `python -m evaluation.report.schema` writes it to its place."""

import json
from pathlib import Path
from typing import Any

from duel_env.files import write_atomically
from evaluation.report.figures import Report

SCHEMA_FILE = Path(__file__).parent.parent / "schemas" / "report.schema.json"
"""Where the schema is kept."""


def report_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of `Report.to_json`."""
    schema = Report.model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def schema_text() -> str:
    """The content of `SCHEMA_FILE`."""
    return json.dumps(report_schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    write_atomically(SCHEMA_FILE, schema_text().encode())
