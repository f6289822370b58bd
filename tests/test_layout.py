"""Where imports may point, and what must not be imported."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LAYERS = ["duel_env", "agents", "evaluation", "training"]
HEAVY = {"torch", "stable_baselines3", "sb3_contrib", "tensorboard"}
OPTIONAL = {"pyspiel", "open_spiel", "matplotlib", "jinja2", "optuna"}
"""Of other extras; a command that does not need them does not load them."""


def imports_of(path: Path) -> set[str]:
    """First names of everything a file imports, at any depth of its code."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add((node.module or "").split(".")[0])
    return found


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_point_one_way(layer):
    files = list((ROOT / layer).rglob("*.py"))
    assert files
    above = set(LAYERS[LAYERS.index(layer) + 1 :]) | {"tests", "benchmarks"}
    for path in files:
        assert not imports_of(path) & above, path


@pytest.mark.parametrize("layer", LAYERS[:-1])
def test_only_training_imports_torch(layer):
    for path in (ROOT / layer).rglob("*.py"):
        assert not imports_of(path) & HEAVY, path


def modules_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


def test_importing_the_package_loads_neither_torch_nor_the_compiler():
    assert not modules_after("import duel_env") & (HEAVY | {"numba", "scipy", "pydantic", "rich", "typer"})


def test_playing_and_matching_do_not_load_torch():
    code = "from training.cli import main\nsys.argv = ['duel', 'match', 'stupefy', 'random', '-n', '40', '--json']\n"
    code += "sys.stdout, out = __import__('io').StringIO(), sys.stdout\ntry:\n    main()\nexcept SystemExit as stop:\n"
    code += "    assert not stop.code, stop.code\nsys.stdout = out"
    assert not modules_after(code) & (HEAVY | OPTIONAL)


def test_solving_loads_no_extra():
    code = "from training.cli import main\nsys.argv = ['duel', 'solve', '--set', 'hit_points=1', '--json']\n"
    code += "sys.stdout, out = __import__('io').StringIO(), sys.stdout\ntry:\n    main()\nexcept SystemExit as stop:\n"
    code += "    assert not stop.code, stop.code\nsys.stdout = out"
    assert not modules_after(code) & (HEAVY | OPTIONAL)


def test_nothing_unpickles():
    """No file of the project may load a pickle: not by the module, and not through NumPy or torch."""
    for layer in LAYERS:
        for path in (ROOT / layer).rglob("*.py"):
            assert not imports_of(path) & {"pickle", "cloudpickle", "dill", "joblib", "shelve", "marshal"}, path
            text = path.read_text(encoding="utf-8")
            assert "allow_pickle=True" not in text, path
            assert "weights_only=False" not in text, path
