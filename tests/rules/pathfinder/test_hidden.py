"""What a player may not know changes neither what he sees nor what he may do; and every part of what he sees is reached by play."""

from typing import Any

import numpy as np
import pytest

from duel_env.rules.graph import PLAYER
from duel_env.rules.pathfinder.codes import IMAGES, ZONE
from duel_env.rules.pathfinder.state import CHOICE_IN_SPELL, MAX_ENTRIES, NONE, STARE_DOWN, TURN
from tests.rules.pathfinder.fights import COMPILED, Fight, book, decisions, game, make_sheet, play_out, random_batch, setup, view

TERMS: dict[str, dict[str, Any]] = {
    "default": {},
    "asked_and_stared_down": {"opening": "stare_down", "ask_forced": True, "recall": "current"},
    "class_hidden": {"show_opponent_class": False, "flat_footed_start": False, "dispel_unidentified": True},
}
every_terms = pytest.mark.parametrize("terms", TERMS.values(), ids=TERMS.keys())


def is_secret_casting(core: Any, player: int) -> bool:
    """Whether the opponent of `player` casts something that `player` did not identify."""
    casting = core["casting"]
    if casting["spell"] == NONE or casting["caster"] == player:
        return False
    inside = core["phase"] == CHOICE_IN_SPELL and core["current_player"] != player
    return bool(inside or casting["identified"] == 0)


def hide(of: Any, core: Any, sheets: Any, player: int, rng: np.random.Generator) -> None:
    """Change everything that `player` may not know."""
    other = 1 - player
    number = _Numbers(rng)
    _hide_means(core, other, number)
    _hide_body(core, sheets, other, number)
    _hide_what_is_under_way(of, core, sheets, other, number)
    _hide_effects(of, core, other, number)
    # what the opponent recognised, and did not
    core["seen"][player] = number.array(0, 9, core["seen"].shape[1])
    core["spent"][player] = number.array(0, 9, core["spent"].shape[1])
    core["unknown_castings"][player] = number(0, 9)
    _hide_sheet(of, sheets, other, number)


class _Numbers:
    """Random integers, the upper bound excluded."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def __call__(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high))

    def array(self, low: int, high: int, count: int) -> Any:
        return self.rng.integers(low, high, count)


def _hide_means(core: Any, other: int, number: _Numbers) -> None:
    core["copies"][other] = number.array(0, 5, MAX_ENTRIES)
    core["slots"][other] = number.array(0, 7, core["slots"].shape[1])
    core["staff_charges"][other], core["bonded_used"][other] = number(0, 11), number(0, 2)
    core["readied"][other] = number(0, 2)


def _hide_body(core: Any, sheets: Any, other: int, number: _Numbers) -> None:
    """Temporary hit points, wounds within a quarter, what abilities lost, what effects come to."""
    core["temp_hp"][other], core["temp_hp_rounds"][other] = number(0, 40), number(0, 40)
    most = int(sheets[other]["hit_points"])
    for name in ("hit_points", "nonlethal"):
        now = int(core[name][other])
        if 0 <= now <= most:
            alike = [value for value in range(most + 1) if np.ceil(value / most * 4) == np.ceil(now / most * 4)]
            core[name][other] = alike[number(0, len(alike))]
    core["ability_damage"][other], core["ability_drain"][other] = number.array(0, 9, 6), number.array(0, 9, 6)
    core["last_continuous_damage"][other], core["con_hp"][other] = number(0, 30), number(-9, 9)
    core["totals"][other] = number.array(-9, 9, core["totals"].shape[1])
    core["saves_versus"][other], core["attack_versus"][other] = number(-9, 9), number(-9, 9)
    core["immune_conditions"][other] = np.uint64(number(0, 2**46))
    core["immune"][other], core["senses"][other] = number(0, 64), number(0, 16)
    core["sanctuary_failed"][other], core["stable_at"][other] = number(0, 2), number(-9, 1)


def _hide_what_is_under_way(of: Any, core: Any, sheets: Any, other: int, number: _Numbers) -> None:
    """The stare-down, held charges, concentration, and the casting, of which what was identified stays."""
    spells = int(of.rules[0]["num_spells"])
    casting, pending = core["casting"], core["one_round_spell"][other]
    core["castings"], core["stare"][other] = number(0, 300), number(-1, 3)
    core["kept_concentration"][other] = number(0, 2)
    if core["touch_charges"][other] > 0:
        core["touch_charges"][other], core["touch_spell"][other] = number(1, 20), number(0, spells)
        core["touch_level"][other], core["touch_caster_level"][other] = number(0, 9), number(1, 20)
    if core["concentrates_on"][other] != NONE:
        core["concentrates_on"][other] = number(0, 100)
    if pending["spell"] != NONE:
        _change_casting(pending, sheets[other], spells, number)
        pending["identified"] = number(0, 2)
    if casting["spell"] != NONE and casting["caster"] == other:
        spell, level = int(casting["spell"]), int(casting["level"])
        known = not is_secret_casting(core, 1 - other)
        _change_casting(casting, sheets[other], spells, number)
        if known:
            casting["spell"], casting["level"] = spell, level
    if casting["spell"] != NONE and casting["caster"] != other:  # whether it was recognised, and what is spent against it
        casting["identified"], casting["shown"], casting["tried"] = number(0, 2), number(0, 2), number(0, 2)
        casting["counter_entry"], casting["counter_readied"] = number(0, MAX_ENTRIES), number(0, 2)
    for name in ("identified", "shown", "tried"):
        if core["one_round_spell"][1 - other]["spell"] != NONE:
            core["one_round_spell"][1 - other][name] = number(0, 2)
    if core["phase"] == CHOICE_IN_SPELL and core["current_player"] == other:
        core["choosing"] = number(1, 9)


def _hide_effects(of: Any, core: Any, other: int, number: _Numbers) -> None:
    """Numbers of the opponent's own spells on himself, but how many images there are and how far an area reaches."""
    for row in core["ongoing"][other][: core["num_ongoing"][other]]:
        if row["caster"] != other:
            continue
        kind = of.rules[0]["effects"][row["effect"]]["kind"]
        row["rounds"], row["uses"], row["dc"] = number(1, 400), number(0, 20), number(10, 30)
        row["caster_level"], row["slot_level"], row["save_penalty"] = number(1, 20), number(0, 9), number(0, 3)
        row["choice"] = number(0, 4)
        if kind != IMAGES:
            row["value"] = number(-20, 20)
        if kind != ZONE:
            row["stage"] = number(0, 2)


def _hide_sheet(of: Any, sheets: Any, other: int, number: _Numbers) -> None:
    """Everything but class, level and hit points, on which the share that is left depends."""
    kept = ["hit_points", *(["class_id", "level"] if of.options.show_opponent_class else [])]
    stranger = setup()["pool"][0, other, number(0, int(setup()["num_pool"][0, other]))]
    for name in stranger.dtype.names:
        if name not in kept:
            sheets[other][name] = stranger[name]


def _change_casting(casting: Any, sheet: Any, spells: int, number: _Numbers) -> None:
    """Another spell, entry, level, slot and other choices; whether it is quickened shows."""
    for name, low, high in (
        ("spell", 0, spells),
        ("entry", 0, max(int(sheet["num_entries"]), 1)),
        ("level", 0, 10),
        ("slot_level", 0, 10),
        ("caster_level", 1, 21),
        ("dc", 10, 40),
        ("at_self", 0, 2),
        ("by_bonded_object", 0, 2),
        ("option", 0, 3),
        ("energy", 0, 5),
        ("ability", 0, 6),
        ("pick", -1, 5),
        ("num_chosen", 0, 3),
        ("hit_points", 1, 60),
    ):
        casting[name] = number(low, high)
    casting["named"] = number.array(-1, spells, 5)


@every_terms
def test_nothing_hidden_shows(terms):
    rng = np.random.default_rng(5)
    secret, inside, stared = 0, 0, 0
    for of, core, sheets in decisions(51, 0.25, **terms):
        for player in range(2):
            seen, mask = view(of, core, sheets, player)
            changed, changed_sheets = np.array([core], core.dtype), sheets.copy()
            hide(of, changed[0], changed_sheets, player, rng)
            other_seen, other_mask = view(of, changed[0], changed_sheets, player)
            differs = np.flatnonzero(seen != other_seen)
            assert differs.size == 0, [of.layout[k].name for k in differs]
            if is_secret_casting(core, player) or core["casting"]["spell"] == NONE or core["casting"]["caster"] == player:
                differs = np.flatnonzero(mask != other_mask)
                assert differs.size == 0, [of.actions[k].id for k in differs]
            secret += is_secret_casting(core, player)
            inside += core["phase"] == CHOICE_IN_SPELL
            stared += core["phase"] == STARE_DOWN
    assert (secret > 0 and inside > 0) or not COMPILED
    assert stared > 0 or terms.get("opening") != "stare_down" or not COMPILED


def test_identified_castings_hide_the_choices_made_in_them():
    """Whoever answers an identified spell knows the spell and its level, and that decides what can be spent."""
    rng = np.random.default_rng(6)
    found = 0
    for of, core, sheets in decisions(52, 1.0, flat_footed_start=False):
        player = int(core["current_player"])
        casting = core["casting"]
        if core["phase"] <= CHOICE_IN_SPELL or casting["identified"] == 0 or casting["caster"] == player:
            continue
        found += 1
        seen, mask = view(of, core, sheets, player)
        hide(of, core, sheets, player, rng)
        other_seen, other_mask = view(of, core, sheets, player)
        np.testing.assert_array_equal(seen, other_seen)
        np.testing.assert_array_equal(mask, other_mask)
    assert found > 0 or not COMPILED


def test_what_is_not_hidden_shows():
    duel = Fight(
        make_sheet(("mirror_image", "fireball", "shield")), make_sheet(("shield", "dispel_magic")), flat_footed_start=False
    )
    duel.act("mirror_image", spellcraft=20)
    assert duel.sees(1, "casting_theirs") == 1
    assert duel.sees(1, "casting_identified") == 1
    assert duel.sees(1, "casting_mirror_image") == 1
    assert duel.sees(1, "casting_level") == pytest.approx(2 / 9)
    duel.act("pass", points=3)
    assert duel.sees(1, "opponent_images") == pytest.approx(6 / 8)
    assert duel.sees(1, "opponent_effect_mirror_image") == 1
    assert duel.sees(0, "own_effect_mirror_image") == 1
    assert duel.sees(1, "opponent_seen_mirror_image") == pytest.approx(1 / 4)
    assert duel.sees(1, "opponent_spent_2") == pytest.approx(1 / 9)
    assert duel.sees(0, "available_mirror_image") == pytest.approx(2 / 4)


def test_an_unidentified_casting_shows_that_there_is_one():
    duel = Fight(make_sheet(("fireball",)), make_sheet(("dispel_magic",)), flat_footed_start=False)
    duel.act("fireball", spellcraft=1)
    assert duel.sees(1, "casting_theirs") == 1
    assert duel.sees(1, "casting_identified") == 0
    assert duel.sees(1, "casting_level") == 0
    assert duel.sees(1, "casting_fireball") == 0
    assert duel.sees(0, "casting_fireball") == 1


NEVER = {
    "opponent_temp_hit_points",  # hidden
    "opponent_ability_damage",  # hidden
    "opponent_readied",  # hidden
    "own_slots_0",  # cantrips are at will
    "own_is_cowering",  # no spell of the book brings it
    "opponent_is_cowering",
    "own_is_fascinated",  # no spell of the book brings it
    "opponent_is_fascinated",
}
"""Features that no duel reaches."""
BY_SPELL = ("casting_", "available_", "available_quickened_", "own_effect_", "opponent_effect_", "opponent_seen_")
MOST_SPELLS = 0.65
"""Share of the features with a spell's name that these few duels reach at least. Many spells leave nothing in force."""


@pytest.mark.skipif(not COMPILED, reason="takes many duels")
def test_every_feature_is_reached_by_some_duel():
    names = [row.name for row in game().layout]
    of_spells = {block + spell.id for block in BY_SPELL for spell in book().spells}
    reached = np.zeros(len(names), bool)
    for seed, terms in enumerate(
        ({}, {"opening": "stare_down"}, {"flat_footed_start": False, "end": "death"}, {"arena": "safe"})
    ):
        strong = setup(("random:any:9-20", "random:any:1-20"), 96, seed)
        batch = random_batch(game(**terms), 192, seed, strong)
        rows = np.arange(batch.num_envs)
        for _ in play_out(batch, np.random.default_rng(seed)):
            for player in (1, 0):
                batch.view(rows, np.full(batch.num_envs, player, np.int8))
                reached |= (batch.observation != 0).any(axis=0)
            batch.view(rows)
    missing = {name for name, hit in zip(names, reached, strict=True) if not hit}
    assert missing - of_spells == NEVER
    assert len(missing & of_spells) < (1 - MOST_SPELLS) * len(of_spells & set(names))


def test_the_current_player_is_the_only_one_with_a_mask():
    for of, core, sheets in decisions(53, 0.05):
        assert core["node"] == PLAYER
        assert core["phase"] <= TURN or core["current_player"] >= 0
        assert not view(of, core, sheets, 1 - int(core["current_player"]))[1].any()
