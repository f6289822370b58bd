"""Every term of a spell duel changes what it is about, and only that."""

import numpy as np
import pytest

from duel_env.rules.pathfinder.state import (
    BY_DEFEAT,
    BY_JUDGEMENT,
    BY_ROUND_LIMIT,
    REACTION,
    RUNNING,
    STARE_DOWN,
)
from duel_env.rules.pathfinder.terms import DuelTerms
from tests.rules.pathfinder.fights import Fight, game, make_sheet

CASTER = ("fireball", "shield", "mage_armor", "invisibility", "quickened mage_armor")
ANSWERER = ("fireball", "haste", "dispel_magic", "greater_dispel_magic", "quickened shield")


def duel(first=CASTER, second=ANSWERER, *, ready=True, **settings):
    """A duel in which the second can answer from the first turn on."""
    terms = ({"flat_footed_start": False} if ready else {}) | settings
    sheets = [one if not isinstance(one, tuple) else make_sheet(one) for one in (first, second)]
    return Fight(*sheets, **terms)


# ---- opening and end ----------------------------------------------------------------------------------------------------------


def test_opening():
    rolled = duel(start=2, dice={"initiative": [5, 12]})
    assert rolled.turn_of == 1
    tied = duel(start=2, dice={"initiative": [5, 5], "coin": 2})
    assert tied.turn_of == 1
    quick = duel(make_sheet((), initiative=3), make_sheet(()), start=2, dice={"initiative": [5, 8]})
    assert quick.turn_of == 0, "equal totals: the higher bonus"
    stare = duel(make_sheet((), face_off=(9, 0, 0)), make_sheet((), face_off=(0, 0, 5)), start=2, opening="stare_down")
    assert stare.core["phase"] == STARE_DOWN
    assert stare.legal() == ["bluff", "intimidate", "sense_motive"]
    stare.act("bluff")
    assert stare.core["current_player"] == 1
    assert stare.sees(1, "decides_stare_down") == 1
    stare.act("sense_motive", stare=[1, 4])
    assert stare.turn_of == 0
    assert duel(start=1, opening="stare_down").turn_of == 1, "who begins is given"


def test_end():
    for end, over in (("incapacitated", True), ("death", False)):
        fight = duel(second=make_sheet(()), end=end).put(hit_points=(60, 10))
        fight.act("fireball", damage=15, ref=1)
        assert fight.has(1, "unconscious")
        assert (fight.core["end"] == BY_DEFEAT) == over
    fight.end_turn(stabilizing=1) if fight.turn_of == 0 else None
    assert fight.core["hit_points"][1] == -6, "who is dying bleeds"
    assert fight.legal() == ["end_turn", "withdraw"]
    fight.end_turn()
    fight.act("fireball", damage=40, ref=1)
    assert fight.has(1, "dead")
    assert fight.core["end"] == BY_DEFEAT
    assert fight.core["winner"] == 0


def test_who_is_dying_may_stop_to_bleed():
    fight = duel(second=make_sheet(()), end="death").put(hit_points=(60, 10))
    fight.act("fireball", damage=15, ref=1)
    fight.end_turn(stabilizing=15)
    assert fight.core["hit_points"][1] == -5
    assert fight.turn_of == 1
    fight.end_turn().end_turn()
    assert fight.faces == [], "the next turn begins without a check"
    assert fight.core["hit_points"][1] == -5
    fight.end_turn().act("fireball", damage=9, ref=1)
    if fight.turn_of == 0:
        fight.end_turn(stabilizing=10)
    assert fight.core["hit_points"][1] == -15 or fight.core["end"] == BY_DEFEAT


def test_arena():
    for arena, wounds, bruises in (("none", 15, 0), ("safe", 0, 15)):
        fight = duel(second=make_sheet(()), arena=arena)
        fight.act("fireball", damage=15, ref=1)
        assert fight.lost(1) == wounds
        assert fight.core["nonlethal"][1] == bruises
    fight = duel(second=make_sheet(()), arena="safe", end="death").put(nonlethal=(0, 50))
    fight.act("fireball", damage=54, ref=1)
    assert fight.core["end"] == BY_DEFEAT, "nobody dies in a safe arena, so defeat is enough"
    assert not fight.has(1, "dead")


@pytest.mark.parametrize("plants", [False, True])
def test_plants(plants):
    assert duel(make_sheet(("entangle",)), plants=plants).can("entangle") == plants


@pytest.mark.parametrize("rounds", [1, 3])
def test_max_rounds(rounds):
    fight = duel((), (), max_rounds=rounds)
    fight.pass_turns(2 * rounds - 1)
    assert fight.core["end"] == RUNNING
    assert fight.sees(0, "round") == 1
    fight.end_turn()
    assert fight.core["end"] == BY_ROUND_LIMIT


@pytest.mark.parametrize(("hit_points", "winner"), [((60, 59), 0), ((10, 20), 1), ((30, 30), -1)])
def test_at_max_rounds(hit_points, winner):
    for verdict in ("draw", "hit_points"):
        fight = duel((), (), max_rounds=1, at_max_rounds=verdict).put(hit_points=hit_points)
        fight.pass_turns(2)
        assert fight.core["end"] == (BY_ROUND_LIMIT if verdict == "draw" else BY_JUDGEMENT)
        assert fight.core["winner"] == (-1 if verdict == "draw" else winner)


# ---- the dueling counter ------------------------------------------------------------------------------------------------------


def negated(fight, spend, **dice):
    fight.act(spend, **dice)
    return fight.lost(1) == 0


def test_counter_dc():
    for reading, success in (("spell_level", True), ("caster_level", False)):
        fight = duel(counter_dc=reading).act("fireball", spellcraft=20)
        # 9 + 12 - 2 against 15 + 3 or 15 + 9
        assert negated(fight, "spend_haste", counter=12) == success


def test_exact_copy():
    assert negated(duel(exact_copy="sure").act("fireball", spellcraft=20), "spend_fireball")
    fight = duel(exact_copy="check").act("fireball", spellcraft=20)
    assert negated(fight, "spend_fireball", counter=1), "1 + 9 + 10 against 18: the die is thrown, but cannot fail here"


def test_counter_needs_sight():
    for needed in (True, False):
        fight = duel(counter_needs_sight=needed)
        fight.act("invisibility", spellcraft=20).act("pass")
        fight.pass_turns(2 if fight.turn_of == 0 else 1)
        fight.act("fireball", **({} if needed else {"spellcraft": 20}))
        assert (fight.answers == 1) != needed


def test_counter_only_if_targeted():
    for only in (False, True):
        fight = duel(make_sheet(("shield", "prayer", "fireball")), counter_only_if_targeted=only)
        fight.act("shield", spellcraft=20)
        assert (fight.answers == 1) != only
        for spell in ("fireball", "prayer"):  # prayer is for both
            fight = duel(make_sheet(("prayer", "fireball")), counter_only_if_targeted=only)
            fight.act(spell, spellcraft=20)
            assert fight.answers == 1


def test_counter_is_immediate():
    for immediate in (True, False):
        fight = duel(counter_is_immediate=immediate)
        fight.act("fireball", spellcraft=20).act("spend_fireball", counter=20)
        while fight.turn_of == 0:
            fight.end_turn()
        assert fight.can("quickened_shield") != immediate
        assert fight.core["swift_used"] == immediate


def test_flat_footed_start():
    for flat in (True, False):
        fight = duel(ready=False, flat_footed_start=flat)
        assert fight.has(1, "flat_footed") == flat
        fight.act("fireball", spellcraft=20)
        assert (fight.answers == 1) != flat


def test_dispel_unidentified():
    for allowed in (True, False):
        fight = duel(dispel_unidentified=allowed)
        fight.act("fireball", spellcraft=1)
        assert (fight.answers == 1) == allowed


def test_greater_dispel_bonus():
    for bonus in (True, False):
        fight = duel(greater_dispel_bonus=bonus).act("fireball", spellcraft=1)
        assert negated(fight, "spend_greater_dispel_magic", dispel=7) == bonus  # 7 + 9 + 4 against 20


def test_penalty_after_failed_dispel():
    for penalty in (True, False):
        fight = duel(penalty_after_failed_dispel=penalty)
        fight.sheets[1]["saves"] = 10
        fight.act("fireball", spellcraft=1)
        fight.act("spend_dispel_magic", dispel=1, damage=20, ref=14)
        assert fight.lost(1) == (20 if penalty else 10)


def test_level_bonus():
    for counted in ("slot", "spell"):
        fight = duel(second=make_sheet(("lightning_bolt 6",)), level_bonus=counted).act("fireball", spellcraft=20)
        # 4 + 9 + 2, + 3 for the slot, against 18
        assert negated(fight, "spend_lightning_bolt", counter=4) == (counted == "slot")


def test_spellcraft_distance():
    for far in (False, True):
        fight = duel(spellcraft_distance=far).act("fireball", spellcraft=9)  # 9 + 10 against 18, or 21
        assert fight.core["casting"]["identified"] == (not far)
    fight = duel(spellcraft_distance=True)
    fight.core["near"] = 1
    fight.act("fireball", spellcraft=9)
    assert fight.core["casting"]["identified"] == 1


# ---- space, and what is known -------------------------------------------------------------------------------------------------


def test_abstract_range():
    for abstract in (False, True):
        fight = duel(make_sheet(("burning_hands",)), make_sheet(()), ready=False, abstract_range=abstract, ask_forced=True)
        fight.act("burning_hands", damage=5, ref=1)
        assert fight.core["near"] != abstract
        assert fight.core["move_used"] != abstract


def test_show_opponent_class():
    for shown in (True, False):
        fight = duel(show_opponent_class=shown)
        assert fight.sees(0, "opponent_class_wizard") == shown
        assert (fight.sees(0, "opponent_level") > 0) == shown
        assert fight.sees(0, "own_class_wizard") == 1


def test_show_hit_points():
    for exactly, seen in (("exact", 50 / 60), ("quarters", 1.0)):
        fight = duel(show_hit_points=exactly).put(hit_points=(60, 50))
        assert fight.sees(0, "opponent_hit_points") == pytest.approx(seen)
        assert fight.sees(1, "own_hit_points") == pytest.approx(50 / 60)


def test_recall():
    with_memory = {row.name for row in game(recall="perfect").layout}
    without = {row.name for row in game(recall="current").layout}
    assert without < with_memory
    assert all(
        name.startswith(("opponent_seen", "opponent_spent", "opponent_unknown")) or name.endswith("_counters")
        for name in with_memory - without
    )
    assert duel(recall="current").sees(0, "own_level") == pytest.approx(9 / 20)


def test_ask_forced():
    for asked in (False, True):
        fight = duel(("shield",), ("haste",), ask_forced=asked, ready=False)
        fight.act("shield", spellcraft=1)
        assert fight.turn_of == (0 if asked else 1), "nothing is left to do"
        fight = duel(("fireball",), ("haste",), ask_forced=asked)
        fight.act("fireball", spellcraft=1)
        assert (fight.core["phase"] == REACTION) == asked, "nothing to spend"
        if asked:
            assert fight.legal() == ["pass"]
        fight = duel(make_sheet(("shield",), slots=(2,)), make_sheet(()), ask_forced=asked)
        fight.act("shield")
        assert (fight.sees(0, "chooses_slot") == 1) == asked


def test_every_term_has_its_test():
    tested = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert set(DuelTerms.model_fields) <= tested
    for name, field in DuelTerms.model_fields.items():
        other = {"max_rounds": 7}.get(name)
        if other is None:
            other = not field.default if isinstance(field.default, bool) else _other_choice(name, field.default)
        assert not np.array_equal(game(**{name: other}).rules.tobytes(), game().rules.tobytes()), name


def _other_choice(name, default):
    from typing import get_args

    return next(choice for choice in get_args(DuelTerms.model_fields[name].annotation) if choice != default)
