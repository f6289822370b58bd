"""Castings that are lost, that take a round, that are held in the hand, and that end charms and invisibility."""

import pytest

from tests.rules.pathfinder.fights import Fight, make_sheet, quiet

# ---- what loses a spell ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("face", "lost"), [(13, True), (14, False)])
def test_who_is_hindered_has_to_concentrate(face, lost):
    duel = Fight(make_sheet(("fireball",), concentration=-15), make_sheet(()))
    duel.afflict(0, "entangled")
    duel.act("fireball", concentration=face, **({} if lost else {"damage": 20, "ref": 1}))  # 14 + 9 + 10 - 15 against 15 + 3
    assert duel.lost(1) == (0 if lost else 20)
    assert duel.core["copies"][0, 0] == 2, "it is spent in any case"
    assert duel.core["unknown_castings"][0] == lost


@pytest.mark.parametrize(("face", "lost"), [(20, True), (21, False)])
def test_who_is_deaf_may_fail_to_speak(face, lost):
    duel = quiet(("fireball",))
    duel.afflict(0, "deafened")
    duel.act("fireball", failure=face, **({} if lost else {"damage": 20, "ref": 1}))
    assert duel.lost(1) == (0 if lost else 20)


# ---- castings of one round ----------------------------------------------------------------------------------------------------


def deep_slumber(**settings):
    duel = Fight(make_sheet(("deep_slumber", "shield")), make_sheet(("magic_missile", "frostbite")), **settings)
    return duel.act("deep_slumber", spellcraft=1)


def test_a_casting_of_one_round_takes_effect_before_the_next_turn():
    duel = deep_slumber()
    assert duel.turn_of == 1
    assert duel.sees(1, "opponent_casts_a_round") == 1
    assert not duel.has(1, "asleep")
    duel.end_turn(will=1)
    assert duel.has(1, "asleep")
    assert duel.turn_of == 0
    assert duel.can("shield"), "the turn after it is whole"


def test_damage_breaks_a_casting_of_one_round_unless_a_check_saves_it():
    duel = deep_slumber()
    duel.act("magic_missile", spellcraft=1, damage=[4, 4, 4, 4, 4])
    assert duel.lost(0) == 25
    if duel.turn_of == 1:
        duel.end_turn(concentration=18)  # 18 + 9 + 10 against 10 + 25 + 3
    assert not duel.has(1, "asleep")
    assert duel.core["one_round_spell"][0]["spell"] == -1
    duel = deep_slumber()
    duel.act("magic_missile", spellcraft=1, damage=[4, 4, 4, 4, 4], concentration=19, will=1)
    assert duel.has(1, "asleep")


def test_nonlethal_damage_breaks_it_as_well():
    duel = deep_slumber(arena="safe")
    duel.act("magic_missile", spellcraft=1, damage=[4, 4, 4, 4, 4], concentration=18)
    assert not duel.has(1, "asleep")


def test_a_casting_of_one_round_is_noted_once():
    duel = deep_slumber()
    assert duel.sees(1, "opponent_unknown_castings") == pytest.approx(0.1)
    duel.end_turn(will=1)
    assert duel.sees(1, "opponent_unknown_castings") == 0, "now it is known"
    assert duel.sees(1, "opponent_seen_deep_slumber") == pytest.approx(0.25)
    duel = Fight(make_sheet(("deep_slumber",)), make_sheet(("shield",)))
    duel.act("deep_slumber", spellcraft=20)
    assert duel.sees(1, "opponent_seen_deep_slumber") == pytest.approx(0.25)
    duel.end_turn(will=20)
    assert duel.sees(1, "opponent_seen_deep_slumber") == pytest.approx(0.25)
    assert duel.sees(1, "opponent_unknown_castings") == 0


# ---- touch spells -------------------------------------------------------------------------------------------------------------


def test_held_charges_are_used_one_touch_at_a_time():
    duel = quiet(("chill_touch", "shield"))
    duel.act("chill_touch", attack=15, damage=4, fort=20)
    assert duel.core["touch_charges"][0] == 8, "one for each caster level, the first is used"
    assert duel.sees(1, "opponent_held_charges") == 1
    assert not duel.can("touch"), "a touch is a standard action"
    duel.pass_turns(2 if duel.turn_of == 0 else 1)
    castings = duel.core["unknown_castings"][0] + duel.core["seen"][0].sum()
    duel.act("touch", attack=15, damage=4, fort=20)
    assert duel.lost(1) == 8
    assert duel.core["touch_charges"][0] == 7
    assert duel.core["unknown_castings"][0] + duel.core["seen"][0].sum() == castings, "a touch is no casting"


def test_casting_another_spell_lets_the_charges_go():
    duel = quiet(("chill_touch", "shield"))
    duel.act("chill_touch", attack=15, damage=4, fort=20)
    duel.pass_turns(2 if duel.turn_of == 0 else 1)
    duel.act("shield")
    assert duel.core["touch_charges"][0] == 0
    assert duel.sees(1, "opponent_held_charges") == 0


def test_the_last_charge_ends_the_touch():
    duel = quiet(("chill_touch",)).put()
    duel.act("chill_touch", attack=15, damage=1, fort=20)
    duel.core["touch_charges"][0] = 1
    duel.pass_turns(2 if duel.turn_of == 0 else 1)
    duel.act("touch", attack=15, damage=1, fort=20)
    assert duel.core["touch_spell"][0] == -1
    assert not duel.can("touch")


# ---- hostile acts --------------------------------------------------------------------------------------------------------------


def test_a_charm_lasts_until_its_caster_does_something_hostile():
    duel = quiet(("charm_person", "shield", "fireball"))
    duel.act("charm_person", will=1)
    assert duel.has(1, "charmed"), "the charm itself does not end it"
    assert "fireball" not in duel.legal()
    duel.pass_turns(2 if duel.turn_of == 0 else 1)
    duel.act("shield")
    assert duel.has(1, "charmed")
    duel.pass_turns(2 if duel.turn_of == 0 else 1)
    duel.act("fireball", damage=9, ref=1)
    assert not duel.has(1, "charmed")


def test_an_attack_has_what_invisibility_gives_and_then_ends_it():
    for spell in ("scorching_ray", "chill_touch"):
        duel = quiet(("invisibility", spell))
        duel.act("invisibility")
        duel.pass_turns(2 if duel.turn_of == 0 else 1)
        if spell == "scorching_ray":  # 9 and the +2 of the invisible hit touch AC 10, without Dexterity
            duel.act(spell, attack=[8, 1], damage=10)
        else:
            duel.act(spell, attack=8, damage=3, fort=20)
        assert duel.lost(1) > 0
        assert not duel.has(0, "invisible")


def test_a_held_touch_has_it_as_well():
    duel = quiet(("chill_touch", "quickened invisibility"))
    duel.act("chill_touch", attack=15, damage=3, fort=20)
    if duel.turn_of == 0:
        duel.end_turn()
    duel.end_turn()
    duel.core["touch_charges"][0] = 5
    _invisible(duel)
    duel.act("touch", attack=8, damage=3, fort=20)
    assert duel.lost(1) == 6
    assert not duel.has(0, "invisible")


def _invisible(duel):
    """Player 0 becomes invisible, without casting, which would let the charges go."""
    other = quiet(("invisibility",)).act("invisibility")
    duel.core["ongoing"][0, 0] = other.core["ongoing"][0, 0]
    duel.core["num_ongoing"][0] = 1
    duel.put()


def test_castings_of_the_longest_duels_are_counted():
    duel = quiet(("wall_of_fire", "mage_armor"))
    duel.core["castings"] = 150_000  # 100,000 rounds, mostly of cantrips
    duel.act("wall_of_fire", damage=10)
    assert duel.core["castings"] == 150_001
    assert duel.core["concentrates_on"][0] == 150_001
    assert duel.core["ongoing"]["casting"][1, 0] == 150_001
