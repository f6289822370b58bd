"""What all effects need of their source: points, rounds, saves, and how an effect is put in force or ended."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.amounts import amount
from duel_env.rules.pathfinder.codes import (
    ALWAYS,
    AT_SELF,
    CONCENTRATION,
    FOR_ROUNDS,
    HALVED,
    IN_ROUNDS,
    IN_ZONE_PLUS,
    LIKE_SPELL,
    NEGATED,
    ONLY_ON_SAVE,
    UNTIL_FREE,
)
from duel_env.rules.pathfinder.dice import FOR_ROUNDS as ROUNDS_DICE
from duel_env.rules.pathfinder.ongoing import add_ongoing, is_in_force, remove_ongoing
from duel_env.rules.pathfinder.rolls import roll_save
from duel_env.rules.pathfinder.state import LASTING, NONE

NOTHING, WHOLE, HALF = range(3)
"""How much of an effect a saving throw leaves."""


@kernel
def share_of(effect, saved):
    """NOTHING, WHOLE or HALF of an effect, by the result of the saving throw (0 failed or none, 1 made)."""
    on_save = effect["on_save"]
    if on_save == ONLY_ON_SAVE:
        return WHOLE if saved == 1 else NOTHING
    if saved == 0 or on_save == ALWAYS or effect["separate_saves"] == 1:
        return WHOLE
    if on_save == NEGATED:
        return NOTHING
    return HALF if on_save == HALVED else WHOLE


@kernel
def clear_passing(source):
    """Zero what only the effects of one application share."""
    source["critical"] = 0
    source["save"] = 0
    source["rounds"] = 0
    source["rolled"] = 0
    source["dealt"] = 0


@kernel
def source_from_row(core, row):
    """Make an effect in force the source of what happens next."""
    source = core["source"]
    clear_passing(source)
    source["spell"] = row["spell"]
    source["casting"] = row["casting"]
    source["caster"] = row["caster"]
    source["caster_level"] = row["caster_level"]
    source["slot_level"] = row["slot_level"]
    source["dc"] = row["dc"]
    source["save_penalty"] = row["save_penalty"]
    source["option"] = row["choice"]
    source["energy"] = row["choice"]
    source["rounds"] = row["rounds"]


@kernel
def zero_source(source):
    """No source: all fields 0."""
    clear_passing(source)
    source["spell"] = 0
    source["casting"] = 0
    source["caster"] = 0
    source["caster_level"] = 0
    source["slot_level"] = 0
    source["dc"] = 0
    source["save_penalty"] = 0
    source["option"] = 0
    source["energy"] = 0
    source["ability"] = 0
    source["pick"] = 0
    for k in range(source["named"].shape[0]):
        source["named"][k] = 0


@kernel
def sourced(core, rules, sheets, cup, number, purpose):
    """Amount `number` at the source's caster level, its dice thrown."""
    return np.int64(amount(core, rules, sheets, cup, number, np.int64(core["source"]["caster_level"]), purpose))


@kernel
def doubled(core, rules, sheets, cup, number, purpose):
    """As `sourced`; a critical hit throws and adds everything twice."""
    points = sourced(core, rules, sheets, cup, number, purpose)
    if core["source"]["critical"] == 1:
        points += sourced(core, rules, sheets, cup, number, purpose)
    return points


@kernel
def rounds_of(core, rules, sheets, cup, effect):
    """Rounds that an effect gets now; LASTING if it does not end by itself."""
    kind = effect["rounds_kind"]
    source = core["source"]
    if kind == IN_ROUNDS or kind == IN_ZONE_PLUS:
        return sourced(core, rules, sheets, cup, np.int64(effect["rounds"]), ROUNDS_DICE)
    if kind == LIKE_SPELL or kind == UNTIL_FREE:
        if source["rounds"] > 0:  # what holds somebody ends with the area that holds
            return np.int64(source["rounds"])
        record = rules["spells"][source["spell"]]
        if record["duration"] == FOR_ROUNDS or record["duration"] == CONCENTRATION:
            rounds = sourced(core, rules, sheets, cup, np.int64(record["rounds"]), ROUNDS_DICE)
            # true strike is for the next attack "before the end of the next round": a round is counted at the start of a turn.
            return 2 if rounds == 1 and record["target"] == AT_SELF else rounds
    return LASTING


@kernel
def lay(core, rules, sheets, target, number, rounds, value, uses, choice):
    """Put effect `number` in force on a duelist; returns its row, NONE if it has no room, no rounds or no power over him."""
    if rounds <= 0:
        return NONE
    until = np.int64(rules["effects"][number]["rounds_kind"])
    return np.int64(add_ongoing(core, rules, sheets, target, number, rounds, until, value, uses, choice))


@kernel
def makes_save(core, rules, sheets, cup, player, save, bonus):
    """A saving throw against the source. Who failed to counter it has the penalty on every one (rules page, section 4, step 8)."""
    source = core["source"]
    if player != source["caster"]:
        bonus -= np.int64(source["save_penalty"])
    return roll_save(core, rules, sheets, cup, player, save, np.int64(source["dc"]), np.int64(source["spell"]), bonus)


@kernel
def end_casting_on(core, rules, sheets, player, casting):
    """End everything of one casting on one duelist."""
    i = 0
    while i < core["num_ongoing"][player]:
        if core["ongoing"][player, i]["casting"] == casting:
            remove_ongoing(core, rules, sheets, player, i)
        else:
            i += 1


@kernel
def forget_if_over(core, casting):
    """Nobody concentrates on a casting that left nothing in force (implosion)."""
    if is_in_force(core, casting):
        return
    for player in range(2):
        if core["concentrates_on"][player] == casting:
            core["concentrates_on"][player] = NONE


@kernel
def next_due(core, player):
    """The first row that a pass over a duelist's effects has not seen to yet, no longer due from now on; NONE at its end.

    Rows move and vanish while effects happen; the mark moves with its row.
    """
    for i in range(core["num_ongoing"][player]):
        if core["ongoing"][player, i]["due"] == 1:
            core["ongoing"][player, i]["due"] = 0
            return i
    return NONE


@kernel
def find_row(core, player, number, casting):
    """The row of effect `number` of a casting, which a roll of dice may have moved; NONE if it is gone."""
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        if row["effect"] == number and row["casting"] == casting:
            return i
    return NONE


@kernel
def no_longer_due(core, player):
    """End a pass early."""
    for i in range(core["ongoing"].shape[1]):
        core["ongoing"][player, i]["due"] = 0
