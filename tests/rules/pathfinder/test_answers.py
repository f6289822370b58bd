"""Answers to castings, in hand-made duels with scripted dice: the dueling counter and the readied counterspell."""

from duel_env.rules.pathfinder.state import REACTION, READIED
from tests.rules.pathfinder.fights import fight, make_sheet, quiet

# ---- the dueling counter ------------------------------------------------------------------------------------------------------


def test_who_has_not_acted_is_flat_footed_and_cannot_counter():
    duel = fight()
    assert duel.has(1, "flat_footed")
    assert not duel.has(0, "flat_footed")
    duel.act("fireball", spellcraft=20, damage=20, ref=1)
    assert duel.lost(1) == 20
    while duel.turn_of == 0:
        duel.end_turn()
    assert not duel.has(1, "flat_footed")
    duel.act("fireball", spellcraft=20)
    assert duel.answers == 0


def test_a_counter_with_a_copy_of_the_spell():
    duel = fight(flat_footed_start=False)
    duel.act("fireball", spellcraft=20)
    assert duel.answers == 1
    assert duel.core["phase"] == REACTION
    assert {name for name in duel.legal() if name.startswith("spend")} == {
        "spend_fireball",
        "spend_haste",
        "spend_dispel_magic",
    } | {
        "spend_true_strike",
        "spend_mage_armor",
    }, "quickened ones stand in slots four levels higher"
    duel.act("spend_fireball", counter=20)
    assert duel.lost(1) == 0
    assert duel.core["copies"][0, 2] == 2
    assert duel.core["copies"][1, 2] == 2


def test_a_failed_counter_makes_saves_harder():
    duel = fight(flat_footed_start=False)
    duel.act("fireball", spellcraft=20)
    # DC 10 + 3 + 10, saves without bonus: only a 20 succeeds, which it does always. Give the target some.
    duel.sheets[1]["saves"] = 10
    duel.act("spend_haste", counter=1, damage=20, ref=14)
    assert duel.lost(1) == 20, "14 + 10 - 2 is less than 23"
    other = fight(flat_footed_start=False)
    other.sheets[1]["saves"] = 10
    other.act("fireball", spellcraft=20).act("pass", damage=20, ref=14)
    assert other.lost(1) == 10


def test_who_fails_to_identify_can_only_dispel():
    duel = fight(flat_footed_start=False)
    duel.act("fireball", spellcraft=1)
    assert duel.legal() == ["spend_dispel_magic", "pass"]
    duel.act("spend_dispel_magic", dispel=11)
    assert duel.lost(1) == 0
    bare = fight(second=("shield", "fireball"), flat_footed_start=False)
    bare.act("fireball", spellcraft=1, damage=20, ref=1)
    assert bare.lost(1) == 20, "who has nothing to spend is not asked"


def test_a_counter_takes_the_swift_action_of_the_coming_turn():
    duel = fight(flat_footed_start=False)
    duel.act("fireball", spellcraft=20).act("spend_fireball", counter=20)
    assert duel.core["immediate_spent"][1] == 1
    duel.end_turn()
    assert duel.turn_of == 1
    assert not duel.can("quickened_mage_armor")
    assert duel.can("shield")
    duel.end_turn().end_turn()
    assert duel.can("quickened_mage_armor"), "only of that one"


def test_one_dueling_counter_a_round():
    duel = fight(flat_footed_start=False)
    duel.act("quickened_mage_armor", spellcraft=20)
    assert duel.answers == 1
    duel.act("spend_mage_armor", counter=20)
    duel.act("fireball", spellcraft=20, damage=20, ref=1)
    assert duel.lost(1) == 20


def test_a_swift_action_of_the_own_turn_does_not_prevent_a_counter_after_it():
    duel = fight(flat_footed_start=False)
    duel.end_turn()
    duel.act("quickened_mage_armor", spellcraft=1).act("pass").end_turn()
    duel.act("fireball", spellcraft=20)
    assert duel.answers == 1


def test_a_counter_asks_for_the_slot_where_there_are_several():
    duel = fight(second=make_sheet(("fireball",), slots=(1, 1, 1, 1)), flat_footed_start=False)
    duel.act("fireball", spellcraft=20).act("spend_fireball")
    assert duel.legal() == ["slot_3", "slot_4"]
    duel.act("slot_4", counter=20)
    assert duel.core["slots"][1, :5].tolist() == [0, 1, 1, 1, 0]
    assert duel.lost(1) == 0


def test_a_caster_who_is_not_seen_is_not_countered():
    duel = fight(first=("invisibility", "fireball"), flat_footed_start=False)
    duel.act("invisibility", spellcraft=20).act("pass")
    duel.pass_turns(2 if duel.turn_of == 0 else 1)
    duel.act("fireball", damage=20, ref=1)
    assert duel.lost(1) == 20
    assert not duel.has(0, "invisible"), "the attack ends it"


# ---- the readied counterspell -------------------------------------------------------------------------------------------------


def test_a_readied_counterspell_negates_surely_and_changes_who_opens_the_round():
    duel = fight()
    duel.end_turn()
    duel.act("ready_counterspell")
    assert not duel.can("shield"), "it takes the standard action"
    if duel.turn_of == 1:
        duel.end_turn()
    assert duel.core["readied"][1] == 1
    assert duel.core["opener"] == 0
    assert duel.core["round"] == 2
    duel.act("fireball", spellcraft=20)
    assert duel.core["phase"] == READIED
    assert set(duel.legal()) == {"spend_fireball", "spend_dispel_magic", "pass"}
    duel.act("spend_fireball")
    assert duel.lost(1) == 0
    assert duel.core["readied"][1] == 0
    assert duel.core["opener"] == 1
    assert duel.core["counter_used"][1] == 0, "it is no dueling counter"
    if duel.turn_of == 0:
        duel.end_turn()
    assert duel.turn_of == 1
    assert duel.core["round"] == 3


def test_a_readied_counterspell_is_lost_in_the_own_next_turn():
    duel = quiet()
    duel.act("ready_counterspell")
    while duel.turn_of == 0:
        duel.end_turn()
    assert duel.core["readied"][0] == 1
    duel.end_turn()
    assert duel.core["readied"][0] == 0


def test_a_readied_counterspell_that_is_passed_leaves_the_dueling_counter():
    duel = fight()
    duel.end_turn().act("ready_counterspell")
    if duel.turn_of == 1:
        duel.end_turn()
    duel.act("fireball", spellcraft=20).act("pass")
    assert duel.core["phase"] == REACTION
    assert duel.answers == 1


def test_an_unidentified_spell_is_dispelled_by_who_is_ready():
    duel = fight()
    duel.end_turn().act("ready_counterspell")
    if duel.turn_of == 1:
        duel.end_turn()
    duel.act("fireball", spellcraft=1)
    assert set(duel.legal()) == {"spend_dispel_magic", "pass"}
    duel.act("spend_dispel_magic", dispel=1, damage=20, ref=1)
    assert duel.lost(1) == 20
    assert duel.answers == -1, "one try a spell"


def test_who_is_not_seen_is_not_answered_by_who_is_ready_either():
    duel = fight(first=("invisibility", "fireball"))
    duel.act("invisibility")
    duel.pass_turns(1 if duel.turn_of == 1 else 2)
    duel.end_turn().act("ready_counterspell")
    if duel.turn_of == 1:
        duel.end_turn()
    duel.act("fireball", damage=20, ref=1)
    assert duel.lost(1) == 20


def test_a_roll_of_the_confused_counts_only_while_he_is_confused():
    duel = fight(flat_footed_start=False)
    duel.core["confused_roll"][1] = 60
    duel.act("fireball", spellcraft=20)
    assert duel.answers == 1
    duel = fight(flat_footed_start=False)
    duel.core["confused_roll"][1] = 60
    duel.afflict(1, "confused")
    duel.act("fireball", spellcraft=20, damage=20, ref=1)
    assert duel.lost(1) == 20
