"""Choices inside a spell: what they are between."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.actions import (
    SPEND,
    ability_choice,
    energy_choice,
    group_of,
    option_choice,
    pick_choice,
    slot_choice,
    spell_of,
    target_choice,
)
from duel_env.rules.pathfinder.castables import may_harm, needs_move
from duel_env.rules.pathfinder.counters import least_slot_to_spend
from duel_env.rules.pathfinder.economy import (
    can_approach,
    cost_of_casting,
)
from duel_env.rules.pathfinder.state import (
    CHOOSE_ABILITY,
    CHOOSE_DISMISSED,
    CHOOSE_EFFECT,
    CHOOSE_ENERGY,
    CHOOSE_OPTION,
    CHOOSE_SLOT,
    CHOOSE_SPELLS,
    CHOOSE_TARGET,
    NONE,
    NUM_PICKS,
    NUM_SLOT_LEVELS,
)


@kernel
def _is_among(core, holder, count, casting):
    """Whether one of the first `count` rows of a duelist's effects comes from a casting."""
    for i in range(count):
        if core["ongoing"][holder, i]["casting"] == casting:
            return True
    return False


@kernel
def is_dismissible(core, rules, player, holder, i):
    """Whether row i of a duelist's effects is a spell of `player` that may be dismissed."""
    row = core["ongoing"][holder, i]
    return row["caster"] == player and rules["spells"][row["spell"]]["dismissible"] == 1


@kernel
def nth_dismissible(core, rules, player, number):
    """The `number`-th casting, from 0, that a player may dismiss, in the order of both duelists' effects; NONE if there are fewer."""
    found = 0
    for side in range(2):
        holder = player if side == 0 else 1 - player
        for i in range(core["num_ongoing"][holder]):
            casting = np.int64(core["ongoing"][holder, i]["casting"])
            if not is_dismissible(core, rules, player, holder, i) or _is_among(core, holder, i, casting):
                continue
            if side == 1 and _is_among(core, player, np.int64(core["num_ongoing"][player]), casting):
                continue
            if found == number:
                return casting
            found += 1
    return NONE


@kernel
def nth_dispellable(core, rules, holder, number):
    """The `number`-th casting, from 0, in effect on a duelist that can be dispelled; NONE if there are fewer."""
    found = 0
    for i in range(core["num_ongoing"][holder]):
        row = core["ongoing"][holder, i]
        casting = np.int64(row["casting"])
        if rules["spells"][row["spell"]]["dispellable"] == 1 and not _is_among(core, holder, i, casting):
            if found == number:
                return casting
            found += 1
    return NONE


@kernel
def num_picks(core, rules, holder):
    """How many dispellable castings are in effect on a duelist and can be pointed at."""
    count = 0
    while count < NUM_PICKS and nth_dispellable(core, rules, holder, count) != NONE:
        count += 1
    return count


@kernel
def most_named_level(rules, spell):
    """The highest level of spells that a spell immunity is for."""
    record = rules["spells"][spell]
    for i in range(record["first_effect"], record["first_effect"] + record["num_effects"]):
        if rules["effects"][i]["max_spell_level"] > 0:
            return np.int64(rules["effects"][i]["max_spell_level"])
    return 0


@kernel
def may_name(rules, casting, spell):
    """Whether a spell can be named for an immunity: it allows spell resistance and is low enough."""
    record = rules["spells"][spell]
    if record["spell_resistance"] == 0 or record["hostile"] == 0:
        return False
    for k in range(casting["named"].shape[0]):
        if casting["named"][k] == spell:
            return False
    highest = 0
    for k in range(record["level"].shape[0]):
        highest = max(highest, np.int64(record["level"][k]))
    return highest <= most_named_level(rules, np.int64(casting["spell"]))


@kernel
def may_target(core, rules, player, opponent):
    """Whether the spell that is being cast can be aimed at the opponent (1), or at its caster (0), who may always be."""
    casting = core["casting"]
    spell = np.int64(casting["spell"])
    if opponent == 0:
        return True
    if not may_harm(core, rules, player, spell):
        return False
    if not needs_move(core, rules, player, spell, np.int64(casting["level"])):
        return True
    return can_approach(core, rules, player, cost_of_casting(rules, spell, np.int64(casting["quickened"])))


@kernel
def is_choice(core, rules, sheets, player, action):
    """Whether an action answers the choice that is asked for."""
    casting = core["casting"]
    about = core["choosing"]
    if about == CHOOSE_SLOT:
        level = action - slot_choice(rules, 0)
        if level < 1 or level >= NUM_SLOT_LEVELS:
            return False
        least = np.int64(casting["slot_level"])
        if player != casting["caster"]:
            entry, readied = np.int64(casting["counter_entry"]), np.int64(casting["counter_readied"])
            least = least_slot_to_spend(core, rules, sheets, player, entry, readied)
        return level >= least and core["slots"][player, level] > 0
    if about == CHOOSE_OPTION:
        option = action - option_choice(rules, 0)
        return 0 <= option < rules["spells"][casting["spell"]]["num_options"]
    if about == CHOOSE_ENERGY:
        energy = action - energy_choice(rules, 0)
        return 0 <= energy < 5 and (np.int64(rules["spells"][casting["spell"]]["energies"]) >> energy) & 1 == 1
    if about == CHOOSE_ABILITY:
        return 0 <= action - ability_choice(rules, 0) < 6
    if about == CHOOSE_TARGET:
        target = action - target_choice(rules, 0)
        return 0 <= target < 2 and may_target(core, rules, player, target)
    if about == CHOOSE_EFFECT:
        holder = player if casting["at_self"] == 1 else 1 - player
        pick = action - pick_choice(rules, 0)
        return pick == -1 or (0 <= pick < NUM_PICKS and nth_dispellable(core, rules, holder, pick) != NONE)
    if about == CHOOSE_DISMISSED:
        pick = action - pick_choice(rules, 0)
        return 0 <= pick < NUM_PICKS and nth_dismissible(core, rules, player, pick) != NONE
    if about == CHOOSE_SPELLS:
        return group_of(rules, action) == SPEND and may_name(rules, casting, spell_of(rules, action))
    return False
