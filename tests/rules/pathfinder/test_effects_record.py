"""The compiled book says what the data say, and refuses what the kernels do not know."""

import numpy as np
import pytest

from duel_env.errors import ConfigError
from duel_env.rules.pathfinder import codes
from duel_env.rules.pathfinder.rules_record import book_record
from duel_env.rules.pathfinder.spells import default_spell_book, load_spell_book
from duel_env.rules.pathfinder.state import MAX_LEVEL, RULES

DATA = """
[[spell]]
id = "trial"
en = "Trial"
fr = "Essai"
core = true
school = "evocation"
levels = { wizard = 3 }
casting_time = "standard"
components = ["V", "S"]
range = "long"
target = "area"
duel_target = "opponent"
duration = { type = "rounds", rounds = 3 }
dispellable = true
source = { book = "Core Rulebook" }
"""


@pytest.fixture(scope="module")
def record():
    rules = np.zeros(1, RULES)
    book_record(default_spell_book(), rules)
    return rules[0]


def with_effect(tmp_path, lines):
    path = tmp_path / "own.toml"
    path.write_text(f"{DATA}\n[[spell.effects]]\n{lines}\n", encoding="utf-8")
    rules = np.zeros(1, RULES)
    book = load_spell_book(extra=[path])
    book_record(book, rules)
    return rules[0], book


def test_every_kind_of_effect_is_there(record):
    kinds = {int(record["effects"][i]["kind"]) for i in range(record["num_effects"])}
    assert kinds == set(range(len(codes.EFFECT_KINDS)))


def test_lists_and_branches_stay_inside_of_their_spell(record):
    for number in range(record["num_spells"]):
        spell = record["spells"][number]
        last = record["spells"][number + 1]["first_effect"] if number + 1 < record["num_spells"] else record["num_effects"]
        inside = range(spell["first_effect"], last)
        assert spell["first_effect"] + spell["num_effects"] <= last
        for i in inside:
            effect = record["effects"][i]
            assert effect["spell"] == number
            for k in range(effect["first_branch"], effect["first_branch"] + effect["num_branches"]):
                branch = record["branches"][k]
                assert branch["first"] in inside or branch["count"] <= 0
                assert branch["first"] + branch["count"] <= last


def test_amounts_are_what_the_expressions_say(record):
    book = default_spell_book()
    for number, spell in enumerate(book.spells):
        at = record["spells"][number]["rounds"]
        assert (at < 0) == (spell.duration.rounds is None)
        if at < 0 or "d(" in str(spell.duration.rounds):
            continue
        for level in range(1, MAX_LEVEL + 1):
            row = record["amounts"][at, level]
            assert int(row["constant"]) * int(row["mul"]) // int(row["div"]) == spell.duration.rounds.value({"CL": level})


def test_headers(record):
    book = default_spell_book()
    spells = {spell.id: record["spells"][number] for number, spell in enumerate(book.spells)}
    assert spells["fireball"]["fire"] == spells["fireball"]["disperses_mist"] == spells["fireball"]["save_used"] == 1
    assert spells["dragons_breath"]["fire"] == 2
    assert spells["dragons_breath"]["energies"] == 0b1111
    assert spells["force_punch"]["save_used"] == 0
    assert spells["charm_person"]["save_bonus"] == 5
    assert spells["imprisonment"]["save_bonus"] == -4
    assert spells["hideous_laughter"]["save_bonus"] == 0, "duelists are of one creature type"
    assert spells["feeblemind"]["arcane_save_penalty"] == 4
    assert spells["bestow_curse"]["curse"] == 1
    assert [spells[name]["needs_approach"] for name in ("shocking_grasp", "burning_hands", "fireball")] == [1, 1, 0]
    assert list(spells["haste"]["counters"]) == [book.number("slow"), -1]
    assert spells["prayer"]["duel_target"] == codes.ON_BOTH
    assert spells["dispel_magic"]["may_target_self"] == 1
    assert record["magic_missile"] == book.number("magic_missile")


def test_conditions(record):
    rules = {name: record["conditions"][number] for number, name in enumerate(codes.CONDITIONS)}
    assert rules["entangled"]["concentration"] == 15
    assert rules["grappled"]["concentration"] == -2
    assert rules["shaken"]["concentration"] == -1
    assert rules["banished"]["ends_duel"] == 2
    assert rules["petrified"]["ends_duel"] == 1
    assert rules["insane"].tobytes() == rules["confused"].tobytes()
    assert rules["paralyzed"]["sets_strength"] == rules["paralyzed"]["helpless"] == rules["paralyzed"]["no_actions"] == 1


def test_terms_are_left_as_they_are():
    rules = np.zeros(1, RULES)
    rules["max_rounds"] = 17
    rules["effects"] = np.ones((), rules["effects"].dtype)
    book_record(default_spell_book(), rules)
    assert rules["max_rounds"] == 17
    other = np.zeros(1, RULES)
    other["max_rounds"] = 17
    book_record(default_spell_book(), other)
    assert rules.tobytes() == other.tobytes()


def test_an_own_spell_is_compiled(tmp_path):
    record, book = with_effect(tmp_path, 'kind = "damage"\namount = "d(2,6)+MOD"\ntype = "cold"')
    effect = record["effects"][record["spells"][book.number("trial")]["first_effect"]]
    row = record["amounts"][effect["amount"], 5]
    assert (row["n1"], row["f1"], row["mod"]) == (2, 6, 1)
    assert effect["damage_type"] == codes.COLD


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('kind = "damage"\namount = "SL"\ntype = "cold"', "spell trial: effects.damage.amount = SL"),
        (
            'kind = "damage"\namount = 9\ntype = "split"\nsplit = [{ type = "fire", share = 0.25 }, { type = "divine", share = 0.75 }]',
            "spell trial: effects.damage.split",
        ),
        (
            'kind = "zone"\non = "target"\nrounds = 3\nexit_moves = 1\nblocks_sight = false\neach_turn = []\nburned_by = "acid"',
            "burned_by",
        ),
        ('kind = "extra_turns"\nturns = 2', "restriction"),
        ('kind = "reroll"\nmode = "worst"\nrolls = 1\nrounds = 3\nnegate = { action = "swift", per_use = 1 }', "negate"),
        (
            'kind = "miss_chance"\npercent = 20\nvs = "attacks"\nrounds = 3\nreduced_by = [{ sense = "true_seeing", percent = 5 }]',
            "reduced_by",
        ),
        (
            'kind = "spell_ward"\nmode = "named"\nspells = ["fireball", "web"]\nrounds = 3',
            "effects.spell_ward.spells = fireball, web",
        ),
        (
            'kind = "action"\naction_id = "sing"\ncost = "move"\nuses = 2\nfirst = "next_turn"\nattack = "none"\nsave = "none"\n'
            'effects = [{ kind = "heal", amount = 2 }]',
            "effects.action.action_id = sing",
        ),
        (
            'kind = "auto_attack"\nbonus = 2\nvs = "ac"\ncrit = { threat = 20, multiplier = 3 }\niterative = false\n'
            'when = "on_cast_and_each_own_turn"\nrounds = 3\neffects = [{ kind = "damage", amount = 2, type = "force" }]',
            "crit.multiplier = 3",
        ),
    ],
)
def test_what_the_kernels_do_not_know_is_named(tmp_path, lines, message):
    with pytest.raises(ConfigError, match="the duel's rules do not know this; accepted: ") as error:
        with_effect(tmp_path, lines)
    assert message in str(error.value)
    assert "spell trial: " in str(error.value)
