"""What a player sees: the only door from a duel to a player. The layout table is the only description of the vector.

Blocks are written in the order of `layout.layout`. Everything about the opponent comes from what the rules let a player see: the body from
outside, effects in force, spells that were recognised. Prepared spells, slots, the readied action, an unidentified casting and hidden dice
are never read here.
"""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.codes import (
    AT_WILL,
    CLASSES,
    CONDITIONS,
    IMAGES,
    KNOWN,
    PREPARED,
    ZONE,
)
from duel_env.rules.pathfinder.layout import BODY_SIZE, MEANS_SIZE, NUM_PHASES, PHASE_SIZE, SHEETS_SIZE, SITUATION_SIZE
from duel_env.rules.pathfinder.resources import has_means
from duel_env.rules.pathfinder.state import CHOICE_IN_SPELL, CORE, LASTING, NONE, NUM_SLOT_LEVELS, RULES, SHEETS
from duel_env.rules.units import FEATURES, NUMBER, unit

_NUM_CONDITIONS = len(CONDITIONS)
_NUM_CLASSES = len(CLASSES)
_ROUNDS_SHOWN = 50.0


@kernel
def state_size(rules):
    """Number of leading features that depend on the state; the sheets' features follow."""
    spells = np.int64(rules["num_spells"])
    size = SITUATION_SIZE + PHASE_SIZE + 2 * (BODY_SIZE + _NUM_CONDITIONS) + MEANS_SIZE + 5 * spells
    if rules["perfect_recall"] == 1:
        size += spells + NUM_SLOT_LEVELS + 3
    return size


@kernel
def sheets_size(rules):
    """Number of features that depend on the sheets."""
    return SHEETS_SIZE


@kernel
def _share(value, most):
    """A number as a share of `most`, at most 1."""
    return np.float32(min(max(value / most, 0.0), 1.0))


@kernel
def _quarters(share):
    """A share as an onlooker judges it: 0, or the quarter that it lies in."""
    return np.float32(np.ceil(min(max(share, 0.0), 1.0) * 4.0) / 4.0)


@kernel
def _write_situation(core, rules, player, out):
    casting = core["casting"]
    in_progress = casting["spell"] != NONE
    own = in_progress and casting["caster"] == player
    known = own or casting["identified"] == 1
    out[0] = _share(np.float64(core["round"]), np.float64(rules["max_rounds"]))
    out[1] = core["active"] == player
    out[2] = core["asked"] == 0
    out[3] = core["standard_used"]
    out[4] = core["move_used"]
    out[5] = core["swift_used"]
    out[6] = core["turn_lost"]
    out[7] = core["near"]
    # While the caster still decides inside his spell, the other side knows nothing of it.
    announced = in_progress and not (core["phase"] == CHOICE_IN_SPELL and core["current_player"] == casting["caster"])
    out[8] = own
    out[9] = announced and not own
    out[10] = announced and not own and casting["identified"] == 1
    if in_progress and (own or announced):
        out[11] = _share(np.float64(casting["level"]), 9.0) if known else np.float32(0.0)
        out[12] = casting["quickened"]
        out[13] = _share(np.float64(casting["slot_level"]), 9.0) if own else np.float32(0.0)
        if known:
            out[_CASTING_AT + np.int64(casting["spell"])] = 1.0
    if core["current_player"] == player:
        out[SITUATION_SIZE + core["phase"]] = 1.0
        if core["phase"] == CHOICE_IN_SPELL:
            out[SITUATION_SIZE + NUM_PHASES + core["choosing"] - 1] = 1.0


_BODIES_AT = SITUATION_SIZE + PHASE_SIZE
_MEANS_AT = _BODIES_AT + 2 * (BODY_SIZE + _NUM_CONDITIONS)
_CASTING_AT = _MEANS_AT + MEANS_SIZE


@kernel
def _write_body(core, rules, sheets, who, is_own, out, at):
    most = np.float64(sheets[who]["hit_points"])
    hit_points, nonlethal = core["hit_points"][who] / most, core["nonlethal"][who] / most
    exact = is_own or rules["show_exact_hit_points"] == 1
    out[at] = _share(hit_points, 1.0) if exact else _quarters(hit_points)
    out[at + 1] = _share(nonlethal, 1.0) if exact else _quarters(nonlethal)
    out[at + 3] = _share(np.float64(core["negative_levels"][who]), 20.0)
    if is_own:
        out[at + 2] = _share(np.float64(core["temp_hp"][who]), 100.0)
        lost = 0
        for ability in range(6):
            lost += np.int64(core["ability_damage"][who, ability]) + np.int64(core["ability_drain"][who, ability])
        out[at + 4] = _share(np.float64(lost), 30.0)
        out[at + 9] = core["readied"][who]
    out[at + 7] = core["counter_used"][who]
    out[at + 8] = core["immediate_spent"][who]
    out[at + 10] = core["one_round_spell"][who]["spell"] != NONE
    out[at + 11] = core["concentrates_on"][who] != NONE
    out[at + 12] = core["touch_charges"][who] > 0
    out[at + 13] = _share(np.float64(core["extra_turns"][who]), 5.0)
    out[at + 14] = core["in_time_stop"][who]
    out[at + 15] = _share(np.float64(core["confused_roll"][who]), 100.0)
    conditions = core["conditions"][who]
    for condition in range(_NUM_CONDITIONS):
        out[at + BODY_SIZE + condition] = np.float32((conditions >> np.uint64(condition)) & np.uint64(1))


@kernel
def _write_effects(core, rules, who, player, out, body_at, effects_at):
    """Effects in force on a duelist: spells by rounds left, images, areas."""
    for i in range(core["num_ongoing"][who]):
        row = core["ongoing"][who, i]
        effect = rules["effects"][row["effect"]]
        known = who == player or row["caster"] == player
        rounds = _share(np.float64(min(row["rounds"], LASTING)), _ROUNDS_SHOWN) if known else np.float32(1.0)
        at = effects_at + np.int64(row["spell"])
        out[at] = max(out[at], max(rounds, np.float32(0.02)))
        if effect["kind"] == IMAGES:
            out[body_at + 5] = _share(np.float64(row["value"]), 8.0)
        elif effect["kind"] == ZONE:
            left = np.int64(effect["exit_moves"]) - np.int64(row["stage"])
            out[body_at + 6] = min(out[body_at + 6] + _share(np.float64(max(left, 0)), 6.0), np.float32(1.0))


@kernel
def _write_means(core, sheets, player, out, available_at, quickened_at):
    sheet = sheets[player]
    for level in range(NUM_SLOT_LEVELS):
        out[_MEANS_AT + level] = _share(np.float64(core["slots"][player, level]), 9.0)
    out[_MEANS_AT + NUM_SLOT_LEVELS] = _share(np.float64(core["staff_charges"][player]), 10.0)
    out[_MEANS_AT + NUM_SLOT_LEVELS + 1] = sheet["has_bonded_object"] == 1 and core["bonded_used"][player] == 0
    for entry in range(sheet["num_entries"]):
        at = (quickened_at if sheet["entry_quickened"][entry] == 1 else available_at) + np.int64(sheet["entry_spell"][entry])
        kind = sheet["entry_kind"][entry]
        if kind == PREPARED:
            out[at] = min(out[at] + _share(np.float64(core["copies"][player, entry]), 4.0), np.float32(1.0))
        elif kind == AT_WILL or kind == KNOWN:
            out[at] = has_means(core, sheets, player, entry)
        elif has_means(core, sheets, player, entry):  # once: a staff, the bonded object, a prepared spell turned into it
            out[at] = max(out[at], np.float32(0.25))


@kernel
def _write_history(core, rules, player, out, at):
    """What the player knows of the castings so far. What the opponent recognised of the own ones is hidden: it tells of secret rolls."""
    spells = np.int64(rules["num_spells"])
    other = 1 - player
    for spell in range(spells):
        out[at + spell] = _share(np.float64(core["seen"][other, spell]), 4.0)
    at += spells
    for level in range(NUM_SLOT_LEVELS):
        out[at + level] = _share(np.float64(core["spent"][other, level]), 9.0)
    at += NUM_SLOT_LEVELS
    out[at] = _share(np.float64(core["unknown_castings"][other]), 10.0)
    out[at + 1] = _share(np.float64(core["counters_seen"][player]), 10.0)
    out[at + 2] = _share(np.float64(core["counters_seen"][other]), 10.0)


@unit(CORE, RULES, SHEETS, NUMBER, FEATURES)
def write_core_features(core, rules, sheets, player, out):
    """Write what `player` sees of the duel: float32 (state_size,), each in [0, 1].

    Mutates:
        out.
    """
    spells = np.int64(rules["num_spells"])
    for k in range(_CASTING_AT + 5 * spells):
        out[k] = 0.0
    _write_situation(core, rules, player, out)
    for side in range(2):
        who = player if side == 0 else 1 - player
        body_at = _BODIES_AT + side * (BODY_SIZE + _NUM_CONDITIONS)
        _write_body(core, rules, sheets, who, side == 0, out, body_at)
        _write_effects(core, rules, who, player, out, body_at, _CASTING_AT + (3 + side) * spells)
    _write_means(core, sheets, player, out, _CASTING_AT + spells, _CASTING_AT + 2 * spells)
    if rules["perfect_recall"] == 1:
        _write_history(core, rules, player, out, _CASTING_AT + 5 * spells)


@unit(RULES, SHEETS, NUMBER, FEATURES)
def write_sheets_features(rules, sheets, player, out):
    """Write what `player` sees of the two sheets: float32 (sheets_size,), each in [0, 1].

    Mutates:
        out.
    """
    for k in range(SHEETS_SIZE):
        out[k] = 0.0
    for side in range(2):
        sheet = sheets[player if side == 0 else 1 - player]
        at = side * (_NUM_CLASSES + 1)
        if side == 0 or rules["show_opponent_class"] == 1:
            out[at + np.int64(sheet["class_id"])] = 1.0
            out[at + _NUM_CLASSES] = _share(np.float64(sheet["level"]), 20.0)
    own = sheets[player]
    at = 2 * (_NUM_CLASSES + 1)
    out[at] = _share(np.float64(own["hit_points"]), 250.0)
    out[at + 1] = _share(np.float64(own["scores"][own["casting_ability"]]), 40.0)
    out[at + 2] = _share(np.float64(own["base_attack"]), 20.0)
    for save in range(3):
        out[at + 3 + save] = _share(np.float64(own["saves"][save]), 20.0)
    out[at + 6] = _share(np.float64(own["spellcraft"]), 40.0)
    out[at + 7] = _share(np.float64(own["penetration"]), 10.0)
