"""The kernel against the plain-Python reference, which was written from the rules page by somebody who had not seen the kernel."""

import numpy as np
import pytest
from numba import config

from duel_env.duel import Duel
from duel_env.game import make_game
from duel_env.rules.hogwarts import state as records
from tests.helpers import make_setup, random_options, random_skills
from tests.reference.hogwarts import DEFAULT_SPELLS, Options, ReferenceDuel, Spell

NUM_DUELS = 300 if config.DISABLE_JIT else 10_000

WANDS = {records.WAND_HELD: "held", records.LOST_TO_DISARM: "expelliarmus", records.LOST_TO_HEX: "levicorpus"}
ROLLS = {records.NOT_ROLLED: None, records.MISSED: "miss", records.HIT: "hit"}
ENDS = {
    records.RUNNING: "",
    records.BY_HIT_POINTS: "hit_points",
    records.BY_SEIZED_WAND: "wand_seized",
    records.BY_ROUND_LIMIT: "round_limit",
}


def reference_options(options: dict) -> Options:
    fields = {key: value for key, value in options.items() if key != "spells"}
    effects = ("id", "penalty", "damage", "disarm", "petrify", "hex", "block")
    spells = options.get("spells")
    made = DEFAULT_SPELLS if spells is None else tuple(Spell(**{key: spell[key] for key in effects}) for spell in spells)
    return Options(**fields, spells=made)


def kernel_snapshot(duel: Duel) -> dict[str, object]:
    """The kernel's state in the words of the reference."""
    state = duel.state[0]
    cut_short = state["end"] == records.BY_ROUND_LIMIT
    first_action = int(state["action"][0])
    die = duel.die
    snapshot: dict[str, object] = {
        "to_move": duel.current_player if duel.current_player >= 0 else None,
        "hit_points": tuple(state["hit_points"].tolist()),
        "wand": tuple(WANDS[wand] for wand in state["wand"].tolist()),
        "hexed": tuple(map(bool, state["hexed"])),
        "die": None if die is None else (die.sides, None if die.roller < 0 else die.roller),
        "over": duel.is_over,
        "truncated": duel.is_truncated,
        "winner": int(state["winner"]) if state["winner"] >= 0 else None,
        "reason": "draw" if state["end"] == records.BY_HIT_POINTS and state["winner"] < 0 else ENDS[int(state["end"])],
    }
    if not cut_short:  # the reference does not begin the round that will not be played
        snapshot |= {
            "round": int(state["round"]),
            "first_caster": int(state["first_caster"]) if state["first_caster"] >= 0 else None,
            "petrified": tuple(map(bool, state["petrified"])),
            "petrified_next": tuple(map(bool, state["petrified_next"])),
            "first_action": None if first_action < 0 else duel.game.actions[first_action].id,
            "first_roll": ROLLS[int(state["first_roll"])],
        }
    return snapshot


def reference_snapshot(reference: ReferenceDuel, keys: object) -> dict[str, object]:
    snapshot = reference.snapshot()
    die = snapshot["die"]
    snapshot["die"] = None if die is None else (2 if die.kind == "coin" else 100, die.player)
    snapshot["hit_points"] = tuple(max(points, 0) for points in snapshot["hit_points"])
    return {key: snapshot[key] for key in keys}


def play_both(rng: np.random.Generator) -> None:
    options, skills = random_options(rng), random_skills(rng)
    first_caster = rng.choice(np.array([None, 0, 1], object))
    game = make_game("hogwarts", options)
    duel = Duel(game, make_setup(game, skills=skills, first_caster=first_caster))
    reference = ReferenceDuel(reference_options(options), skills, first_caster)
    while True:
        snapshot = kernel_snapshot(duel)
        assert snapshot == reference_snapshot(reference, snapshot), (options, skills)
        legal = [game.actions[number].id for number in duel.legal_actions()]
        assert legal == reference.legal_actions(), (options, skills, snapshot)
        if duel.is_over:
            return
        if duel.die is not None:
            face = int(rng.integers(1, duel.die.sides + 1))
            duel.roll(face)
            reference.roll(face)
        else:
            action = str(rng.choice(legal))
            duel.apply_action(game.action_number(action))
            reference.choose(action)


@pytest.mark.slow
def test_kernel_and_reference_agree_state_by_state():
    for seed in range(NUM_DUELS):
        play_both(np.random.default_rng(seed))
