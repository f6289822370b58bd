"""What the heuristics do in positions that were arranged by playing."""

import numpy as np
import pytest

from agents.registry import agent_names, make_agent
from duel_env.duel import Duel
from duel_env.errors import ConfigError
from duel_env.game import make_game
from tests.helpers import begin, play

SCRIPTED = ("stupefy", "stupefy_strong", "expelliarmus", "greedy", "defender", "controller", "expectimax")


def choice(name: str, duel: Duel) -> str:
    """Id of the action that an agent takes as the current player of a duel."""
    agent = make_agent(name, duel.game)
    observation = duel.observation(duel.current_player)
    action: int = agent.act(observation, duel.action_mask(), np.random.default_rng(0))
    return duel.game.actions[action].id


@pytest.mark.parametrize("name", ["stupefy", "stupefy_strong", "expelliarmus", "spam:levicorpus", "spam:protego"])
def test_spam_always_casts_its_spell(name: str) -> None:
    spell = name.removeprefix("spam:")
    assert choice(name, begin()) == spell
    assert choice(name, play(begin(), "stupefy", 1)) == spell


@pytest.mark.parametrize("name", SCRIPTED)
def test_a_wand_that_can_be_seized_is_seized(name: str) -> None:
    duel = play(begin(), "stupefy", 100, "expelliarmus", 1)
    assert choice(name, duel) == "seize_wand"


@pytest.mark.parametrize("name", SCRIPTED)
def test_a_lost_wand_is_retrieved(name: str) -> None:
    duel = play(begin(), "expelliarmus", 1, "stupefy")
    assert duel.current_player == 1
    assert choice(name, duel) == "retrieve_wand"


@pytest.mark.parametrize("name", SCRIPTED)
def test_a_petrified_duelist_passes(name: str) -> None:
    duel = play(begin(), "stupefy", 100, "petrificus_totalus", 1)
    play(duel, "stupefy", 100)
    assert choice(name, duel) == "pass"


def test_greedy_weighs_chance_against_damage() -> None:
    # Skill 60: 0.6 x 1 against 0.5 x 2. Skill 15: 0.15 x 1 against 0.05 x 2.
    assert choice("greedy", begin((60, 60))) == "stupefy_strong"
    assert choice("greedy", begin((15, 60))) == "stupefy"


def test_greedy_does_not_pay_for_damage_beyond_the_last_hit_point() -> None:
    assert choice("greedy", begin((60, 60), hit_points=1)) == "stupefy"


def test_the_defender_blocks_what_would_hurt_and_nothing_else() -> None:
    assert choice("defender", begin()) == "stupefy_strong", "nothing to block yet"
    for spell in ("stupefy", "stupefy_strong", "expelliarmus", "petrificus_totalus", "levicorpus"):
        assert choice("defender", play(begin(), spell, 1)) == "protego", spell
        assert choice("defender", play(begin(), spell, 100)) == "stupefy_strong", f"a missed {spell} needs no block"
    assert choice("defender", play(begin(), "protego", 1)) == "stupefy_strong"


def test_the_defender_blocks_a_spell_whose_die_is_still_to_come() -> None:
    assert choice("defender", play(begin(riposte_sees_roll=False), "stupefy")) == "protego"


def test_the_defender_takes_the_likeliest_block_and_attacks_without_any() -> None:
    spells = [
        {"id": "bolt", "en": "Bolt", "fr": "Éclair", "penalty": 0, "damage": 1},
        {"id": "poor_shield", "en": "Poor shield", "fr": "Bouclier", "penalty": 30, "block": True},
        {"id": "good_shield", "en": "Good shield", "fr": "Bouclier", "penalty": 10, "block": True},
    ]
    assert choice("defender", play(begin(spells=spells), "bolt", 1)) == "good_shield"
    assert choice("defender", play(begin(spells=spells[:1]), "bolt", 1)) == "bolt"
    assert choice("defender", play(begin((60, 10), spells=spells), "bolt", 1)) == "bolt", "a block without a chance is none"


def test_the_controller_disarms_when_that_wins_and_strikes_the_helpless() -> None:
    answering = play(begin(), "stupefy", 100)
    assert choice("controller", answering) == "expelliarmus", "the wand could be seized next"
    weak = play(begin(hit_points=2), "stupefy", 100)
    assert choice("controller", weak) == "stupefy_strong", "two hit points are nearer than a wand"
    bound = play(begin((90, 90)), "stupefy", 100, "petrificus_totalus", 1)
    assert choice("controller", bound) == "stupefy_strong", "the other is petrified already"


def test_the_controller_petrifies_an_opponent_who_hits_harder() -> None:
    # At 60 against 100 a turn of the opponent is worth 1.8 hit points, and Petrificus succeeds on 40 per cent.
    spells = [
        {"id": "bolt", "en": "Bolt", "fr": "Éclair", "penalty": 0, "damage": 1},
        {"id": "petrify", "en": "Petrify", "fr": "Pétrifier", "penalty": 10, "petrify": True},
    ]
    assert choice("controller", begin((60, 100), spells=spells)) == "bolt"
    assert choice("controller", begin((30, 60), spells=[{**spells[0]}, {**spells[1], "penalty": -50}])) == "petrify"


def test_the_controller_takes_a_hidden_opponent_for_an_equal() -> None:
    seen, hidden = begin(), begin(observe_opponent_skill=False)
    for duel in (seen, hidden):
        play(duel, "stupefy", 100)
    assert choice("controller", seen) == choice("controller", hidden)


def test_spells_without_damage_are_used_by_chance() -> None:
    spells = [
        {"id": "shield", "en": "Shield", "fr": "Bouclier", "penalty": 0, "block": True},
        {"id": "hex", "en": "Hex", "fr": "Maléfice", "penalty": 20, "hex": True},
        {"id": "disarm", "en": "Disarm", "fr": "Désarmer", "penalty": 30, "disarm": True},
    ]
    assert choice("greedy", begin(spells=spells)) == "hex"
    assert choice("defender", begin(spells=spells)) == "hex"


def test_names_follow_the_list_of_spells() -> None:
    names = {known.name for known in agent_names(make_game("hogwarts"))}
    assert names == {"random", "optimal", *SCRIPTED}
    bolt = {"id": "bolt", "en": "Bolt", "fr": "Éclair", "penalty": 0, "damage": 1}
    names = {known.name for known in agent_names(make_game("hogwarts", {"spells": [bolt]}))}
    assert names == {"random", "greedy", "defender", "controller", "expectimax", "optimal"}


def test_an_unknown_spell_is_named_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match=r"no spell 'retrieve_wand'; they have stupefy, stupefy_strong, .*protego"):
        make_agent("spam:retrieve_wand", make_game("hogwarts"))
