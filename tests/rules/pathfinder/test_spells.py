"""The spell data: nothing is lost, everything can be computed, and a mistake in a file is named."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, get_args

import pytest

from duel_env.errors import ConfigError
from duel_env.rules.pathfinder.effects import EFFECT_MODELS, ActionEffect, DamageEffect, walk
from duel_env.rules.pathfinder.expressions import Expression
from duel_env.rules.pathfinder.fields import Rounds, Table
from duel_env.rules.pathfinder.spells import ClassId, SpellBook, default_spell_book, load_spell_book

FIREBALL = """
[[spell]]
id = "fireball"
en = "Fireball"
fr = "Boule de feu"
core = true
school = "evocation"
levels = { wizard = 3 }
casting_time = "standard"
components = ["V", "S", "M"]
range = "long"
target = "area"
duel_target = "opponent"
save = "ref"
save_effect = "half"
spell_resistance = true
duration = { type = "instantaneous" }
dispellable = false
source = { book = "Core Rulebook" }

[[spell.effects]]
kind = "damage"
amount = "d(min(CL,10),6)"
type = "fire"
on_save = "half"
"""
AMOUNT = 'amount = "d(min(CL,10),6)"'
NESTED = """
[[spell.effects]]
kind = "band"
by = "target_hd"
bands = [{ effects = [{ kind = "second_save", save = "ref", fail = [{ kind = "heal", amount = 2 }], success = [] }] }]
"""


@pytest.fixture(scope="module")
def book() -> SpellBook:
    return default_spell_book()


def expressions(value: Any) -> Iterator[Expression]:
    """Every amount anywhere in a table."""
    if isinstance(value, Expression):
        yield value
    elif isinstance(value, Rounds) and value.amount is not None:
        yield value.amount
    elif isinstance(value, Table):
        for name in type(value).model_fields:
            yield from expressions(getattr(value, name))
    elif isinstance(value, tuple):
        for item in value:
            yield from expressions(item)


def test_counts_of_the_data(book):
    assert len(book.spells) == 201
    assert sum(spell.core for spell in book.spells) == 119
    assert len(book.conditions) == 46
    assert len(book.forbidden) == 37
    assert Counter(spell.school for spell in book.spells) == {
        "abjuration": 25,
        "conjuration": 27,
        "divination": 6,
        "enchantment": 34,
        "evocation": 47,
        "illusion": 10,
        "necromancy": 34,
        "transmutation": 18,
    }


@pytest.mark.parametrize(
    ("class_id", "counts"),
    [
        ("wizard", [7, 19, 25, 17, 20, 12, 14, 10, 13, 11]),
        ("sorcerer", [7, 19, 25, 17, 20, 12, 14, 10, 13, 11]),
        ("cleric", [3, 15, 11, 11, 6, 7, 4, 1, 4, 3]),
        ("druid", [4, 7, 7, 5, 6, 7, 2, 4, 3, 1]),
        ("bard", [3, 10, 16, 14, 7, 3, 4, 0, 0, 0]),
        ("witch", [4, 15, 12, 12, 13, 10, 7, 7, 8, 4]),
    ],
)
def test_counts_by_class_and_level(book, class_id, counts):
    levels = Counter(spell.levels[class_id] for spell in book.spells if class_id in spell.levels)
    assert [levels[level] for level in range(10)] == counts


def test_every_class_is_counted_above():
    assert set(get_args(ClassId)) == {"wizard", "sorcerer", "cleric", "druid", "bard", "witch"}


def test_counts_of_effects(book):
    assert len(EFFECT_MODELS) == 27
    assert Counter(effect.kind for spell in book.spells for _, effect in walk(spell)) == {
        "ability": 13,
        "action": 7,
        "auto_attack": 3,
        "band": 7,
        "choice": 3,
        "condition": 125,
        "damage": 86,
        "dispel": 3,
        "energy_ward": 5,
        "extra_turns": 1,
        "heal": 6,
        "images": 1,
        "immunity": 5,
        "miss_chance": 5,
        "modifier": 59,
        "negative_levels": 2,
        "random": 1,
        "remove": 6,
        "reroll": 1,
        "retaliate": 1,
        "second_save": 16,
        "sense": 4,
        "spell_ward": 9,
        "stages": 1,
        "temp_hp": 4,
        "touch_delivery": 1,
        "zone": 15,
    }


def test_counts_of_the_rest(book):
    assert sum(len(spell.notes) for spell in book.spells) == 114
    assert sum(len(spell.verified_in) for spell in book.spells) == 796
    assert sum(bool(spell.counters) for spell in book.spells) == 11
    assert sum(spell.limits.model_fields_set != set() for spell in book.spells) == 46
    assert sum(spell.costs.model_fields_set != set() for spell in book.spells) == 8
    assert sum(spell.source.page is not None for spell in book.spells) == 200
    assert all(spell.source.fr_wiki for spell in book.spells)
    assert Counter(spell.duration.type for spell in book.spells) == {
        "instantaneous": 76,
        "rounds": 119,
        "permanent": 4,
        "concentration": 2,
    }


def test_order_is_fixed(book):
    for entries in (book.spells, book.conditions, book.forbidden):
        assert [entry.id for entry in entries] == sorted({entry.id for entry in entries})
    assert [book.number(spell.id) for spell in book.spells] == list(range(201))
    assert all(book.by_id[spell.id] is spell for spell in book.spells)
    assert all(book.condition_by_id[condition.id] is condition for condition in book.conditions)
    with pytest.raises(ConfigError, match=r"no spell firebal \(did you mean fireball\?\)"):
        book.number("firebal")


def test_forbidden_spells_are_none_of_the_others(book):
    assert not {spell.id for spell in book.forbidden} & set(book.by_id)


def test_every_amount_can_be_computed_at_every_level(book):
    texts = {expression for spell in book.spells for expression in expressions(spell)}
    assert len(texts) > 100
    for expression in texts:
        for caster_level in range(1, 21):
            amount = expression.normal_form(caster_level)
            low = amount.value(0, 0, lambda count, faces: count)
            high = amount.value(0, 0, lambda count, faces: count * faces)
            assert (low, high) == expression.bounds({"CL": caster_level, "MOD": 0, "BAB": 0, "SL": 0})


def test_known_spells(book):
    fireball = book.by_id["fireball"]
    assert (fireball.fr, fireball.levels["wizard"], fireball.save) == ("Boule de feu", 3, "ref")
    (damage,) = fireball.effects
    assert isinstance(damage, DamageEffect)
    assert damage.amount.normal_form(7)[:2] == (7, 6)
    assert (damage.type, damage.on_save) == ("fire", "half")
    (flames,) = (effect for effect in book.by_id["flame_strike"].effects if isinstance(effect, DamageEffect))
    assert [(part.type, part.share) for part in flames.split] == [("fire", 0.5), ("divine", 0.5)]
    fog = book.by_id["mind_fog"].effects[0].rounds
    assert fog == Rounds("while_in_zone_plus", Expression.of("d(2,6)"))
    assert str(fog) == "while_in_zone_plus:d(2,6)"
    assert book.by_id["touch_of_idiocy"].effects[0].ability == ("int", "wis", "cha")
    assert book.by_id["dispel_magic"].effects[0].check == "caster_level"
    assert book.condition_by_id["confused"].table[-1].does == "attack_nearest"
    assert str(book.condition_by_id["grappled"].concentration_dc) == "10+CMB+SL"
    assert isinstance(book.by_id["eyebite"].effects[1], ActionEffect)


def test_spells_that_counter_each_other_say_so_on_both_sides(book):
    pairs = {(spell.id, other) for spell in book.spells for other in spell.counters}
    one_sided = {pair for pair in pairs if pair[::-1] not in pairs}
    assert one_sided == {("remove_blindness_deafness", "blindness_deafness")}


def test_a_spell_survives_being_written_and_read(book):
    for spell in book.spells:
        again = type(spell).model_validate(spell.model_dump(exclude_unset=True))
        assert again == spell


def test_schema_can_be_made(book):
    schema = type(book.spells[0]).model_json_schema()
    assert len(schema["$defs"]["DamageEffect"]["properties"]) == 19


@pytest.fixture
def own(tmp_path):
    def load(text: str, name: str = "evocation.toml") -> SpellBook:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return load_spell_book(extra=path)

    return load


def test_own_files_add_and_replace(own, tmp_path, book):
    replaced = own(FIREBALL.replace("wizard = 3", "wizard = 4"))
    assert replaced.by_id["fireball"].levels == {"wizard": 4}
    assert len(replaced.spells) == 201
    added = own(FIREBALL.replace('id = "fireball"', 'id = "a_new_spell"'), "new.toml")
    assert added.spells[0].id == "a_new_spell"
    assert len(added.spells) == 202
    assert added.by_id["fireball"] == book.by_id["fireball"]
    both = load_spell_book(extra=tmp_path)
    assert (len(both.spells), both.by_id["fireball"].levels) == (202, {"wizard": 4})
    later = load_spell_book(extra=(tmp_path / "new.toml", str(tmp_path / "evocation.toml")))
    assert later == both


def test_sources_can_be_named(tmp_path):
    (tmp_path / "one.toml").write_text(FIREBALL, encoding="utf-8")
    small = load_spell_book(tmp_path)
    assert [spell.id for spell in small.spells] == ["fireball"]
    assert small == load_spell_book([tmp_path / "one.toml"])


def test_the_same_id_twice_is_refused_with_both_files(tmp_path):
    for name in ("one.toml", "two.toml"):
        (tmp_path / name).write_text(FIREBALL, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"spell fireball is there in .*one\.toml and in .*two\.toml"):
        load_spell_book(tmp_path)
    (tmp_path / "two.toml").write_text(FIREBALL + FIREBALL, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"spell fireball is there twice in .*two\.toml"):
        load_spell_book(extra=tmp_path / "two.toml")


def test_a_folder_without_files_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"has no \.toml file"):
        load_spell_book(tmp_path)
    with pytest.raises(ConfigError, match=r"absent\.toml"):
        load_spell_book(tmp_path / "absent.toml")


PREFIX = "evocation.toml: spell fireball: "


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (AMOUNT, 'amount = "d(CL;6)"', PREFIX + "effects.0.amount = 'd(CL;6)': ';' at character 5"),
        (AMOUNT, 'amount = "CL-3"', PREFIX + "effects.0.amount = 'CL-3': can be -2 at caster level 1"),
        (AMOUNT, 'amount = "11+TCL"', PREFIX + "effects.0.amount = '11+TCL': the variable TCL has no value"),
        (AMOUNT, "amount = 1.5", PREFIX + "effects.0.amount = 1.5: expected"),
        (AMOUNT, "amount = true", PREFIX + "effects.0.amount = True: expected"),
        (AMOUNT, "amont = 3", PREFIX + "effects.0.amont = 3: unknown key (did you mean amount?); allowed: amount"),
        (AMOUNT, "", PREFIX + "missing key effects.0.amount"),
        ('kind = "damage"', 'kind = "damge"', PREFIX + "effects.0.kind = 'damge': no kind of effect; did you mean damage?"),
        ('kind = "damage"', "", PREFIX + "effects.0.kind = None: missing; accepted: damage"),
        ('type = "fire"', 'type = "fier"', PREFIX + "effects.0.type = 'fier': input should be 'acid'"),
        ('type = "fire"', 'type = "choice"', PREFIX + "effects.0.choices = []: belongs to type"),
        ('on_save = "half"', "", PREFIX + "effects.0.on_save = 'missing': with a save (ref), damage must say on_save"),
        ('save = "ref"\nsave_effect = "half"', "", PREFIX + "effects.0.on_save = 'half': there is no save here"),
        ('save = "ref"', "", PREFIX + "save_effect = 'half': save and save_effect"),
        ("school =", "shool =", PREFIX + "shool = 'evocation': unknown key (did you mean school?)"),
        ("wizard = 3", "wizzard = 3", PREFIX + "levels.wizzard"),
        ("wizard = 3", "wizard = 10", PREFIX + "levels.wizard = 10: input should be less than or equal to 9"),
        ('range = "long"', 'range = "feet"', PREFIX + "range_ft = None: belongs to range"),
        ('target = "area"', 'target = "creature"\nattack = "ranged_touch"', PREFIX + "target = 'creature': attack"),
        ('id = "fireball"', 'id = "Fire"', "evocation.toml: spell Fire: id = 'Fire': an id is lower-case"),
        ("dispellable = false", 'dispellable = false\ncounters = ["hast"]', PREFIX + "counters.0 = 'hast': no such spell (did you"),
        ("dispellable = false", "dispellable = false\nlimits = { max_hq = 3 }", PREFIX + "limits.max_hq = 3: unknown key (did you"),
        (AMOUNT, AMOUNT + '\nrepeat = { rounds = "until_fre", start = "next_turn", save = "none" }', "(did you mean until_free?)"),
        ("[[spell]]", "[[spel]]", "evocation.toml: unknown table spel (did you mean spell?)"),
        ("[[spell]]", "[spell]", "evocation.toml: spell is not a list of tables"),
    ],
)  # fmt: skip
def test_mistakes_are_named(own, old, new, message):
    assert old in FIREBALL
    with pytest.raises(ConfigError) as error:
        own(FIREBALL.replace(old, new, 1))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("amount = 2", "amont = 2", "effects.1.bands.0.effects.0.fail.0.amont = 2: unknown key (did you mean amount?)"),
        ('kind = "heal"', 'kind = "condition", condition = "blindd", rounds = 1', "unknown key"),
        ('kind = "heal", amount = 2', 'kind = "heal", amount = 2, on_save = "none"', "fail.0.on_save = 'none': belongs to the outermost"),
        (
            'kind = "heal", amount = 2',
            'kind = "condition", condition = "blindd", rounds = 1',
            "effects.1.bands.0.effects.0.fail.0.condition = 'blindd': no such condition (did you mean blinded?)",
        ),
        (
            'kind = "heal", amount = 2',
            'kind = "remove", conditions = ["zone", "sloed"]',
            "fail.0.conditions.1 = 'sloed': no such condition (did you mean slowed?)",
        ),
        (
            'kind = "heal", amount = 2',
            'kind = "immunity", immune_to = ["fears"], rounds = "spell"',
            "fail.0.immune_to.0 = 'fears': no such condition or immunity (did you mean fear?)",
        ),
        ("bands = [", 'bands = [{ max = 3, effects = [] }, { max = 3, effects = [] }, ', "effects.1.bands = [3, 3, None]: max must rise"),
    ],
)  # fmt: skip
def test_mistakes_inside_of_effects_are_named(own, old, new, message):
    text = FIREBALL + NESTED
    assert own(text).by_id["fireball"].effects[1].kind == "band"
    with pytest.raises(ConfigError) as error:
        own(text.replace(old, new, 1))
    assert message in str(error.value)
    assert str(error.value).startswith(PREFIX)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('same_as = "confusd"', "same_as = 'confusd': no such condition (did you mean confused?)"),
        ('same_as = "confused"\nac = -2', "same_as = 'confused': everything else is said by the other condition"),
        ('cast = "concentration"', "concentration_dc = 'None': belongs to cast concentration"),
        ('cast = "concentration"\nconcentration_dc = "10+CL"', "concentration_dc = '10+CL': is not known for conditions; accepted: CMB"),
        ('actions = "random_d100"\ntable = [{ max = 50, does = "nothing" }]', "table = [50]: max must rise from row to row, to 100"),
        ('actions = "nothing"', "actions = 'nothing': input should be 'normal'"),
        ("atack = -2", "atack = -2: unknown key (did you mean attack?)"),
    ],
)  # fmt: skip
def test_mistakes_in_conditions_are_named(own, text, message):
    with pytest.raises(ConfigError) as error:
        own(f'[[condition]]\nid = "odd"\n{text}\n')
    assert f"evocation.toml: condition odd: {message}" in str(error.value)
