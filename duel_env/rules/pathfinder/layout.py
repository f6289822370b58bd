"""What each index of an observation of the spell duel means; `observation` writes the values."""

from typing import Final

from duel_env.observation import Feature
from duel_env.rules.pathfinder.codes import CLASSES, CONDITIONS
from duel_env.rules.pathfinder.state import NUM_SLOT_LEVELS

OBSERVATION_VERSION: Final = 1

_NUM_CLASSES = len(CLASSES)
_PHASES: Final = ("stare_down", "turn", "choice", "readied", "reaction")
_CHOICES: Final = ("slot", "option", "energy", "ability", "target", "effect", "spells", "dismissed")
NUM_PHASES: Final = len(_PHASES)
PHASE_SIZE: Final = NUM_PHASES + len(_CHOICES)
SITUATION_SIZE: Final = 14
BODY_SIZE: Final = 16


def _situation() -> list[tuple[str, str]]:
    return [
        ("round", "rounds begun, as a share of the most that are played"),
        ("own_turn", "1: it is the own turn"),
        ("first_decision", "1: nothing was done yet in this turn"),
        ("standard_used", "1: the standard action of the turn that is under way is used"),
        ("move_used", "1: its move action is used"),
        ("swift_used", "1: its swift action is used"),
        ("turn_lost", "1: no more actions in it"),
        ("near", "1: within reach, since nobody moved away after an approach"),
        ("casting_own", "1: an own spell is being cast"),
        ("casting_theirs", "1: the opponent is casting"),
        ("casting_identified", "1: and it is identified"),
        ("casting_level", "level of the spell that is being cast, as a share of 9; 0 while it is not identified"),
        ("casting_quickened", "1: it is cast quickened"),
        ("casting_slot", "slot level of the own casting, as a share of 9"),
    ]


def _body() -> list[tuple[str, str]]:
    return [
        (
            "hit_points",
            "hit points left, as a share of those at the start; of the opponent in quarters unless the terms show them",
        ),
        ("nonlethal", "nonlethal damage, as a share of the hit points at the start; of the opponent in quarters"),
        ("temp_hit_points", "temporary hit points, as a share of 100; 0 of the opponent"),
        ("negative_levels", "negative levels, as a share of 20"),
        ("ability_damage", "ability damage and drain in all, as a share of 30; 0 of the opponent"),
        ("images", "images around the duelist, as a share of 8"),
        ("zone_moves", "moves that it takes to leave the areas around, as a share of 6"),
        ("counter_used", "1: the dueling counter of this round is used"),
        ("immediate_spent", "1: the swift action of the coming turn is gone"),
        ("readied", "1: a counterspell is readied; 0 of the opponent"),
        ("casts_a_round", "1: is in the middle of a casting of one round"),
        ("concentrates", "1: keeps up a spell by concentration"),
        ("held_charges", "1: holds the charge of a touch spell"),
        ("extra_turns", "turns in stopped time to come, as a share of 5"),
        ("time_stopped", "1: acts in stopped time"),
        ("confused_roll", "last roll for confusion, as a share of 100"),
    ]


def layout(spell_ids: tuple[str, ...], recall: bool) -> tuple[Feature, ...]:
    """One row per index of the observation, from the perspective of the player who looks."""
    features = [Feature(name, 0.0, 1.0, meaning) for name, meaning in _situation()]
    features += [Feature(f"decides_{name}", 0.0, 1.0, "1: the decision is of this kind") for name in _PHASES]
    features += [Feature(f"chooses_{name}", 0.0, 1.0, "1: the choice in a spell is about this") for name in _CHOICES]
    for who in ("own", "opponent"):
        features += [Feature(f"{who}_{name}", 0.0, 1.0, meaning) for name, meaning in _body()]
        features += [Feature(f"{who}_is_{name}", 0.0, 1.0, "1: has this condition") for name in CONDITIONS]
    features += [Feature(f"own_slots_{level}", 0.0, 1.0, "slots left, as a share of 9") for level in range(NUM_SLOT_LEVELS)]
    features.append(Feature("own_staff_charges", 0.0, 1.0, "charges of the staff, as a share of 10"))
    features.append(Feature("own_bonded_object", 0.0, 1.0, "1: the bonded object can still cast"))
    for block, high, meaning in (
        ("casting", 1.0, "1: this spell is being cast; all 0 while it is not identified"),
        ("available", 1.0, "own castings left of this spell, as a share of 4; 1: at will, or known with a slot left"),
        ("available_quickened", 1.0, "the same, quickened"),
        ("own_effect", 1.0, "rounds left of this spell on oneself, as a share of 50"),
        (
            "opponent_effect",
            1.0,
            "this spell is in force on the opponent: rounds left as a share of 50 if it is an own one, else 1",
        ),
    ):
        features += [Feature(f"{block}_{spell}", 0.0, high, meaning) for spell in spell_ids]
    if recall:
        note = "castings of this spell by the opponent that were recognised, as a share of 4"
        features += [Feature(f"opponent_seen_{spell}", 0.0, 1.0, note) for spell in spell_ids]
        note = "castings of this level by the opponent that were recognised, as a share of 9"
        features += [Feature(f"opponent_spent_{level}", 0.0, 1.0, note) for level in range(NUM_SLOT_LEVELS)]
        note = "castings by the opponent that were not recognised, as a share of 10"
        features.append(Feature("opponent_unknown_castings", 0.0, 1.0, note))
        features += [
            Feature(f"{who}_counters", 0.0, 1.0, "counters tried so far, as a share of 10") for who in ("own", "opponent")
        ]
    for who, note in (("own", ""), ("opponent", "; 0 when the terms hide it")):
        features += [Feature(f"{who}_class_{name}", 0.0, 1.0, "1: is of this class" + note) for name in CLASSES]
        features.append(Feature(f"{who}_level", 0.0, 1.0, "class level, as a share of 20" + note))
    features += [
        Feature("own_max_hit_points", 0.0, 1.0, "hit points at the start, as a share of 250"),
        Feature("own_casting_score", 0.0, 1.0, "score of the casting ability, as a share of 40"),
        Feature("own_base_attack", 0.0, 1.0, "base attack bonus, as a share of 20"),
        *(
            Feature(f"own_base_{save}", 0.0, 1.0, "save bonus without ability, as a share of 20")
            for save in ("fort", "ref", "will")
        ),
        Feature("own_spellcraft", 0.0, 1.0, "Spellcraft bonus without ability, as a share of 40"),
        Feature("own_penetration", 0.0, 1.0, "bonus against spell resistance, as a share of 10"),
    ]
    return tuple(features)


SHEETS_SIZE: Final = 2 * (_NUM_CLASSES + 1) + 8
MEANS_SIZE: Final = NUM_SLOT_LEVELS + 2
