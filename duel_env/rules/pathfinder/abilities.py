"""Ability scores at present, what is computed from them alone, and the most hit points."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.codes import ABILITY, ABILITY_PENALTY, ABILITY_STR, CHA, DEX, INT, STR
from duel_env.rules.pathfinder.hindrances import (
    NUM_CONDITIONS,
    any_helpless,
    any_sets_mind,
    any_sets_strength,
    has,
)
from duel_env.rules.pathfinder.state import CORE, RULES, SHEETS
from duel_env.rules.units import NUMBER, unit


@kernel
def enduring_score(core, sheets, player, ability):
    """A score with its bonuses, less drain and damage: what decides whether it is 0. Penalties cannot bring it there."""
    score = np.int64(sheets[player]["scores"][ability]) + np.int64(core["totals"][player, ABILITY_STR + ability])
    score -= np.int64(core["ability_drain"][player, ability]) + np.int64(core["ability_damage"][player, ability])
    return max(score, 0)


@kernel
def _lowers(rules, row, ability):
    """By how much a row is a penalty to an ability."""
    effect = rules["effects"][row["effect"]]
    if effect["kind"] != ABILITY or effect["mode"] != ABILITY_PENALTY or row["suppressed"] == 1:
        return 0
    abilities = np.int64(effect["abilities"])
    if (abilities >> ability) & 1 == 1 or (abilities == 0 and row["choice"] == ability):
        return np.int64(row["value"])
    return 0


@kernel
def _penalty(core, rules, player, ability):
    """Penalties of spells and conditions: they add up, but the same spell counts once."""
    points = 0
    count = core["num_ongoing"][player]
    for i in range(count):
        row = core["ongoing"][player, i]
        mine = _lowers(rules, row, ability)
        if mine <= 0:
            continue
        outdone = False
        for j in range(count):
            other = core["ongoing"][player, j]
            if j != i and other["spell"] == row["spell"]:
                theirs = _lowers(rules, other, ability)
                outdone = outdone or theirs > mine or (theirs == mine and j < i)
        if not outdone:
            points += mine
    if ability == STR or ability == DEX:
        for condition in range(NUM_CONDITIONS):
            if has(core, player, condition):
                record = rules["conditions"][condition]
                points -= np.int64(record["strength"]) if ability == STR else np.int64(record["dexterity"])
    return points


@unit(CORE, RULES, SHEETS, NUMBER, NUMBER)
def ability_score(core, rules, sheets, player, ability):
    """A score at present.

    Damage counts as a lower score, so that every two points are -1 to what depends on it; penalties leave at least 1. Who is helpless
    has Dexterity 0 (rules page, section 6).

    Args:
        core, rules, sheets: as everywhere.
        player: 0 or 1.
        ability: of codes.ABILITIES.

    Returns:
        the score, 0 or more.
    """
    score = enduring_score(core, sheets, player, ability)
    if score > 1:
        score = max(score - _penalty(core, rules, player, ability), 1)
    if ability == DEX and any_helpless(core, rules, player):
        return 0
    if ability == STR and any_sets_strength(core, rules, player):
        return 0
    if (ability == INT or ability == CHA) and any_sets_mind(core, rules, player):
        return min(score, 1)
    return score


@kernel
def ability_modifier(core, rules, sheets, player, ability):
    """(score - 10) / 2, rounded down."""
    return (ability_score(core, rules, sheets, player, ability) - 10) // 2


@kernel
def casting_modifier(core, rules, sheets, player):
    """Modifier of the ability that a duelist casts with."""
    return ability_modifier(core, rules, sheets, player, np.int64(sheets[player]["casting_ability"]))


@kernel
def max_hit_points(core, sheets, player):
    """The most hit points at present: those of the sheet, with what Constitution and lost levels give or take."""
    return np.int64(sheets[player]["hit_points"]) + np.int64(core["con_hp"][player])
