"""Agents by name: what configurations, the command line and `opponent=...` of the environments accept.

    NAME          one of `agent_names`
    spam:SPELL    always that spell of the game's list
    quantal:T     perfect play with mistakes at a temperature, see `evaluation.exact.agents`
    PATH[:MODE]   a trained policy: a run folder that holds a policy.safetensors, or such a file itself
    PATH.zip      a model of Stable-Baselines3, in programs that registered a loader for it, as the command `duel` does

MODE is `greedy`, the policy's most likely action, or `sample`, by its probabilities. If it is left out, the policy is greedy
where both players see everything, and sampled elsewhere.
"""

import difflib
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final, NamedTuple

from agents.base import Agent
from agents.lookahead import RULESETS as RULESETS_WITH_ESTIMATE
from agents.lookahead import ExpectimaxAgent
from agents.network import NetworkAgent, load_policy
from agents.random_agent import RandomAgent
from agents.scripted import SCRIPTS, SPAM_PREFIX, ScriptedAgent, spam_agent, spell_ids
from duel_env.errors import ConfigError
from duel_env.game import Game
from duel_env.opponents import ENTRY_POINT_GROUP

POLICY_FILE: Final = "policy.safetensors"
"""The trained policy in a run folder."""
MODES: Final = ("greedy", "sample")

_SPAM_ALIASES = ("stupefy", "stupefy_strong", "expelliarmus")


class UnknownAgentError(ConfigError):
    """A name that is not among those that a maker of agents knows: another one may know it."""


class AgentName(NamedTuple):
    """An agent that has a name, and its idea in one line."""

    name: str
    en: str
    fr: str


Loader = Callable[[Path, Game], Agent]

_loaders: dict[str, Loader] = {}


def register_loader(suffix: str, loader: Loader) -> None:
    """Let `make_agent` read a kind of file that this package cannot, such as models of other libraries.

    A program that has Stable-Baselines3 calls `register_loader(".zip", load)` once at its start; from then on
    `make_agent("model.zip", game)` returns `load(Path("model.zip"), game)`.

    Args:
        suffix: of the files, with its dot.
        loader: makes the agent; it raises a `DuelError` for a file that it does not accept.
    """
    _loaders[suffix] = loader


def agent_names(game: Game) -> tuple[AgentName, ...]:
    """The named agents that can play a game, those that other packages offer through an entry point included.

    An entry point may have, besides being called with (name, game), a function `names` from a game to some AgentName.
    """
    names = list(_own_names(game))
    for family in _families().values():
        if hasattr(family, "names"):
            names += family.names(game)
    return tuple(names)


@cache
def _families() -> dict[str, Any]:
    """What makes agents elsewhere, by the name of its entry point."""
    entries = entry_points(group=ENTRY_POINT_GROUP)
    return {entry.name: entry.load() for entry in entries if entry.module != __name__}


def _own_names(game: Game) -> tuple[AgentName, ...]:
    names = [AgentName("random", "uniform over the legal actions", "au hasard parmi les actions permises")]
    spells = spell_ids(game)
    for spell in _SPAM_ALIASES:
        if spell in spells:
            action = game.actions[game.action_number(spell)]
            names.append(AgentName(spell, f"always {action.en}", f"toujours {action.fr}"))
    if spells:
        names += [AgentName(name, script.en, script.fr) for name, script in SCRIPTS.items()]
    if game.ruleset.name in RULESETS_WITH_ESTIMATE:
        names.append(
            AgentName(
                "expectimax",
                "tries every action and weighs the dice up to the next decision",
                "essaie chaque action et pèse les dés jusqu'à la décision suivante",
            )
        )
    return tuple(names)


def make_agent(spec: str, game: Game) -> Agent:
    """The agent that a text names; see the top of this module for what is accepted.

    Args:
        spec: a name, or the path of a policy.
        game: what it is to play.

    Raises:
        ConfigError: there is no such agent; the message lists those there are.
        SchemaError: a policy file that is damaged, or was made for other rules.
    """
    if spec in [known.name for known in _own_names(game)]:
        return _named_agent(spec, game)
    if spec.startswith(SPAM_PREFIX):
        return spam_agent(game, spec.removeprefix(SPAM_PREFIX), spec)
    place, mode = split_mode(spec)
    path = policy_path(place)
    if path is not None:
        greedy = game.ruleset.perfect_information(game.options) if mode is None else mode == "greedy"
        return NetworkAgent(load_policy(path, game), game, greedy, spec)
    suffix = Path(spec).suffix
    if suffix in _loaders:
        return _loaders[suffix](Path(spec), game)
    if suffix == ".zip":
        raise ConfigError(f"{spec}: reading models of Stable-Baselines3 needs the extra 'train': pip install 'duel-env[train]'")
    for family in _families().values():
        with suppress(UnknownAgentError):
            made: Agent = family(spec, game)
            return made
    names = [known.name for known in agent_names(game)]
    near = difflib.get_close_matches(spec, names, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise UnknownAgentError(
        f"unknown agent {spec!r}{hint}; expected {', '.join(names)}, {SPAM_PREFIX}SPELL, quantal:T,"
        f" or the path of a .safetensors policy or of a run folder that holds a {POLICY_FILE}"
    )


def policy_path(place: str) -> Path | None:
    """The policy file that a path means: the file itself, or the one in a run folder; None if the text is no path of a policy.

    Raises:
        ConfigError: a folder without a policy, or a .safetensors file that is not there.
    """
    # os.path answers False to any text, where Path raises for some that cannot be names of files.
    path = Path(place)
    if place and os.path.isdir(path):
        if not os.path.isfile(path / POLICY_FILE):
            raise ConfigError(f"the folder {path} holds no {POLICY_FILE}")
        return path / POLICY_FILE
    if path.suffix != ".safetensors":
        return None
    if not os.path.isfile(path):
        raise ConfigError(f"there is no file {path}")
    return path


def split_mode(spec: str) -> tuple[str, str | None]:
    """A text as path and mode: `runs/a:sample` -> ("runs/a", "sample"); without a mode, None."""
    place, colon, mode = spec.rpartition(":")
    return (place, mode) if colon and mode in MODES else (spec, None)


def _named_agent(name: str, game: Game) -> Agent:
    if name == "random":
        return RandomAgent(game)
    if name == "expectimax":
        return ExpectimaxAgent(game)
    if name in SCRIPTS:
        return ScriptedAgent(game, name, SCRIPTS[name].scores)
    return spam_agent(game, name, name)
