"""Agents by name and by path."""

from pathlib import Path

import pytest

from agents import registry
from agents.base import Agent
from agents.network import NetworkAgent, save_policy
from agents.random_agent import RandomAgent
from agents.registry import agent_names, make_agent, register_loader, split_mode
from duel_env.errors import ConfigError, SchemaError
from duel_env.game import Game, make_game
from duel_env.opponents import resolve_opponent
from tests.agents.positions import random_network


@pytest.fixture(autouse=True)
def _without_loaders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_loaders", {})


@pytest.fixture
def run_folder(game: Game, tmp_path: Path) -> Path:
    save_policy(tmp_path / "run" / "policy.safetensors", random_network(game), game, {})
    return tmp_path / "run"


def test_every_name_makes_an_agent_of_that_name(game: Game) -> None:
    for known in agent_names(game):
        assert make_agent(known.name, game).name == known.name
        assert known.en
        assert known.fr


def test_folders_and_files_make_network_agents(game: Game, run_folder: Path) -> None:
    for spec in (str(run_folder), str(run_folder / "policy.safetensors")):
        for suffix, greedy in (("", True), (":greedy", True), (":sample", False)):
            agent = make_agent(spec + suffix, game)
            assert isinstance(agent, NetworkAgent)
            assert agent.greedy is greedy
            assert agent.name == spec + suffix


def test_policies_are_sampled_by_default_where_something_is_hidden(tmp_path: Path) -> None:
    game = make_game("hogwarts", {"observe_opponent_skill": False})
    save_policy(tmp_path / "policy.safetensors", random_network(game), game, {})
    agent = make_agent(str(tmp_path), game)
    assert isinstance(agent, NetworkAgent)
    assert agent.greedy is False


def test_a_mode_is_split_from_a_path_only_if_it_is_one() -> None:
    assert split_mode("runs/a:sample") == ("runs/a", "sample")
    assert split_mode("C:/runs/a") == ("C:/runs/a", None)
    assert split_mode("runs/a") == ("runs/a", None)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("expectimx", r"unknown agent 'expectimx' \(did you mean expectimax\?\); expected random, .*spam:SPELL"),
        ("", "unknown agent ''"),
        ("random:greedy", "unknown agent"),
        ("x" * 5000, "unknown agent"),
        ("a\0b", "unknown agent"),
        ("spam:", "no spell ''"),
        ("spam:fireball", "no spell 'fireball'; they have stupefy"),
        ("nowhere.safetensors", "there is no file nowhere.safetensors"),
        ("model.zip", r"needs the extra 'train': pip install 'duel-env\[train\]'"),
    ],
)
def test_what_is_no_agent_is_refused_with_what_is(game: Game, spec: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_agent(spec, game)


def test_a_folder_without_a_policy_is_refused(game: Game, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"holds no policy\.safetensors"):
        make_agent(str(tmp_path), game)


def test_a_policy_for_other_rules_is_refused(run_folder: Path) -> None:
    with pytest.raises(SchemaError, match="hit_points"):
        make_agent(str(run_folder), make_game("hogwarts", {"hit_points": 3}))


def test_other_programs_can_register_other_files(game: Game) -> None:
    asked: list[Path] = []

    def read(path: Path, for_game: Game) -> Agent:
        asked.append(path)
        return RandomAgent(for_game, "foreign")

    register_loader(".zip", read)
    assert make_agent("some/model.zip", game).name == "foreign"
    assert asked == [Path("some/model.zip")]


def test_environments_find_agents_by_name(game: Game) -> None:
    opponent = resolve_opponent("expectimax", game)
    assert isinstance(opponent, Agent)
    with pytest.raises(ConfigError, match="unknown agent"):
        resolve_opponent("nobody", game)
