import re
from pathlib import Path

import pytest

from duel_env.config import load, read_toml
from duel_env.errors import ConfigError
from duel_env.rules.pathfinder.codes import CLASSES
from duel_env.rules.pathfinder.derive import derive
from duel_env.rules.pathfinder.duelist import Duelist, find_duelist, load_duelist, shipped_duelists, shipped_folder
from duel_env.rules.pathfinder.sheet_rules import POINTS, cheapest_spread, check_legal, problems
from duel_env.rules.pathfinder.spells import default_spell_book
from duel_env.rules.pathfinder.state import MAX_ENTRIES


def values_of(name):
    return read_toml(shipped_folder() / f"{name}.toml")


def changed(name, **changes):
    """A shipped duelist with other values; a key with __ changes a key of a table, a value of None takes a key away."""
    values = values_of(name)
    for key, value in changes.items():
        *path, last = key.split("__")
        table = values
        for part in path:
            table = table[part]
        if value is None:
            del table[last]
        else:
            table[last] = value
    return load(Duelist, values, "sheet.toml")


# ---- shipped sheets -------------------------------------------------------------------------------------------------------------


def test_two_of_each_class_over_the_levels_and_plans_are_shipped():
    sheets = [find_duelist(name) for name in shipped_duelists()]
    assert {"evoker_7", "abjurer_7"} <= set(shipped_duelists())
    assert all(sum(sheet.class_id == name for sheet in sheets) >= 2 for name in CLASSES)
    assert {sheet.level for sheet in sheets} == {3, 7, 12, 17}
    assert {sheet.plan for sheet in sheets} == {"blaster", "controller", "counter", "healer", "debuffer", "trickster"}


@pytest.mark.parametrize("name", shipped_duelists())
def test_a_shipped_sheet_is_legal_and_can_be_cast_from(name):
    sheet = derive(find_duelist(name))
    book = default_spell_book()
    assert problems(sheet.duelist) == []
    assert name.endswith(f"_{sheet.hit_dice}")
    assert len(sheet.entries) + len(sheet.conversions) <= MAX_ENTRIES
    assert any(book.by_id[entry.spell].beneficial for entry in sheet.entries)
    assert any(not book.by_id[entry.spell].beneficial for entry in sheet.entries)


@pytest.mark.parametrize("name", shipped_duelists())
def test_a_shipped_sheet_uses_every_slot(name):
    """But for the domain slots of levels at which the domains have no spell of the game."""
    sheet = derive(find_duelist(name))
    if sheet.spontaneous:
        return
    domains = bool(sheet.duelist.domains)
    for level in range(1, 10):
        entries = [entry for entry in sheet.entries if entry.source == "prepared" and entry.slot_level == level]
        empty = domains and sheet.slots[level] > 0 and not any(entry.is_domain for entry in entries)
        assert sum(entry.count for entry in entries) == sheet.slots[level] - empty


def entry_of(sheet, spell, **fields):
    found = [e for e in sheet.entries if e.spell == spell and all(getattr(e, key) == value for key, value in fields.items())]
    assert len(found) == 1
    return found[0]


def test_the_evoker_by_hand():
    """Wizard 7 with Str 7, Dex 14, Con 14, Int 22, Wis 11, Cha 10 and a scorpion."""
    sheet = derive(find_duelist("evoker_7"))
    assert sheet.hit_points == (6 + 2) + 6 * (4 + 2) + 7  # d6, Constitution, Toughness
    assert sheet.saves == (2 + 2, 2 + 2, 5 + 0)
    assert sheet.base_attack == 3
    assert sheet.initiative == 2 + 4 + 4  # Dexterity, Improved Initiative, scorpion
    assert sheet.touch_armor_class == sheet.armor_class == 12
    assert sheet.combat_maneuver_defense == 10 + 3 - 2 + 2
    assert sheet.slots == (0, 4 + 2 + 1, 3 + 2 + 1, 2 + 1 + 1, 1 + 1 + 1, 0, 0, 0, 0, 0)
    assert sheet.skills == (7 + 6 + 3, 0, 7, 2)  # Intimidate is no class skill; Alertness
    assert sheet.concentration == 7 + 6
    assert sheet.penetration == 2
    assert entry_of(sheet, "fireball").save_dc == 10 + 3 + 6 + 2
    assert entry_of(sheet, "fireball").count == 2
    assert entry_of(sheet, "burning_hands").save_dc == 10 + 1 + 6 + 2
    assert sheet.save_dc(3, "transmutation") == 19
    assert sheet.identify == (0, 0, 0, -5, 2, 0, -5, 0)
    assert not sheet.spontaneous
    assert sheet.arcane
    assert sheet.conversions == ()


def test_the_lifewarden_by_hand():
    """A small cleric 7 with Dex 12, Con 14, Wis 22."""
    sheet = derive(find_duelist("lifewarden_7"))
    assert sheet.hit_points == (8 + 2) + 6 * (5 + 2) + 7
    assert sheet.saves == (5 + 2 + 2, 2 + 1, 5 + 6)
    assert sheet.base_attack == 5
    assert sheet.initiative == 1 + 4
    assert sheet.touch_armor_class == 10 + 1 + 1
    assert sheet.combat_maneuver_bonus == 5 + 0 - 1
    assert sheet.slots == (0, 7, 6, 4, 3, 0, 0, 0, 0, 0)
    assert sheet.conversions == ("cure_light_wounds", "cure_moderate_wounds", "cure_serious_wounds", "cure_critical_wounds")
    assert entry_of(sheet, "hold_person").save_dc == 10 + 2 + 6
    assert entry_of(sheet, "cure_critical_wounds", is_domain=True).slot_level == 4
    assert entry_of(sheet, "cure_critical_wounds", is_domain=False).count == 1
    assert sheet.skills == (7 + 3 + 0, 0, 0, 7 + 3 + 6)


def test_the_dirgesinger_by_hand():
    """Bard 17 with Dex 13, Con 18, Cha 28, who can quicken spells."""
    sheet = derive(find_duelist("dirgesinger_17"))
    assert sheet.hit_points == (8 + 4) + 16 * (5 + 4) + 17
    assert sheet.saves == (5 + 4 + 2, 10 + 1, 10 + 0 + 2)
    assert sheet.slots == (0, 5 + 3, 5 + 2, 5 + 2, 4 + 2, 4 + 2, 2 + 1, 0, 0, 0)
    assert sheet.spontaneous
    assert entry_of(sheet, "hold_monster").save_dc == 10 + 4 + 9 + 2
    assert entry_of(sheet, "fear").save_dc == 10 + 3 + 9 + 1
    assert entry_of(sheet, "vanish", quickened=True).slot_level == 5
    assert not any(entry.quickened for entry in sheet.entries if entry.level > 2)
    assert sheet.skills == (17 + 3 + 0, 17 + 3 + 9, 17 + 3 + 9, 17 + 3 + 0)


def test_a_staff_casts_at_the_higher_caster_level():
    assert entry_of(derive(find_duelist("stormcaller_12")), "flame_strike", source="staff").caster_level == 12
    sheet = derive(find_duelist("nightwitch_17"))
    assert entry_of(sheet, "enervation", source="staff").charges == 2
    assert sheet.staff_charges == 8


def test_the_bonded_object_adds_what_the_book_holds_besides():
    sheet = derive(find_duelist("abjurer_7"))
    assert {e.spell for e in sheet.entries if e.source == "bonded"} == {
        "haste",
        "slow",
        "protection_from_energy",
        "shout",
        "dimension_door",
    }
    assert sheet.bonded_object


def test_hit_points_may_be_the_maximum():
    assert derive(changed("evoker_7", hit_points="max")).hit_points == 7 * (6 + 2) + 7


def test_an_evil_cleric_inflicts_and_a_neutral_one_chooses():
    assert derive(find_duelist("doomspeaker_17")).conversions[0] == "inflict_light_wounds"
    assert derive(changed("lifewarden_7", alignment="neutral", converts_to="inflict")).conversions[0] == "inflict_light_wounds"
    assert derive(changed("lifewarden_7", alignment="neutral")).conversions[0] == "cure_light_wounds"


# ---- rules that a sheet can break ------------------------------------------------------------------------------------------------


def spells(*lines):
    return [{"spell": line} if isinstance(line, str) else dict(line) for line in lines]


def line(spell, **fields):
    return {"spell": spell, **fields}


BROKEN = [
    ("evoker_7", {"scores__intelligence": 24}, "scores", "ability scores"),
    ("evoker_7", {"scores__strength": 6}, "scores", "ability scores"),
    ("evoker_7", {"scores__constitution": 16}, "scores", "ability scores"),
    ("stormcaller_12", {"scores__constitution": 18}, "scores", "ability scores"),
    ("pyromancer_3", {"scores__charisma": 21}, "scores", "ability scores"),
    ("evoker_7", {"human": False}, "feats", "number of feats"),
    (
        "lifewarden_7",
        {"feats": ["toughness", "iron_will", "great_fortitude", "combat_casting", "improved_counterspell"]},
        "feats",
        "number of feats",
    ),
    ("evoker_7", {"feats": ["greater_spell_focus(evocation)"]}, "feats", "prerequisite of a feat"),
    ("evoker_7", {"feats": ["spell_focus(abjuration)", "greater_spell_focus(evocation)"]}, "feats", "prerequisite of a feat"),
    ("evoker_7", {"feats": ["greater_spell_penetration"]}, "feats", "prerequisite of a feat"),
    ("evoker_7", {"ranks__spellcraft": 8}, "ranks.spellcraft", "ranks"),
    ("lifewarden_7", {"ranks": {"spellcraft": 7, "bluff": 7, "sense_motive": 1}}, "ranks", "skill points"),
    ("lifewarden_7", {"scores__intelligence": 7, "ranks": {"spellcraft": 7, "bluff": 1}}, "ranks", "skill points"),  # one a level
    ("greenwarden_3", {"alignment": "lawful_good"}, "alignment", "alignment"),
    ("evoker_7", {"bonded_object": True}, "familiar", "familiar or bonded object"),
    ("pyromancer_3", {"familiar": "rat"}, "familiar", "familiar or bonded object"),
    ("evoker_7", {"familiar": "dragon"}, "familiar", "familiar or bonded object"),
    ("hedgewitch_3", {"familiar": None, "bonded_object": True}, "bonded_object", "familiar or bonded object"),
    ("pyromancer_3", {"school": "evocation"}, "school", "specialist schools"),
    ("evoker_7", {"opposition": ["enchantment"]}, "opposition", "specialist schools"),
    ("evoker_7", {"opposition": ["evocation", "enchantment"]}, "opposition", "specialist schools"),
    ("evoker_7", {"school": None}, "opposition", "specialist schools"),
    ("lifewarden_7", {"domains": ["healing", "protection", "luck"]}, "domains", "domains"),
    ("greenwarden_3", {"domains": ["death"]}, "domains", "domains"),
    ("evoker_7", {"domains": ["fire"]}, "domains", "domains"),
    ("lifewarden_7", {"converts_to": "inflict"}, "converts_to", "conversion"),
    ("evoker_7", {"converts_to": "cure"}, "converts_to", "conversion"),
    ("evoker_7", {"prepared": spells(line("fireball", count=5))}, "prepared", "slots"),
    ("evoker_7", {"prepared": spells(line("dispel_magic", count=4))}, "prepared", "slots"),  # three, and one for evocations only
    ("evoker_7", {"prepared": spells(line("slow", count=1), line("hold_person", count=2))}, "prepared", "slots"),  # opposition
    ("evoker_7", {"prepared": spells("cone_of_cold")}, "prepared", "slots"),
    ("evoker_7", {"prepared": spells(line("fireball", slot=2))}, "prepared", "slots"),
    ("evoker_7", {"prepared": spells("cure_light_wounds")}, "prepared", "class list"),
    ("evoker_7", {"prepared": spells("make_tea")}, "prepared", "spell"),
    ("hedgewitch_3", {"prepared": spells("summon_monster_i")}, "prepared", "summoning"),
    ("evoker_7", {"prepared": spells("acid_splash")}, "prepared", "cantrips"),
    ("evoker_7", {"prepared": spells("fireball", "fireball")}, "prepared", "one line a spell"),
    ("evoker_7", {"scores__intelligence": 12, "prepared": spells("fireball")}, "prepared", "ability for the spell level"),
    ("pyromancer_3", {"prepared": spells("fireball")}, "prepared", "preparing"),
    ("conjurer_17", {"feats": [], "prepared": spells(line("grease", quickened=True))}, "prepared", "quickened spells"),
    ("conjurer_17", {"prepared": spells(line("grease", quickened=True, slot=4))}, "prepared", "quickened spells"),
    ("stormcaller_12", {"prepared": spells(line("call_lightning", quickened=True, slot=7))}, "prepared", "quickened spells"),
    ("evoker_7", {"feats": ["quicken_spell"], "prepared": spells(line("grease", quickened=True))}, "prepared", "slots"),
    ("lifewarden_7", {"prepared": spells(line("hold_person", domain=True))}, "prepared", "domain slot"),
    ("lifewarden_7", {"prepared": spells(line("sanctuary", domain=True, count=2))}, "prepared", "domain slot"),
    ("lifewarden_7", {"prepared": spells(line("sanctuary", domain=True, slot=2))}, "prepared", "domain slot"),
    ("doomspeaker_17", {"prepared": spells("protection_from_evil")}, "prepared", "alignment"),
    ("pyromancer_3", {"known": ["shield", "magic_missile"]}, "known", "spells known"),
    ("pyromancer_3", {"known": ["shield", "magic_missile", "grease", "vanish"]}, "known", "spells known"),
    ("pyromancer_3", {"known": ["shield", "magic_missile", "fireball"]}, "known", "spells known"),
    ("pyromancer_3", {"known": ["shield", "magic_missile", "cure_light_wounds"]}, "known", "class list"),
    ("pyromancer_3", {"cantrips": ["acid_splash"]}, "cantrips", "spells known"),
    ("evoker_7", {"known": ["shield"]}, "known", "spells known"),
    ("evoker_7", {"cantrips": ["daze", "flare", "jolt", "resistance", "acid_splash"]}, "cantrips", "cantrips"),
    ("evoker_7", {"cantrips": ["shield"]}, "cantrips", "cantrips"),
    ("evoker_7", {"spellbook": ["haste"]}, "spellbook", "spellbook"),
    ("abjurer_7", {"spellbook": ["shield"]}, "spellbook", "spellbook"),
    ("abjurer_7", {"spellbook": ["wail_of_the_banshee"]}, "spellbook", "spellbook"),
    ("evoker_7", {"staff": {"en": "S", "fr": "B", "spells": spells("fireball")}}, "staff", "staff"),
    ("stormcaller_12", {"staff__caster_level": 13}, "staff.caster_level", "staff"),
    ("stormcaller_12", {"staff__spells": spells("fireball")}, "staff.spells", "class list"),
    ("stormcaller_12", {"staff__spells": spells("flame_strike")}, "staff.spells", "staff"),
    ("stormcaller_12", {"staff__spells": spells(line("sirocco", charges=3))}, "staff.spells", "staff"),
]


@pytest.mark.parametrize(("name", "changes", "field", "rule"), BROKEN)
def test_a_broken_rule_is_named_with_file_and_field(name, changes, field, rule):
    sheet = changed(name, **changes)
    assert (field, rule) in {(problem.field, problem.rule) for problem in problems(sheet)}
    with pytest.raises(ConfigError, match=rf"^sheet\.toml: .*{re.escape(field)}: .*\(rule: {rule}\)"):
        check_legal(sheet, where="sheet.toml")
    with pytest.raises(ConfigError, match=rule):
        derive(sheet)


def test_every_rule_of_a_sheet_is_tried():
    from duel_env.rules.pathfinder import sheet_rules, sheet_spells

    named = set()
    for module in (sheet_rules, sheet_spells):
        text = Path(module.__file__).read_text(encoding="utf-8")
        named |= set(re.findall(r'Problem\(\s*(?:f?"[^"]*"|field|rule), "([a-z ]+)"', text))
    assert len(named) > 12
    assert named - {rule for *_, rule in BROKEN} <= {"length of a sheet"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"feats": ["power_attack"]}, "feats.*power_attack.*no feat"),
        ({"feats": ["spell_focus(cookery)"]}, "feats.*cookery"),
        ({"feats": ["toughness", "toughness"]}, "feats.*once"),
        ({"level": 21}, "level"),
        ({"level": 0}, "level"),
        ({"class": "fighter"}, "class"),
        ({"alignment": "true_neutral"}, "alignment"),
        ({"scores__luck": 18}, "unknown key scores.luck"),
        ({"plan": "cook"}, "plan"),
        ({"en": "a\x1b[0m"}, "control characters"),
        ({"prepared": spells(line("shield", count=0))}, "prepared.0.count"),
        ({"wand": True}, "unknown key wand"),
    ],
)
def test_a_value_that_no_sheet_has_is_refused(changes, message):
    with pytest.raises(ConfigError, match=message):
        changed("evoker_7", **changes)


def test_a_file_is_refused_by_its_name(tmp_path):
    path = tmp_path / "mine.toml"
    text = (shipped_folder() / "evoker_7.toml").read_text(encoding="utf-8")
    path.write_text(text.replace('"scorching_ray", count = 3', '"scorching_ray", count = 4'), encoding="utf-8")
    with pytest.raises(
        ConfigError, match=re.escape(str(path)) + r": prepared: 7 slots of level 2 used, but there are 6 \(rule: slots\)"
    ):
        load_duelist(path)
    path.write_text(text, encoding="utf-8")
    assert find_duelist(str(path)) == find_duelist("evoker_7")


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ConfigError, match="evoker_7"):
        find_duelist("evoker_8")
    with pytest.raises(ConfigError, match="cannot read"):
        find_duelist("nowhere.toml")


# ---- what the rules allow --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {"prepared": spells(line("hold_person", count=1), "slow", "fireball")},  # two slots and one, and the school slot
        {"prepared": spells(line("shield", slot=4))},
        {"prepared": []},
        {"familiar": None},
        {"feats": ["improved_initiative"]},
        {"school": None, "opposition": None, "prepared": spells(line("hold_person", count=3))},
    ],
)
def test_what_the_rules_allow_is_accepted(changes):
    assert problems(changed("evoker_7", **changes)) == []


def test_bonus_feats_of_wizards_are_only_those_of_the_class():
    free = ["toughness", "iron_will", "great_fortitude", "combat_casting", "spell_penetration"]
    assert problems(changed("evoker_7", feats=[*free, "quicken_spell"])) == []
    assert problems(changed("evoker_7", feats=[*free, "lightning_reflexes"])) != []


def test_a_spread_costs_what_the_point_table_says():
    assert cheapest_spread((10, 10, 10, 10, 10, 12), 1) == 0  # the racial bonus
    assert cheapest_spread((7, 14, 14, 19, 10, 10), 1) == -4 + 5 + 5 + 13
    assert cheapest_spread((10, 10, 10, 21, 10, 10), 1) is None
    assert cheapest_spread((10, 10, 10, 27, 10, 10), 13) == 10  # 16 + 2 + 3 + 6
    assert cheapest_spread((10, 14, 10, 26, 10, 10), 13) == 7  # 15 + 2 + 3 + 6, and 10 + 4
    assert cheapest_spread((7, 7, 7, 7, 7, 7), 20) == -24
    assert POINTS == 20
