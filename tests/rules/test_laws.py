"""Laws that every state of every ruleset obeys, over random rules, skills and play."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duel_env.duel import Duel
from duel_env.game import make_game
from duel_env.rules import protocol
from tests.helpers import make_setup, random_options, random_skills

SEEDS = st.integers(0, 2**32 - 1)


def random_duel(rng: np.random.Generator) -> Duel:
    game = make_game("hogwarts", random_options(rng))
    return Duel(game, make_setup(game, skills=random_skills(rng)))


def walk(rng: np.random.Generator):
    """Every state of one random duel; dice are drawn by outcome, so that faces are not the only way in."""
    duel = random_duel(rng)
    yield duel
    while not duel.is_over:
        if duel.die is not None:
            probability = duel.chance_outcomes()
            duel.apply_chance(int(rng.choice(len(probability), p=probability)))
        else:
            duel.apply_action(int(rng.choice(duel.legal_actions())))
        yield duel


@given(seed=SEEDS)
def test_exactly_one_of_choice_die_and_end_holds(seed):
    for duel in walk(np.random.default_rng(seed)):
        assert (duel.current_player >= 0) + (duel.die is not None) + duel.is_over == 1


@given(seed=SEEDS)
def test_mask_is_empty_exactly_when_nobody_chooses(seed):
    for duel in walk(np.random.default_rng(seed)):
        assert duel.action_mask().dtype == np.int8
        assert bool(duel.action_mask().any()) == (duel.current_player >= 0)


@given(seed=SEEDS)
def test_pass_is_legal_only_alone(seed):
    for duel in walk(np.random.default_rng(seed)):
        mask = duel.action_mask()
        assert mask[-1] == 0 or mask.sum() == 1


@given(seed=SEEDS)
def test_chances_are_probabilities_and_agree_with_the_hundred_faces(seed):
    for duel in walk(np.random.default_rng(seed)):
        if duel.die is None:
            continue
        probability = duel.chance_outcomes()
        assert probability.sum() == pytest.approx(1.0, abs=1e-12)
        assert np.all(probability >= 0.0)
        after = [duel.copy() for _ in probability]
        for outcome, copy in enumerate(after):
            copy.apply_chance(outcome)
        counts = np.zeros(len(probability))
        for face in range(1, duel.die.sides + 1):
            rolled = duel.copy()
            rolled.roll(face)
            counts[after.index(rolled)] += 1
        if len({hash(copy) for copy in after}) == len(after):
            assert counts / duel.die.sides == pytest.approx(probability)


@given(seed=SEEDS)
def test_returns_are_zero_sum_and_zero_until_the_end(seed):
    for duel in walk(np.random.default_rng(seed)):
        first, second = duel.returns()
        assert first + second == 0.0
        assert first in (-1.0, 0.0, 1.0)
        assert duel.is_over or first == 0.0
        assert not duel.is_truncated or first == 0.0


@given(seed=SEEDS)
def test_state_stays_in_range_and_the_duel_ends_within_the_round_limit(seed):
    for duel in walk(np.random.default_rng(seed)):
        duel.game.ruleset.check_records(duel.game, duel.state, duel.sheets)
        observation = duel.observation(0)
        low, high = (np.array([getattr(feature, end) for feature in duel.game.layout]) for end in ("low", "high"))
        assert np.all((low <= observation) & (observation <= high))


@given(seed=SEEDS)
def test_copies_are_equal_and_independent_and_json_brings_the_duel_back(seed):
    for duel in walk(np.random.default_rng(seed)):
        copy = duel.copy()
        assert copy == duel
        assert hash(copy) == hash(duel)
        assert Duel.from_json(json.loads(json.dumps(duel.to_json()))) == duel
        if copy.current_player >= 0:
            copy.forfeit()
            assert copy != duel
            assert not duel.is_over
            assert Duel.from_json(json.loads(json.dumps(copy.to_json()))) == copy


@given(seed=SEEDS)
def test_swapping_the_seats_mirrors_everything(seed):
    """Neither seat has a privilege: the same choices and dice with the players swapped give the mirrored duel."""
    rng = np.random.default_rng(seed)
    game = make_game("hogwarts", random_options(rng))
    skills, first = random_skills(rng), int(rng.integers(2))
    here = Duel(game, make_setup(game, skills=skills, first_caster=first))
    there = Duel(game, make_setup(game, skills=skills[::-1], first_caster=1 - first))
    while True:
        assert np.array_equal(here.action_mask(), there.action_mask())
        for player in range(2):
            assert np.array_equal(here.observation(player), there.observation(1 - player))
        assert here.returns() == there.returns()[::-1]
        if here.is_over:
            break
        if here.die is not None:
            face = int(rng.integers(1, here.die.sides + 1))
            here.roll(face)
            there.roll(face)
        else:
            action = int(rng.choice(here.legal_actions()))
            here.apply_action(action)
            there.apply_action(action)


@given(seed=SEEDS)
def test_observation_rebuilds_the_decision_of_whoever_is_to_choose(seed):
    """Perfect information: the state read back offers the same actions, and looks the same."""
    for duel in walk(np.random.default_rng(seed)):
        player = duel.current_player
        if player < 0:
            continue
        observation = duel.observation(player)
        state, sheets = duel.state.copy(), duel.sheets.copy()
        duel.game.ruleset.read_observation(duel.game.rules[0], observation, state[0], sheets)
        read = Duel.of(duel.game, state, sheets)
        assert np.array_equal(read.observation(0), observation)
        assert np.array_equal(read.action_mask(), duel.action_mask())


@given(seed=SEEDS)
def test_hidden_skill_leaves_no_trace_in_what_the_opponent_sees(seed):
    rng = np.random.default_rng(seed)
    game = make_game("hogwarts", random_options(rng) | {"observe_opponent_skill": False})
    own = int(rng.integers(101))
    duels = [Duel(game, make_setup(game, skills=(own, other), first_caster=0)) for other in (5, 95)]
    while all(duel.current_player == duels[0].current_player >= 0 for duel in duels):
        assert np.array_equal(duels[0].observation(0), duels[1].observation(0))
        assert np.array_equal(duels[0].action_mask(), duels[1].action_mask())
        action, outcome = int(rng.choice(duels[0].legal_actions())), int(rng.integers(2))
        for duel in duels:
            duel.apply_action(action)
            while duel.die is not None:
                duel.apply_chance(outcome)


@given(seed=SEEDS)
def test_dice_of_equal_class_have_equal_chances_whatever_the_sheets(seed):
    """Solvers merge states by this number, and fill in chances for other sheets afterwards."""
    rng = np.random.default_rng(seed)
    game = make_game("hogwarts", random_options(rng))
    dice: dict[int, list[Duel]] = {}
    for _ in range(5):
        duel = Duel(game, make_setup(game, skills=random_skills(rng)))
        while not duel.is_over:
            if duel.die is None:
                duel.apply_action(int(rng.choice(duel.legal_actions())))
                continue
            number = int(protocol.chance_class(duel.state[0], game.rules[0]))
            assert number >= 0
            dice.setdefault(number, []).append(duel.copy())
            probability = duel.chance_outcomes()
            duel.apply_chance(int(rng.choice(len(probability), p=probability)))
    sheets = Duel(game, make_setup(game, skills=random_skills(rng))).sheets
    for alike in dice.values():
        chances = {tuple(Duel.of(game, duel.state, sheets).chance_outcomes()) for duel in alike}
        assert len(chances) == 1
