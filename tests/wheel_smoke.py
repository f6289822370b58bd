"""Run by CI with the interpreter of a clean environment that holds the wheel and nothing else: what a user has after `pip install`."""

import json
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo

import duel_env

checkout = Path(__file__).resolve().parents[1]
assert checkout not in Path(duel_env.__file__).resolve().parents, "the wheel is to be tested, not the checkout"
assert not any(name.split(".")[0] in ("torch", "stable_baselines3") for name in sys.modules)

env = gymnasium.make("duel_env/Hogwarts-v0", opponent="expectimax")
observation, info = env.reset(seed=1)
over = False
while not over:
    action = int(np.flatnonzero(info["action_mask"])[0])
    observation, reward, terminated, truncated, info = env.step(action)
    over = terminated or truncated
assert reward in (-1.0, 0.0, 1.0)

vector = gymnasium.make_vec("duel_env/Hogwarts-v0", num_envs=8)
_, infos = vector.reset(seed=1)
vector.step(infos["action_mask"].argmax(axis=1))
pettingzoo.make("aec", "duel_env/Hogwarts-v0").reset(seed=1)

duel = sys.argv[1]
record = Path("duel.jsonl")
match = subprocess.run(
    [duel, "match", "defender", "random", "-n", "400", "--record", str(record), "--json"],
    capture_output=True,
    text=True,
    check=True,
)
assert json.loads(match.stdout)
replay = subprocess.run([duel, "replay", str(record), "--json"], capture_output=True, text=True, check=True)
assert json.loads(replay.stdout)
subprocess.run([duel, "envs"], check=True, stdout=subprocess.DEVNULL)
solved = subprocess.run([duel, "solve", "hogwarts", "--skills", "60", "60", "--json"], capture_output=True, text=True, check=True)
assert abs(json.loads(solved.stdout)["value"]["first"] - 22 / 47) < 1e-9
subprocess.run([duel, "exploit", "quantal:0.05", "--set", "hit_points=2"], check=True, stdout=subprocess.DEVNULL)
atlas = subprocess.run([duel, "atlas", "--step", "50", "-o", "atlas"], capture_output=True, text=True, check=True)
assert "duel-env[design]" in atlas.stdout, "pictures need an extra that is not installed here"
report = subprocess.run([duel, "report", "hogwarts", "-o", "report"], capture_output=True, text=True, check=False)
assert (report.returncode, report.stderr.count("\n")) == (2, 1), report.stderr
assert "duel-env[design]" in report.stderr
print("wheel: environments, match, record, replay and exact play work away from the checkout")
