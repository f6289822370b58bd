"""Which spells of a sheet can be cast now."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.abilities import ability_score
from duel_env.rules.pathfinder.codes import (
    AT_CREATURE,
    COST_FULL_ROUND,
    COST_STANDARD,
    COST_SWIFT,
    TOUCH_DELIVERY,
)
from duel_env.rules.pathfinder.economy import (
    can_approach,
    can_pay,
    cost_of_casting,
    must_approach,
)
from duel_env.rules.pathfinder.hindrances import (
    any_no_casting,
    any_no_hostile,
    any_no_targeting,
    any_no_verbal,
    any_untargetable,
)
from duel_env.rules.pathfinder.resources import has_means, has_own_means
from duel_env.rules.pathfinder.sight import can_see
from duel_env.rules.pathfinder.state import (
    CORE,
    NONE,
    RULES,
    SHEETS,
)
from duel_env.rules.units import NUMBER, unit

(
    PAYS_STANDARD,
    PAYS_SWIFT,
    PAYS_FULL_ROUND,
    SPEAKS,
    HARMS,
    SEES,
    COMES_STANDARD,
    COMES_SWIFT,
) = (1 << bit for bit in range(8))
"""What a player can do in a casting now: pay each cost; speak; harm the opponent; see the opponent as a target; approach besides a standard
or a swift action."""
_LEVEL_SHIFT = 16


@kernel
def _delivers_touch(core, rules, player, spell, level):
    """Whether a spectral hand carries a touch spell."""
    if rules["spells"][spell]["touch"] == 0:
        return False
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        if effect["kind"] == TOUCH_DELIVERY and row["suppressed"] == 0 and level <= effect["max_spell_level"]:
            return True
    return False


@kernel
def needs_move(core, rules, player, spell, level):
    """Whether the caster has to approach for a spell on the opponent."""
    return must_approach(core, rules, spell, True) and not _delivers_touch(core, rules, player, spell, level)


@kernel
def may_act_against(core, rules, player):
    """Whether a player may do anything to the opponent, who can be reached by nothing in another world, in ice or outside of time."""
    hindered = core["in_time_stop"][player] == 1 or any_no_hostile(core, rules, player)
    return not hindered and not any_untargetable(core, rules, 1 - player)


@kernel
def sees_target(core, rules, player):
    """Whether a player can point at the opponent."""
    return not any_no_targeting(core, rules, player) and can_see(core, rules, player, 1 - player)


@kernel
def _aims(rules, record, harms, sees):
    """Whether a spell can be aimed at the opponent by who may harm him and sees him, or not; distance aside."""
    if not harms or (record["needs_plants"] == 1 and rules["plants"] == 0):
        return False
    return record["target"] != AT_CREATURE or sees


@kernel
def may_harm(core, rules, player, spell):
    """Whether a player may and can aim a spell at the opponent, distance aside."""
    harms, sees = may_act_against(core, rules, player), sees_target(core, rules, player)
    return _aims(rules, rules["spells"][spell], harms, sees)


@unit(CORE, RULES, SHEETS, NUMBER)
def casting_powers(core, rules, sheets, player):
    """All that does not depend on which spell a player casts, for `may_cast_with`: bits PAYS_STANDARD ... COMES_SWIFT.

    Above them, shifted by 16, stands the highest level of spells that the casting ability allows, plus 1. 0: nothing can be cast.
    """
    score = ability_score(core, rules, sheets, player, np.int64(sheets[player]["casting_ability"]))
    if score < 10 or any_no_casting(core, rules, player):
        return 0
    powers = (score - 9) << _LEVEL_SHIFT
    powers |= PAYS_STANDARD if can_pay(core, rules, player, COST_STANDARD) else 0
    powers |= PAYS_SWIFT if can_pay(core, rules, player, COST_SWIFT) else 0
    powers |= PAYS_FULL_ROUND if can_pay(core, rules, player, COST_FULL_ROUND) else 0
    powers |= 0 if any_no_verbal(core, rules, player) else SPEAKS
    powers |= HARMS if may_act_against(core, rules, player) else 0
    powers |= SEES if sees_target(core, rules, player) else 0
    powers |= COMES_STANDARD if can_approach(core, rules, player, COST_STANDARD) else 0
    powers |= COMES_SWIFT if can_approach(core, rules, player, COST_SWIFT) else 0
    return powers


@kernel
def may_cast_with(core, rules, sheets, player, entry, powers):
    """Whether the active player, whose `casting_powers` are known, may cast an entry of the sheet now."""
    sheet = sheets[player]
    spell, level = np.int64(sheet["entry_spell"][entry]), np.int64(sheet["entry_level"][entry])
    if level >= powers >> _LEVEL_SHIFT or not has_means(core, sheets, player, entry):
        return False
    record = rules["spells"][spell]
    cost = cost_of_casting(rules, spell, sheet["entry_quickened"][entry])
    pays = PAYS_STANDARD if cost == COST_STANDARD else PAYS_SWIFT if cost == COST_SWIFT else PAYS_FULL_ROUND
    if powers & pays == 0 or (record["verbal"] == 1 and powers & SPEAKS == 0):
        return False
    if record["hostile"] == 0 or record["may_target_self"] == 1:
        return True
    if not _aims(rules, record, powers & HARMS != 0, powers & SEES != 0):
        return False
    if not needs_move(core, rules, player, spell, level):
        return True
    comes = COMES_STANDARD if cost == COST_STANDARD else COMES_SWIFT
    return cost != COST_FULL_ROUND and powers & comes != 0


@unit(CORE, RULES, SHEETS, NUMBER, NUMBER, NUMBER)
def entry_to_cast(core, rules, sheets, player, spell, quickened):
    """The entry that casting a spell takes: the first that may be cast, before the bonded object's one casting; NONE if there is none."""
    sheet = sheets[player]
    powers = casting_powers(core, rules, sheets, player)
    by_object = NONE
    for entry in range(sheet["num_entries"]):
        if sheet["entry_spell"][entry] == spell and sheet["entry_quickened"][entry] == quickened:
            if may_cast_with(core, rules, sheets, player, entry, powers):
                if has_own_means(core, sheets, player, entry):
                    return entry
                if by_object == NONE:
                    by_object = entry
    return by_object
