"""Speed, measured beside other libraries' environments in the same run, with checksums that keep a fast wrong kernel from passing."""

import hashlib
import importlib.util
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from duel_env.batch import DuelBatch
from duel_env.errors import ConfigError, DuelError
from duel_env.game import Engine, make_game

NUM_ENVS: Final = 1_024
_REPEATS: Final = 7
_SEED: Final = 1

CHECKSUMS: Final = {
    # Digests of rows and views after fixed play from seed 1. A change of one of them is a change of behaviour, not of speed.
    "random_play": "9a77eea7faaae28e",
    "vector_step": "848ae264a7f0d95b",
    "single": "a2d892f2966bec46",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One row of the table.

    Attributes:
        name: what was measured.
        unit: what one item is.
        per_second: items a second, the best of the repeats: the machine's noise only slows things down.
        median_per_second: the median of the repeats.
        repeats: how often it was measured.
        checksum: digest of what was computed, "" where nothing of ours was.
        is_peer: another library's environment, for comparison.
    """

    name: str
    unit: str
    per_second: float
    median_per_second: float
    repeats: int
    checksum: str = ""
    is_peer: bool = False


def measure(name: str, unit: str, run: Callable[[], int], *, repeats: int = _REPEATS, **notes: Any) -> Measurement:
    """Time `run`, which returns how many items it did, after one run that is not counted."""
    run()
    rates = []
    for _ in range(repeats):
        began = time.perf_counter()
        count = run()
        rates.append(count / (time.perf_counter() - began))
    return Measurement(name=name, unit=unit, per_second=max(rates), median_per_second=median(rates), repeats=repeats, **notes)


def _digest(*arrays: NDArray[Any]) -> str:
    found = hashlib.sha256()
    for array in arrays:
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]


def _verified(key: str, found: str) -> str:
    if found != CHECKSUMS[key]:
        raise DuelError(f"the checksum of {key} is {found}, expected {CHECKSUMS[key]}: the duels are not what they were")
    return found


def _random_play(engine: Engine, num_steps: int) -> Measurement:
    from duel_env.rules.loops import random_play

    actions = np.zeros(NUM_ENVS, np.int64)
    batch = DuelBatch(make_game("hogwarts"), NUM_ENVS, engine=engine)
    batch.reset(seed=_SEED)
    random_play(batch.store, actions, 1_000)
    rows = batch.store.rows
    played = _digest(batch.observation, batch.action_mask, rows["dice"], rows["episode"], rows["rewards"])
    checksum = _verified("random_play", played)

    def run() -> int:
        random_play(batch.store, actions, num_steps)
        return NUM_ENVS * num_steps

    name = f"random legal play, fused, {engine}, batch of {NUM_ENVS:,}"
    return measure(name, "decisions", run, checksum=checksum)


def _legal_actions(mask: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    return np.asarray((rng.random(mask.shape) * mask).argmax(axis=1))


def _batch_step() -> Measurement:
    batch = DuelBatch(make_game("hogwarts"), NUM_ENVS)
    rng = np.random.default_rng(_SEED)
    batch.reset(seed=_SEED)
    script = []
    for _ in range(200):
        script.append(_legal_actions(batch.action_mask, rng))
        batch.step(script[-1])

    def run() -> int:
        batch.reset(seed=_SEED)
        for actions in script:
            batch.step(actions)
        return NUM_ENVS * len(script)

    return measure(f"DuelBatch.step, both seats, given actions, batch of {NUM_ENVS:,}", "decisions", run)


def _vector_step() -> Measurement:
    import gymnasium as gym

    env = gym.make_vec("duel_env/Hogwarts-v0", num_envs=NUM_ENVS)
    rng = np.random.default_rng(_SEED)
    observations, infos = env.reset(seed=_SEED)
    script = []
    for _ in range(200):
        script.append(_legal_actions(infos["action_mask"], rng))
        observations, rewards, _, _, infos = env.step(script[-1])
    checksum = _verified("vector_step", _digest(observations, rewards, infos["action_mask"]))

    def run() -> int:
        env.reset(seed=_SEED)
        for actions in script:
            env.step(actions)
        return NUM_ENVS * len(script)

    name = f"VectorEnv.step, given actions, random opponent inside, {NUM_ENVS:,} environments"
    return measure(name, "learner steps", run, checksum=checksum)


def _gym_loop(env: Any, num_steps: int, mask_key: str) -> Callable[[], int]:
    picks = np.random.default_rng(_SEED).random(num_steps).tolist()

    def run() -> int:
        _, info = env.reset(seed=_SEED)
        for pick in picks:
            legal = info[mask_key].nonzero()[0]
            _, _, terminated, truncated, info = env.step(legal[int(pick * len(legal))])
            if terminated or truncated:
                _, info = env.reset()
        return num_steps

    return run


def _single() -> Measurement:
    import gymnasium as gym

    env = gym.make("duel_env/Hogwarts-v0").unwrapped
    run = _gym_loop(env, 20_000, "action_mask")
    run()
    checksum = _verified("single", _digest(env.step(0)[0]))
    return measure("Gymnasium environment, unwrapped, random legal actions", "steps", run, checksum=checksum)


def _taxi() -> Measurement:
    import gymnasium as gym

    env = gym.make("Taxi-v4").unwrapped
    name = "peer: Gymnasium Taxi-v4 with its mask, unwrapped, the same loop"
    return measure(name, "steps", _gym_loop(env, 20_000, "action_mask"), is_peer=True)


def _aec_loop(env: Any, num_steps: int) -> Callable[[], int]:
    picks = np.random.default_rng(_SEED).random(num_steps + 1_000).tolist()

    def run() -> int:
        done = 0
        env.reset(seed=_SEED)
        while done < num_steps:
            for _ in env.agent_iter():
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                env.step(legal[int(picks[done] * len(legal))])
                done += 1
            env.reset()
        return done

    return run


def _aec() -> Measurement:
    from duel_env.envs.pettingzoo_env import env

    return measure("PettingZoo AEC env(), last and step, random legal actions", "steps", _aec_loop(env(), 10_000))


def _tictactoe() -> Measurement:
    import pettingzoo

    name = "peer: PettingZoo tictactoe through its env(), the same loop"
    try:
        env = pettingzoo.make("aec", "classic/TicTacToe-v3")
    except Exception:  # an older registry, or another name for it
        from pettingzoo.classic import tictactoe_v3

        env = tictactoe_v3.env()
    return measure(name, "steps", _aec_loop(env, 3_000), is_peer=True)


def _import_time() -> Measurement:
    def run() -> int:
        subprocess.run([sys.executable, "-c", "import duel_env"], check=True)
        return 1

    return measure("import duel_env in a new process, warm", "imports", run, repeats=5)


_ROWS: Final[dict[str, Callable[[], Measurement]]] = {
    "random_play": lambda: _random_play("table", 2_000),
    "random_play_kernel": lambda: _random_play("kernel", 500),
    "batch_step": _batch_step,
    "vector_step": _vector_step,
    "single": _single,
    "taxi": _taxi,
    "aec": _aec,
    "tictactoe": _tictactoe,
    "import": _import_time,
}

_EXACT_ROWS: Final = ("solve", "strategy_iteration", "model", "exploit", "exploit_small", "exploit_openspiel")
ROW_NAMES: Final = (*_ROWS, *_EXACT_ROWS, "training", "training_sb3")


def measurements(names: tuple[str, ...]) -> Iterator[Measurement]:
    """Measure rows one after the other.

    Args:
        names: of `ROW_NAMES`. Rows whose library is not installed are left out, with a line on stderr.

    Raises:
        ConfigError: an unknown name.
        DuelError: a checksum that is not the expected one.
    """
    unknown = sorted(set(names) - set(ROW_NAMES))
    if unknown:
        raise ConfigError(f"unknown row {', '.join(unknown)}; rows: {', '.join(ROW_NAMES)}")
    for name in names:
        missing = _missing(name)
        if missing:
            print(f"left out: {name}, which needs {missing}", file=sys.stderr)
        elif name in _ROWS:
            yield _ROWS[name]()
        elif name in _EXACT_ROWS:
            from training import bench_exact

            yield getattr(bench_exact, f"{name}_row")()
        else:
            from training.bench_training import measure_training

            yield measure_training(name)


def _missing(name: str) -> str:
    """What a row needs and does not find here; "" when it can be measured."""
    needed = {
        "tictactoe": "pygame",
        "exploit_openspiel": "pyspiel",
        "training": "torch",
        "training_sb3": "sb3_contrib",
    }.get(name)
    if needed and importlib.util.find_spec(needed) is None:
        return f"the package {needed}"
    if name in _ROWS or name in _EXACT_ROWS:
        return ""
    from training.bench_training import is_available

    return "" if is_available(name) else "the folder configs/ of a checkout"


def as_json(measurement: Measurement) -> dict[str, Any]:
    """A row as JSON values."""
    return asdict(measurement)
