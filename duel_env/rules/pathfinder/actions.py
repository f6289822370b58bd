"""The action ids: three groups with one action for each spell of the book, then choices within a spell, then general actions.

The numbering depends on the book alone, so that one policy plays every sheet. S is the number of spells.

| ids | group | at |
| --- | --- | --- |
| 0 .. S-1 | cast a spell | own turn |
| S .. 2S-1 | cast it quickened | own turn |
| 2S .. 3S-1 | spend it on a counter; name it where a spell asks for one | reaction, readied counterspell, choice |
| 3S .. | choose; general | |
"""

from typing import Final

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.codes import ENERGIES, GRANTED_ACTIONS
from duel_env.rules.pathfinder.state import NUM_PICKS

NUM_OPTIONS: Final = 4

_ENERGY_NAMES = {
    "acid": ("acid", "acide"),
    "cold": ("cold", "froid"),
    "electricity": ("electricity", "électricité"),
    "fire": ("fire", "feu"),
    "sonic": ("sound", "son"),
}
_ABILITY_NAMES = (
    ("str", "Strength", "Force"),
    ("dex", "Dexterity", "Dextérité"),
    ("con", "Constitution", "Constitution"),
    ("int", "Intelligence", "Intelligence"),
    ("wis", "Wisdom", "Sagesse"),
    ("cha", "Charisma", "Charisme"),
)
_GRANTED_NAMES = {
    "hurl_flame": ("Hurl the flame", "Lancer la flamme"),
    "direct_sphere": ("Direct the flaming sphere", "Diriger la sphère enflammée"),
    "direct_globes": ("Direct the ball lightning", "Diriger la foudre en boule"),
    "eyebite_again": ("Eyebite again", "Mauvais œil, encore"),
    "sunbeam": ("Fire a sunbeam", "Lancer un rayon de soleil"),
    "call_bolt": ("Call a bolt", "Appeler un éclair"),
}

CHOICES: Final = (
    *((f"slot_{level}", f"Use a slot of level {level}", f"Utiliser un emplacement de niveau {level}") for level in range(1, 10)),
    *((f"option_{number}", f"Option {number} of the spell", f"Option {number} du sort") for number in range(1, NUM_OPTIONS + 1)),
    *((f"energy_{name}", f"Energy: {en}", f"Énergie : {fr}") for name, (en, fr) in _ENERGY_NAMES.items()),
    *((f"ability_{name}", f"Ability: {en}", f"Caractéristique : {fr}") for name, en, fr in _ABILITY_NAMES),
    ("target_self", "Target oneself", "Se prendre pour cible"),
    ("target_opponent", "Target the opponent", "Prendre l'adversaire pour cible"),
    ("pick_strongest", "The strongest spell first", "Le sort le plus puissant d'abord"),
    *(
        (f"pick_{number}", f"Spell in effect, number {number}", f"Sort actif numéro {number}")
        for number in range(1, NUM_PICKS + 1)
    ),
)
"""Id, English and French name of the choices within a spell, in the order of their actions."""

GENERAL: Final = (
    ("end_turn", "End the turn", "Finir son tour"),
    ("withdraw", "Withdraw from the duel", "Se retirer du duel"),
    ("pass", "Let it pass", "Laisser faire"),
    ("bluff", "Stare down: Bluff", "Face à face : Bluff"),
    ("intimidate", "Stare down: Intimidate", "Face à face : Intimidation"),
    ("sense_motive", "Stare down: Sense Motive", "Face à face : Psychologie"),
    ("ready_counterspell", "Ready a counterspell", "Préparer un contresort"),
    ("back_off", "Move away", "S'éloigner"),
    ("stand_up", "Stand up", "Se relever"),
    ("leave_zone", "Leave the area", "Sortir de la zone"),
    ("escape", "Break free", "Se libérer"),
    ("ward_off_omen", "Ward off the ill omen", "Conjurer le mauvais présage"),
    ("dismiss", "Dismiss an own spell", "Mettre fin à un de ses sorts"),
    ("touch", "Touch with the held charge", "Toucher avec la charge retenue"),
    ("concentrate", "Keep concentrating", "Rester concentré"),
    *((name, *_GRANTED_NAMES[name]) for name in GRANTED_ACTIONS),
)
"""Id, English and French name of the general actions, in the order of their actions."""

_SLOT_CHOICE, _OPTION_CHOICE = 0, 9
_ENERGY_CHOICE = _OPTION_CHOICE + NUM_OPTIONS
_ABILITY_CHOICE = _ENERGY_CHOICE + len(ENERGIES)
_TARGET_CHOICE = _ABILITY_CHOICE + 6
_PICK_CHOICE = _TARGET_CHOICE + 2
_NUM_CHOICES = len(CHOICES)
(
    END_TURN,
    WITHDRAW,
    PASS,
    BLUFF,
    INTIMIDATE,
    SENSE_MOTIVE,
    READY_COUNTERSPELL,
    BACK_OFF,
    STAND_UP,
    LEAVE_ZONE,
    ESCAPE,
    WARD_OFF_OMEN,
    DISMISS,
    TOUCH,
    CONCENTRATE,
) = range(15)
"""Numbers of the general actions within their group; those that effects grant follow."""
FIRST_GRANTED = 15
_NUM_GENERAL = len(GENERAL)


CAST, QUICKEN, SPEND, CHOOSE, GENERAL_GROUP = range(5)


@kernel
def num_actions(rules):
    """Number of actions A."""
    return 3 * np.int64(rules["num_spells"]) + _NUM_CHOICES + _NUM_GENERAL


@kernel
def group_of(rules, action):
    """CAST, QUICKEN, SPEND, CHOOSE or GENERAL_GROUP of an action 0..A-1."""
    return min(action // np.int64(rules["num_spells"]), 3) if action < first_general(rules) else GENERAL_GROUP


@kernel
def spell_of(rules, action):
    """The spell of an action of the first three groups."""
    return action % np.int64(rules["num_spells"])


@kernel
def cast_action(rules, spell):
    """Cast a spell."""
    return np.int64(spell)


@kernel
def quicken_action(rules, spell):
    """Cast a spell quickened."""
    return np.int64(rules["num_spells"]) + spell


@kernel
def spend_action(rules, spell):
    """Spend a spell on a counter, or name it."""
    return 2 * np.int64(rules["num_spells"]) + spell


@kernel
def first_choice(rules):
    """The first of the choices within a spell."""
    return 3 * np.int64(rules["num_spells"])


@kernel
def first_general(rules):
    """The first general action."""
    return first_choice(rules) + _NUM_CHOICES


@kernel
def general_action(rules, number):
    """A general action by its number in the group."""
    return first_general(rules) + number


@kernel
def slot_choice(rules, level):
    """Choose the slot level, 1 to 9."""
    return first_choice(rules) + _SLOT_CHOICE + level - 1


@kernel
def option_choice(rules, option):
    """Choose an option of a spell, from 0."""
    return first_choice(rules) + _OPTION_CHOICE + option


@kernel
def energy_choice(rules, energy):
    """Choose an energy."""
    return first_choice(rules) + _ENERGY_CHOICE + energy


@kernel
def ability_choice(rules, ability):
    """Choose an ability."""
    return first_choice(rules) + _ABILITY_CHOICE + ability


@kernel
def target_choice(rules, opponent):
    """Choose the target: 0 oneself, 1 the opponent."""
    return first_choice(rules) + _TARGET_CHOICE + opponent


@kernel
def pick_choice(rules, pick):
    """Choose a spell in effect, from 0; -1: the strongest."""
    return first_choice(rules) + _PICK_CHOICE + 1 + pick
