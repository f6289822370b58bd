"""Duels as games of OpenSpiel: its own checks pass, play is that of `Duel`, and its algorithms find the values that ours find."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pytest

from agents.registry import make_agent
from duel_env.duel import Duel
from duel_env.errors import ConfigError, IllegalActionError
from duel_env.game import make_game_and_setup
from evaluation.exact import FIRST, SECOND, exploitability, policy_table, solve_truncated

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra: openspiel")

from open_spiel.python import policy as open_spiel_policy  # noqa: E402
from open_spiel.python.algorithms import exploitability as open_spiel_exploitability  # noqa: E402
from open_spiel.python.algorithms import minimax  # noqa: E402

from duel_env.envs.openspiel_game import OpenSpielGame  # noqa: E402

STUPEFY = {"id": "stupefy", "en": "Stupefy", "fr": "Stupéfix", "penalty": 0, "damage": 1}
PROTEGO = {"id": "protego", "en": "Protego", "fr": "Protego", "penalty": 0, "block": True}
EXPELLIARMUS = {"id": "expelliarmus", "en": "Expelliarmus", "fr": "Expelliarmus", "penalty": 30, "disarm": True}
SMALL = {"hit_points": 1, "spells": [STUPEFY, PROTEGO]}

OPTION_SETS = {
    "default": {},
    "no coin": {"skills": (70, 40), "max_rounds": 20},
    "every other reading": {
        "riposte_sees_roll": False,
        "resolution": "simultaneous",
        "petrificus_timing": "riposte",
        "levicorpus_hits_riposte": False,
        "seize_after": "any_disarm",
        "petrified_may_retrieve": False,
    },
    "hidden skills": {"skills": (30, 80), "first_caster": 0, "observe_opponent_skill": False, "hit_points": 2},
    "dice that are certain": {"skills": (0, 100), "max_rounds": 5},
    "own spells": {**SMALL, "max_rounds": 3},
}


@pytest.fixture(params=OPTION_SETS.values(), ids=OPTION_SETS.keys())
def settings(request):
    return request.param


def test_the_check_of_openspiel(settings):
    pyspiel.random_sim_test(OpenSpielGame(**settings), num_sims=2, serialize=True, verbose=False)


def test_random_play_is_that_of_a_duel(settings, rng):
    game = OpenSpielGame(**settings)
    rules, setup = make_game_and_setup("hogwarts", settings)
    for _ in range(5):
        state, duel = game.new_initial_state(), Duel(rules, setup)
        while not state.is_terminal():
            assert state.duel == duel
            assert state.returns() == [0.0, 0.0]
            assert state.is_chance_node() == (duel.die is not None)
            for player in range(2):
                np.testing.assert_array_equal(state.observation_tensor(player), duel.observation(player))
            if duel.die is not None:
                chances = duel.chance_outcomes()
                assert state.chance_outcomes() == [(k, chance) for k, chance in enumerate(chances) if chance > 0.0]
                choice = int(rng.choice(len(chances), p=chances))
                duel.apply_chance(choice)
            else:
                assert state.current_player() == duel.current_player
                assert state.legal_actions_mask() == duel.action_mask().tolist()
                assert state.legal_actions(1 - duel.current_player) == []
                choice = int(rng.choice(duel.legal_actions()))
                duel.apply_action(choice)
            state.apply_action(choice)
        assert state.duel == duel
        assert duel.is_over
        assert tuple(state.returns()) == duel.returns()


def every_state(state) -> Iterator:
    """A state and all states that can come after it, one for each history."""
    yield state
    for choice in state.legal_actions():
        yield from every_state(state.child(choice))


@pytest.mark.parametrize("options", [{}, {"riposte_sees_roll": False, "resolution": "simultaneous"}])
def test_laws_of_a_whole_tree(options):
    """Keys tell states apart, and nothing that the game declares beforehand is exceeded, or promised in vain."""
    game = OpenSpielGame(**SMALL, max_rounds=2, skills=(60, 50), first_caster=1, **options)
    texts, duels, strings, tensors = set(), set(), set(), set()
    lengths, dice, outcomes, returns = set(), set(), set(), set()
    for state in every_state(game.new_initial_state()):
        texts.add(str(state))
        duels.add(state.duel)
        if state.is_chance_node():
            outcomes |= {choice for choice, _ in state.chance_outcomes()}
            assert sum(chance for _, chance in state.chance_outcomes()) == pytest.approx(1.0)
        if not state.is_chance_node() and not state.is_terminal():
            player = state.current_player()
            strings.add((player, state.information_state_string(), tuple(state.history())))
            tensors.add((player, tuple(state.information_state_tensor()), tuple(state.history())))
        if state.is_terminal():
            players = [event.player for event in state.full_history()]
            lengths.add(len(players) - players.count(pyspiel.PlayerId.CHANCE))
            dice.add(players.count(pyspiel.PlayerId.CHANCE))
            returns.add(tuple(state.returns()))
    assert len(texts) == len(duels)
    # Perfect recall, and with everything public an information state for each history, in text and in numbers.
    assert len(strings) == len({entry[:2] for entry in strings}) == len({entry[:2] for entry in tensors}) == len(tensors)
    assert (max(lengths), max(dice)) == (game.max_game_length(), game.max_chance_nodes_in_history()) == (4, 4)
    assert outcomes == set(range(game.max_chance_outcomes()))
    assert returns == {(1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)}
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (-1.0, 1.0, 0.0)


def test_the_longest_duel_is_as_long_as_declared():
    game = OpenSpielGame(max_rounds=50)
    state = game.new_initial_state()
    protego = game.start.duel.game.action_number("protego")
    while not state.is_terminal():
        state.apply_action(0 if state.is_chance_node() else protego)
    assert (game.max_game_length(), game.max_chance_nodes_in_history()) == (100, 101)
    assert len(state.history()) == 201
    assert np.sum(state.information_state_tensor(0)[game.observation_tensor_size() :]) == 201


def test_rules_too_large_to_enumerate_need_to_be_told_how_long_a_duel_is():
    with pytest.raises(ConfigError, match="too many to enumerate; say how long a duel can be: play_bounds"):
        OpenSpielGame(hit_points=100)
    game = OpenSpielGame(hit_points=100, first_caster=0, play_bounds=(1, 1, 2))
    assert (game.max_game_length(), game.max_chance_nodes_in_history(), game.max_chance_outcomes()) == (1, 1, 2)
    state = game.new_initial_state()
    for choice in (0, 1):
        state.apply_action(choice)
        assert len(state.information_state_tensor(0)) == game.observation_tensor_size() + 2 * (9 + 2)
    state.apply_action(0)
    with pytest.raises(ConfigError, match="play_bounds: a duel has more choices and dice than that, 3"):
        state.information_state_tensor(0)


def test_names_of_actions_and_of_what_dice_show():
    state = OpenSpielGame(skills=(60, 60)).new_initial_state()
    assert [state.action_to_string(outcome) for outcome in state.legal_actions()] == ["d2 1", "d2 2"]
    state.apply_action(1)
    assert state.current_player() == 1
    assert [state.action_to_string(action) for action in state.legal_actions()][:2] == ["stupefy", "stupefy_strong"]
    state.apply_action(state.string_to_action("stupefy_strong"))
    assert [state.action_to_string(outcome) for outcome in (0, 1)] == ["d100 51-100", "d100 1-50"]
    assert state.information_state_string(0) == "player_0 1 stupefy_strong"
    assert "first_action_stupefy_strong=1" in state.observation_string(0)
    assert "Duelist 1 has chosen Strong Stupefy" in str(state)


def test_an_illegal_action_is_refused_and_nothing_is_played():
    state = OpenSpielGame(first_caster=0).new_initial_state()
    with pytest.raises(IllegalActionError, match="pass"):
        state.apply_action(8)
    assert state.history() == []


def test_a_hidden_skill_stays_hidden():
    """Whatever player 0 is shown is the same against every opponent."""
    games = [OpenSpielGame(skills=(60, skill), first_caster=0, observe_opponent_skill=False, max_rounds=3) for skill in (20, 90)]
    assert {game.get_type().information for game in games} == {pyspiel.GameType.Information.IMPERFECT_INFORMATION}
    states = [game.new_initial_state() for game in games]
    for choice in (0, 1, 5, 0, 3, 1):
        for show in ("observation_string", "observation_tensor", "information_state_string", "information_state_tensor"):
            assert getattr(states[0], show)(0) == getattr(states[1], show)(0)
        assert states[0].observation_tensor(1) != states[1].observation_tensor(1)
        for state in states:
            state.apply_action(choice)


def test_a_game_is_named_by_its_parameters(tmp_path):
    odd = {**STUPEFY, "en": "A; b, (c) = 50%", "fr": 'Ça "va" ? [{}]', "source": "p. 1, l. 2"}
    path = tmp_path / "spells.toml"
    path.write_text("".join(f'[[spells]]\nid = "{name}"\nen = "E"\nfr = "F"\npenalty = 0\n' for name in ("one", "two")))
    settings = [
        *OPTION_SETS.values(),
        {"spells": [odd], "first_caster": 1, "petrificus_timing": "riposte"},
        {"spells": str(path), "play_bounds": (400, 401, 2)},
    ]
    for chosen in settings:
        game = OpenSpielGame(**chosen)
        again = pyspiel.load_game(str(game))
        assert (str(again), again.bounds, again.start.duel) == (str(game), game.bounds, game.start.duel)
    assert str(OpenSpielGame()) == "python_duel_env_hogwarts()"
    assert str(OpenSpielGame(skills=(60, 50), max_rounds=3)) == "python_duel_env_hogwarts(max_rounds=3,skills=[60;50])"


def test_a_state_survives_being_written():
    game = OpenSpielGame(**SMALL, max_rounds=3)
    state = game.new_initial_state()
    for choice in (0, 1, 1):
        state.apply_action(choice)
    _, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert (again.duel, again.history(), str(again)) == (state.duel, state.history(), str(state))
    again.apply_action(0)
    assert len(state.history()) == 3


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"skills": ((20, 95), 60)}, "skills are numbers here, not ranges"),
        ({"skills": (60,)}, "one skill for each of the two players"),
        ({"max_rounds": 0}, "max_rounds = 0"),
        ({"max_round": 3}, "unknown key max_round"),
        ({"ruleset": "chess"}, "unknown ruleset"),
        ({"play_bounds": (4, 0, 2)}, "positive integers"),
        ({"play_bounds": (10**30, 1, 2)}, r"play_bounds = .*expected at most 2,147,483,647"),
        ({"play_bounds": (1, 1, 10**9 * 2)}, "expected at most 2,147,483,647"),
    ],
)
def test_settings_that_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        OpenSpielGame(**settings)


def test_views_that_there_are_none_of():
    kind = pyspiel.IIGObservationType(perfect_recall=False, public_info=False)
    with pytest.raises(ConfigError, match="nothing less or more"):
        OpenSpielGame().make_py_observer(kind)
    with pytest.raises(ConfigError, match="no parameters"):
        OpenSpielGame().make_py_observer(params={"size": 3})


@pytest.mark.parametrize(
    "text",
    [
        "skills=[60]",
        "play_bounds=many",
        f"play_bounds={10**30};1;1",
        f"play_bounds={'9' * 5000};1;1",
        "resolution=both",
        "max_rounds=0",
    ],
)
def test_parameters_that_are_refused(text):
    with pytest.raises(ConfigError, match=text.partition("=")[0]):
        pyspiel.load_game(f"python_duel_env_hogwarts({text})")


def run(code: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_imports():
    """The package does without OpenSpiel, the module says what to install, and a process that used a game ends in peace."""
    without = run(
        "import sys, duel_env.envs.gym_env\n"
        "assert 'pyspiel' not in sys.modules\n"
        "sys.modules['pyspiel'] = None\n"
        "import duel_env.envs.openspiel_game"
    )
    assert without.stderr.splitlines()[-1].endswith("need the extra 'openspiel': pip install 'duel-env[openspiel]'")
    used = run("import pyspiel, duel_env.envs.openspiel_game; pyspiel.load_game('python_duel_env_hogwarts(max_rounds=3)')")
    assert (used.returncode, used.stderr) == (0, "")


# ---- values and exploitability --------------------------------------------------------------------------------------------------

TRUNCATED = {
    "two spells, three rounds": {**SMALL, "skills": (60, 50), "max_rounds": 3},
    "two hit points": {**SMALL, "hit_points": 2, "skills": (55, 70), "max_rounds": 2},
    "seizing": {"hit_points": 2, "spells": [STUPEFY, EXPELLIARMUS], "skills": (80, 60), "max_rounds": 3},
    "all spells, one round": {"skills": (60, 60), "hit_points": 2, "max_rounds": 1},
    "dice after the answer": {**SMALL, "spells": [STUPEFY, EXPELLIARMUS, PROTEGO], "riposte_sees_roll": False, "max_rounds": 2},
    "both can fall": {**SMALL, "resolution": "simultaneous", "skills": (90, 40), "max_rounds": 2},
}

Chooser = Callable[[Duel], np.ndarray] | None
"""Probabilities (A,) in a state, or None: whatever is best."""


def value(duel: Duel, choosers: tuple[Chooser, Chooser]) -> float:
    """Value for player 0, by the plainest recursion that there is: the reference for both OpenSpiel and our solver."""

    @cache
    def of(duel: Duel) -> float:
        if duel.is_over:
            return duel.returns()[0]
        if duel.die is not None:
            return sum(chance * of(after(duel, Duel.apply_chance, k)) for k, chance in enumerate(duel.chance_outcomes().tolist()))
        player = duel.current_player
        values = {int(action): of(after(duel, Duel.apply_action, int(action))) for action in duel.legal_actions()}
        if choosers[player] is None:
            return max(values.values()) if player == 0 else min(values.values())
        return sum(choosers[player](duel)[action] * value for action, value in values.items())

    def after(duel: Duel, move: Callable, choice: int) -> Duel:
        copy = duel.copy()
        move(copy, choice)
        return copy

    return of(duel)


class AgentPolicy(open_spiel_policy.Policy):
    """An agent of ours as a policy of OpenSpiel."""

    def __init__(self, game, agent):
        super().__init__(game, list(range(2)))
        self.agent = agent

    def action_probabilities(self, state, player_id=None):
        return {action: self.probabilities(state.duel)[action] for action in state.legal_actions()}

    def probabilities(self, duel: Duel) -> np.ndarray:
        return self.agent.policy(duel.observation(duel.current_player)[None], duel.action_mask()[None])[0]


@pytest.fixture(params=TRUNCATED.values(), ids=TRUNCATED.keys())
def truncated(request):
    return {"first_caster": 0, **request.param}


def test_value_of_perfect_play(truncated):
    game = OpenSpielGame(**truncated)
    duel = game.start.duel
    theirs, _ = minimax.expectiminimax(game.new_initial_state(), game.max_game_length() + 1, None, maximizing_player_id=0)
    ours = solve_truncated(duel.game, duel.sheets, truncated["max_rounds"]).value(FIRST)
    assert theirs == pytest.approx(value(duel, (None, None)), abs=1e-12)
    assert ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("name", ["random", "stupefy", "optimal"])
@pytest.mark.parametrize("key", ["two hit points", "seizing", "both can fall"])
@pytest.mark.parametrize("first_caster", [FIRST, SECOND])
def test_exploitability_of_policies(key, name, first_caster):
    """Those of our agents, which do not know how many rounds are left; the best responses do."""
    settings = {**TRUNCATED[key], "first_caster": first_caster, "max_rounds": 2}
    game = OpenSpielGame(**settings)
    duel = game.start.duel
    agent = make_agent(name, duel.game)
    found = exploitability(duel.game, duel.sheets, policy_table(agent, duel.game, duel.sheets), rounds=2)
    policy = AgentPolicy(game, agent)
    theirs = open_spiel_exploitability.nash_conv(game, policy, return_only_nash_conv=False)
    assert found.by_start[first_caster] == pytest.approx(theirs.nash_conv / 2, abs=1e-12)
    played = policy.probabilities
    best, as_is, worst = (value(duel, pair) for pair in ((None, played), (played, played), (played, None)))
    assert theirs.player_improvements.tolist() == pytest.approx([best - as_is, as_is - worst], abs=1e-12)


def test_exploitability_of_random_play_by_the_compiled_algorithm():
    game = OpenSpielGame(**SMALL, max_rounds=2, skills=(60, 60))
    duel = game.start.duel
    random = make_agent("random", duel.game)
    ours = exploitability(duel.game, duel.sheets, policy_table(random, duel.game, duel.sheets), rounds=2)
    assert ours.mean == pytest.approx(pyspiel.exploitability(game, pyspiel.UniformRandomPolicy(game)), abs=1e-12)
