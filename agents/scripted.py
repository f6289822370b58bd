"""Heuristics that people would play, as scores of the actions: the best legal action is played, the first among equals.

Each heuristic is a function of what a player sees, written for any list of spells. All of them seize a wand whenever they
can, since that wins at once, and retrieve their own or pass when the rules leave nothing else.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent, best_legal, check_positions, one_hot
from duel_env.errors import ConfigError
from duel_env.game import Game

SPAM_PREFIX: Final = "spam:"
SEIZE: Final = "seize_wand"

_TIE_BREAK = 1e-6  # below the worth of one hit point at a chance of one per cent
_PRIORITY = 1e9  # times any chance, which is at least 0.01, it is above any damage, which is at most 10,000
_SEIZE_SCORE = 1e12

Scores = NDArray[np.float64]
"""(B, A); higher is better. Illegal actions may have any finite score."""


def _spells(game: Game) -> tuple[Any, ...]:
    """The game's spells, in the order of its actions; none in a ruleset that is about something else."""
    spells: tuple[Any, ...] = getattr(game.options, "spells", ())
    return spells if all(hasattr(spell, "disarm") for spell in spells) else ()


class Glossary:
    """What the heuristics need to know of a game: where each feature is, and the spells as arrays over all actions.

    Attributes:
        game: the game.
        index: name of a feature -> its index in the observation.
        damage: float64 (A,), 0 for actions that are no spells; so below.
        disarm, petrify, hex, block: bool (A,).
        harms: bool (A,), whether the spell does anything to the opponent.
    """

    def __init__(self, game: Game) -> None:
        spells = _spells(game)
        if not spells:
            raise ConfigError(f"scripted agents need a list of duelling spells; the ruleset {game.ruleset.name!r} has none")

        def flags(name: str) -> NDArray[np.bool_]:
            return np.array([getattr(spell, name) for spell in spells] + [False] * (game.num_actions - len(spells)))

        self.game = game
        self.index = {feature.name: number for number, feature in enumerate(game.layout)}
        self.damage = np.zeros(game.num_actions)
        self.damage[: len(spells)] = [spell.damage for spell in spells]
        self.disarm, self.petrify, self.hex, self.block = flags("disarm"), flags("petrify"), flags("hex"), flags("block")
        self.harms = (self.damage > 0) | self.disarm | self.petrify | self.hex


class Positions:
    """A batch of observations, read by the names of the game's layout."""

    def __init__(self, glossary: Glossary, observation: NDArray[np.float32]) -> None:
        self.spells = glossary
        self.game = glossary.game
        self._observation = observation
        self._skills_are_public = glossary.game.ruleset.perfect_information(glossary.game.options)

    def __len__(self) -> int:
        return len(self._observation)

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """The feature of that name, (B,)."""
        column: NDArray[np.float64] = self._observation[:, self.spells.index[name]].astype(np.float64)
        return column

    def per_action(self, prefix: str) -> Scores:
        """The features called `prefix` + action id, (B, A); 0 for actions without such a feature."""
        columns: Scores = np.zeros((len(self), self.game.num_actions))
        for number, action in enumerate(self.game.actions):
            if prefix + action.id in self.spells.index:
                columns[:, number] = self[prefix + action.id]
        return columns

    @property
    def chance(self) -> Scores:
        """Chance of success of each spell, as the observer casts it, (B, A)."""
        return self.per_action("own_chance_")

    @property
    def opponent_chance(self) -> Scores:
        """The same of the opponent, (B, A), who is taken to be as skilled as the observer where the rules hide it."""
        return self.per_action("opponent_chance_") if self._skills_are_public else self.chance

    @property
    def opponent_hit_points(self) -> NDArray[np.float64]:
        """Hit points that the opponent has left, (B,)."""
        options: Any = self.game.options
        hit_points: NDArray[np.float64] = np.rint(self["opponent_hit_points"] * options.hit_points)
        return hit_points

    def has_wand(self, who: str) -> NDArray[np.bool_]:
        """Whether `own` or `opponent` holds the wand, (B,)."""
        held: NDArray[np.bool_] = (self[f"{who}_wand_lost_to_disarm"] == 0) & (self[f"{who}_wand_lost_to_hex"] == 0)
        return held


# ---- the heuristics -----------------------------------------------------------------------------------------------------------


def spam(positions: Positions, spell: int) -> Scores:
    """Always the same spell."""
    return np.tile(np.arange(positions.game.num_actions) == spell, (len(positions), 1)).astype(np.float64)


def greedy(positions: Positions) -> Scores:
    """The most damage to be expected now: chance x damage, where damage beyond the hit points that are left counts for nothing.

    Among spells without damage, the likeliest one that does something to the opponent.
    """
    spells, chance = positions.spells, positions.chance
    damage = np.minimum(spells.damage, positions.opponent_hit_points[:, None])
    scores: Scores = chance * (damage + _TIE_BREAK * spells.harms)
    return scores


def defender(positions: Positions) -> Scores:
    """Answers what would hurt with the likeliest blocking spell, and attacks otherwise, as `greedy` does.

    A spell of the first caster would hurt when it has an effect and is known to have succeeded, or has not been rolled yet. A
    known miss leaves the answer free for an attack.
    """
    attack = greedy(positions)
    cast = positions.per_action("first_action_") > 0
    threatened = (cast & positions.spells.harms).any(axis=1)
    threatened &= (positions["acts_first"] == 0) & (positions["first_roll_missed"] == 0)
    block: Scores = threatened[:, None] * positions.chance * positions.spells.block
    scores: Scores = attack + _PRIORITY * block
    return scores


def controller(positions: Positions) -> Scores:
    """Takes turns away from the opponent where that is worth more than hit points, and strikes otherwise, as `greedy` does.

    A turn is worth the damage that the opponent would be expected to do in it. None is taken when the wand is lost or the
    next turn is gone already. A disarmed opponent loses the turn of taking the wand back, and the riposte too when it was
    still to come; an opponent who has had the riposte loses the duel, since the wand can be seized before its owner moves
    again.
    """
    spells, acts_first = positions.spells, positions["acts_first"] == 1
    opponent_chance = positions.opponent_chance
    worth = np.max(opponent_chance * spells.damage, axis=1)
    is_free = positions.has_wand("opponent") & (positions["opponent_petrified_next"] == 0)
    riposte_to_come = acts_first & (positions["opponent_petrified"] == 0)
    to_disarm = np.where(acts_first, (1 + riposte_to_come) * worth, positions.opponent_hit_points)
    to_hex = np.where(positions["opponent_hexed"] == 0, 1 - np.max(opponent_chance, axis=1), 0.0) * worth
    gain = spells.disarm * to_disarm[:, None] + spells.petrify * worth[:, None] + spells.hex * to_hex[:, None]
    scores: Scores = greedy(positions) + positions.chance * gain * is_free[:, None]
    return scores


class Script(NamedTuple):
    """A heuristic with its idea in one line, in English and French."""

    scores: Callable[[Positions], Scores]
    en: str
    fr: str


SCRIPTS: Final = {
    "greedy": Script(greedy, "the most damage to be expected now", "le plus de dégâts espérés tout de suite"),
    "defender": Script(
        defender,
        "blocks what would hurt, attacks otherwise",
        "bloque ce qui ferait mal, attaque sinon",
    ),
    "controller": Script(
        controller,
        "takes the opponent's turns away, then strikes",
        "prive l'adversaire de ses tours, puis frappe",
    ),
}


class ScriptedAgent(Agent):
    """Plays the best legal action by the scores of a heuristic, with certainty."""

    def __init__(self, game: Game, name: str, scores: Callable[[Positions], Scores]) -> None:
        """Make the agent.

        Args:
            game: the rules.
            name: of the agent.
            scores: the heuristic.

        Raises:
            ConfigError: the ruleset has no spells of the kind that the heuristics are about.
        """
        self.game = game
        self.name = name
        self._glossary = Glossary(game)
        self._scores = scores

    def policy(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:  # noqa: D102
        seen, legal = check_positions(self.game, observation, action_mask)
        scores = self._scores(Positions(self._glossary, seen))
        scores[:, self.game.action_number(SEIZE)] = _SEIZE_SCORE
        return one_hot(best_legal(scores, legal), self.game.num_actions)


def spell_ids(game: Game) -> tuple[str, ...]:
    """Ids of the game's spells, in the order of its list; none in a ruleset that the heuristics are not about."""
    return tuple(spell.id for spell in _spells(game))


def spam_agent(game: Game, spell: str, name: str) -> ScriptedAgent:
    """The agent that always casts `spell`, the id of one of the game's spells.

    Raises:
        ConfigError: the game has no such spell; the message lists those it has.
    """
    ids = spell_ids(game)
    if spell not in ids:
        raise ConfigError(f"{SPAM_PREFIX}{spell}: these rules have no spell {spell!r}; they have {', '.join(ids)}")
    return ScriptedAgent(game, name, partial(spam, spell=game.action_number(spell)))
