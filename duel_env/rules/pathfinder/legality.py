"""Who may do what: the only place that says so."""

import numpy as np

from duel_env.rules.graph import PLAYER
from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.abilities import ability_score
from duel_env.rules.pathfinder.actions import (
    BACK_OFF,
    BLUFF,
    CAST,
    CHOOSE,
    CONCENTRATE,
    DISMISS,
    END_TURN,
    ESCAPE,
    FIRST_GRANTED,
    GENERAL_GROUP,
    INTIMIDATE,
    LEAVE_ZONE,
    PASS,
    QUICKEN,
    READY_COUNTERSPELL,
    SENSE_MOTIVE,
    SPEND,
    STAND_UP,
    TOUCH,
    WARD_OFF_OMEN,
    WITHDRAW,
    ability_choice,
    cast_action,
    energy_choice,
    first_general,
    general_action,
    group_of,
    num_actions,
    option_choice,
    pick_choice,
    quicken_action,
    slot_choice,
    spell_of,
    spend_action,
    target_choice,
)
from duel_env.rules.pathfinder.codes import (
    ACTION,
    AT_CREATURE,
    CONDITION,
    COST_FULL_ROUND,
    COST_STANDARD,
    COST_SWIFT,
    GRANTED_ACTIONS,
    NO_ESCAPE,
    PRONE,
    REROLL,
    TOUCH_DELIVERY,
    ZONE,
)
from duel_env.rules.pathfinder.counters import least_slot_to_spend, may_spend, may_spend_readied
from duel_env.rules.pathfinder.economy import (
    can_approach,
    can_pay,
    cost_of_casting,
    full_rounds_left,
    moves_left,
    must_approach,
    standards_left,
)
from duel_env.rules.pathfinder.hindrances import (
    any_no_casting,
    any_no_hostile,
    any_no_moves,
    any_no_targeting,
    any_no_verbal,
    any_untargetable,
    has,
)
from duel_env.rules.pathfinder.resources import has_means, has_own_means, level_to_spend
from duel_env.rules.pathfinder.sight import can_see
from duel_env.rules.pathfinder.state import (
    CHOICE_IN_SPELL,
    CHOOSE_ABILITY,
    CHOOSE_DISMISSED,
    CHOOSE_EFFECT,
    CHOOSE_ENERGY,
    CHOOSE_OPTION,
    CHOOSE_SLOT,
    CHOOSE_SPELLS,
    CHOOSE_TARGET,
    CORE,
    NONE,
    NUM_PICKS,
    NUM_SLOT_LEVELS,
    READIED,
    RULES,
    SHEETS,
    STARE_DOWN,
    TURN,
)
from duel_env.rules.units import MASK, NUMBER, unit

# ---- spells -------------------------------------------------------------------------------------------------------------------


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


@unit(CORE, RULES, NUMBER, NUMBER)
def may_harm(core, rules, player, spell):
    """Whether a player may and can aim a spell at the opponent, distance aside."""
    opponent = 1 - player
    if core["in_time_stop"][player] == 1 or any_no_hostile(core, rules, player) or any_untargetable(core, rules, opponent):
        return False
    record = rules["spells"][spell]
    if record["needs_plants"] == 1 and rules["plants"] == 0:
        return False
    if record["target"] == AT_CREATURE:
        return not any_no_targeting(core, rules, player) and can_see(core, rules, player, opponent)
    return True


(
    PAYS_STANDARD,
    PAYS_SWIFT,
    PAYS_FULL_ROUND,
    SPEAKS,
    HARMS,
    SEES,
    AT_HAND,
    COMES_STANDARD,
    COMES_SWIFT,
) = (1 << bit for bit in range(9))
"""What a player can do in a casting now: pay each cost; speak; harm the opponent; see the opponent as a target; touch without a move,
or with one besides a standard or a swift action."""
_LEVEL_SHIFT = 16


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
    opponent = 1 - player
    if (
        core["in_time_stop"][player] == 0
        and not any_no_hostile(core, rules, player)
        and not any_untargetable(core, rules, opponent)
    ):
        powers |= HARMS
    if not any_no_targeting(core, rules, player) and can_see(core, rules, player, opponent):
        powers |= SEES
    powers |= AT_HAND if core["near"] == 1 or rules["abstract_range"] == 1 else 0
    powers |= COMES_STANDARD if can_approach(core, rules, player, COST_STANDARD) else 0
    powers |= COMES_SWIFT if can_approach(core, rules, player, COST_SWIFT) else 0
    return powers


@kernel
def _aims(rules, powers, record):
    """Whether a player with some powers may and can aim a spell at the opponent, distance aside."""
    if powers & HARMS == 0 or (record["needs_plants"] == 1 and rules["plants"] == 0):
        return False
    return record["target"] != AT_CREATURE or powers & SEES != 0


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
    if not _aims(rules, powers, record):
        return False
    if record["needs_approach"] == 0 or powers & AT_HAND != 0 or _delivers_touch(core, rules, player, spell, level):
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


# ---- general actions ----------------------------------------------------------------------------------------------------------


@kernel
def _can_ready(core, rules, sheets, player):
    if core["readied"][player] == 1 or not standards_left(core, rules, player) or any_no_casting(core, rules, player):
        return False
    for entry in range(sheets[player]["num_entries"]):
        if level_to_spend(core, sheets, player, entry, 0) != NONE:
            return True
    return False


@kernel
def _is_bound_beyond_struggling(core, rules, player):
    """Whether something that cannot be escaped from takes all actions."""
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        if effect["kind"] == CONDITION and row["suppressed"] == 0 and effect["escape"] == NO_ESCAPE:
            if rules["conditions"][effect["condition"]]["no_actions"] == 1:
                return True
    return False


@kernel
def escapable(core, rules, player):
    """The first effect that the active player may try to escape from now; NONE if there is none."""
    if core["turn_lost"] == 1:
        return NONE
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        if effect["kind"] != CONDITION or row["suppressed"] == 1 or effect["escape"] == NO_ESCAPE:
            continue
        cost = np.int64(effect["escape_cost"])
        if rules["conditions"][effect["condition"]]["no_actions"] == 1:
            fresh = core["standard_used"] == 0 and core["move_used"] == 0
            if fresh and not _is_bound_beyond_struggling(core, rules, player):
                return i
        elif can_pay(core, rules, player, cost) or (cost == COST_FULL_ROUND and full_rounds_left(core, rules, player)):
            return i
    return NONE


@kernel
def zone_to_leave(core, rules, player):
    """The first area around a player that takes moves to leave; NONE if there is none."""
    for i in range(core["num_ongoing"][player]):
        effect = rules["effects"][core["ongoing"][player, i]["effect"]]
        if effect["kind"] == ZONE and effect["exit_moves"] > 0:
            return i
    return NONE


@kernel
def _has_omen(core, rules, player):
    for i in range(core["num_ongoing"][player]):
        if rules["effects"][core["ongoing"][player, i]["effect"]]["kind"] == REROLL:
            return True
    return False


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
def granted_row(core, rules, player, number):
    """The row of the effect that grants action `number` and can be used now; NONE if there is none."""
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        if (
            effect["kind"] == ACTION
            and effect["action"] == number
            and row["suppressed"] == 0
            and row["stage"] == 1
            and row["uses"] > 0
        ):
            return i
    return NONE


@kernel
def _may_use_granted(core, rules, player, number):
    i = granted_row(core, rules, player, number)
    if i == NONE or core["in_time_stop"][player] == 1 or any_no_hostile(core, rules, player):
        return False
    if any_untargetable(core, rules, 1 - player):
        return False
    return can_pay(core, rules, player, np.int64(rules["effects"][core["ongoing"][player, i]["effect"]]["cost"]))


@kernel
def _may_touch(core, rules, player):
    if core["touch_charges"][player] <= 0 or not standards_left(core, rules, player):
        return False
    spell = np.int64(core["touch_spell"][player])
    if core["in_time_stop"][player] == 1 or any_no_hostile(core, rules, player) or any_untargetable(core, rules, 1 - player):
        return False
    level = np.int64(core["touch_level"][player])
    return not needs_move(core, rules, player, spell, level) or can_approach(core, rules, player, COST_STANDARD)


@kernel
def _general_in_turn(core, rules, sheets, player, number):
    """Whether a general action may be taken in the own turn."""
    if number == END_TURN:
        return True
    if number == WITHDRAW:
        return core["asked"] == 0
    if number == READY_COUNTERSPELL:
        return _can_ready(core, rules, sheets, player)
    if number == BACK_OFF:
        free = core["near"] == 1 and rules["abstract_range"] == 0 and not any_no_moves(core, rules, player)
        return free and moves_left(core, rules, player) > 0
    if number == STAND_UP:
        return has(core, player, PRONE) and moves_left(core, rules, player) > 0
    if number == LEAVE_ZONE:
        bound = any_no_moves(core, rules, player) or zone_to_leave(core, rules, player) == NONE
        return not bound and moves_left(core, rules, player) > 0
    if number == ESCAPE:
        return escapable(core, rules, player) != NONE
    if number == WARD_OFF_OMEN:
        return _has_omen(core, rules, player) and moves_left(core, rules, player) > 0
    if number == DISMISS:
        return standards_left(core, rules, player) and nth_dismissible(core, rules, player, 0) != NONE
    if number == TOUCH:
        return _may_touch(core, rules, player)
    if number == CONCENTRATE:
        kept = core["kept_concentration"][player] == 1 or core["concentrates_on"][player] == NONE
        return not kept and standards_left(core, rules, player)
    if number >= FIRST_GRANTED:
        return _may_use_granted(core, rules, player, number - FIRST_GRANTED)
    return False


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


@unit(CORE, RULES, SHEETS, NUMBER)
def anything_left(core, rules, sheets, player):
    """Whether the active player can do anything more in a turn in which he was asked already, but end it."""
    if core["turn_lost"] == 1:
        return False
    for number in range(END_TURN + 1, FIRST_GRANTED + len(GRANTED_ACTIONS)):
        if _general_in_turn(core, rules, sheets, player, number):
            return True
    powers = casting_powers(core, rules, sheets, player)
    for entry in range(sheets[player]["num_entries"] if powers != 0 else 0):
        if may_cast_with(core, rules, sheets, player, entry, powers):
            return True
    return False


# ---- choices within a spell ---------------------------------------------------------------------------------------------------


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
def _is_choice(core, rules, sheets, player, action):
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


# ---- the mask -----------------------------------------------------------------------------------------------------------------


@kernel
def _may_spend_spell(core, rules, sheets, player, spell):
    sheet = sheets[player]
    readied = core["phase"] == READIED
    for entry in range(sheet["num_entries"]):
        if sheet["entry_spell"][entry] == spell:
            if readied and may_spend_readied(core, rules, sheets, player, entry):
                return True
            if not readied and may_spend(core, rules, sheets, player, entry):
                return True
    return False


@unit(CORE, RULES, SHEETS, NUMBER)
def is_legal(core, rules, sheets, action):
    """Whether the player who is to choose may take `action` (any integer); False when nobody is to choose."""
    if core["node"] != PLAYER or action < 0 or action >= num_actions(rules):
        return False
    player = np.int64(core["current_player"])
    phase = core["phase"]
    group = group_of(rules, action)
    if phase == TURN:
        if group == CAST or group == QUICKEN:
            return entry_to_cast(core, rules, sheets, player, spell_of(rules, action), 1 if group == QUICKEN else 0) != NONE
        return group == GENERAL_GROUP and _general_in_turn(core, rules, sheets, player, action - first_general(rules))
    if phase == CHOICE_IN_SPELL:
        return (group == CHOOSE or group == SPEND) and _is_choice(core, rules, sheets, player, action)
    number = action - first_general(rules)
    if phase == STARE_DOWN:
        return number == BLUFF or number == INTIMIDATE or number == SENSE_MOTIVE
    return number == PASS or (group == SPEND and _may_spend_spell(core, rules, sheets, player, spell_of(rules, action)))


@unit(CORE, RULES, SHEETS, MASK)
def write_action_mask(core, rules, sheets, mask):
    """Mark what the player whose decision it is may do; all 0 when nobody is to choose.

    Args:
        core: CORE record.
        rules: RULES record.
        sheets: SHEET (2,).
        mask: int8 (A,); 1 = legal.

    Returns:
        how many actions are legal.

    Mutates:
        mask: all its A entries.
    """
    for action in range(num_actions(rules)):
        mask[action] = 0
    if core["node"] != PLAYER:
        return 0
    player = np.int64(core["current_player"])
    sheet = sheets[player]
    phase = core["phase"]
    if phase == TURN:
        powers = casting_powers(core, rules, sheets, player)
        for entry in range(sheet["num_entries"] if powers != 0 else 0):
            if may_cast_with(core, rules, sheets, player, entry, powers):
                spell = np.int64(sheet["entry_spell"][entry])
                mask[quicken_action(rules, spell) if sheet["entry_quickened"][entry] == 1 else cast_action(rules, spell)] = 1
        for number in range(FIRST_GRANTED + len(GRANTED_ACTIONS)):
            mask[general_action(rules, number)] = _general_in_turn(core, rules, sheets, player, number)
    elif phase == CHOICE_IN_SPELL:
        if core["choosing"] == CHOOSE_SPELLS:
            for spell in range(rules["num_spells"]):
                mask[spend_action(rules, spell)] = may_name(rules, core["casting"], spell)
        else:
            for action in range(slot_choice(rules, 1), first_general(rules)):
                mask[action] = _is_choice(core, rules, sheets, player, action)
    elif phase == STARE_DOWN:
        for number in range(BLUFF, SENSE_MOTIVE + 1):
            mask[general_action(rules, number)] = 1
    else:
        mask[general_action(rules, PASS)] = 1
        for entry in range(sheet["num_entries"]):
            spell = np.int64(sheet["entry_spell"][entry])
            if phase == READIED:
                possible = may_spend_readied(core, rules, sheets, player, entry)
            else:
                possible = may_spend(core, rules, sheets, player, entry)
            if possible:
                mask[spend_action(rules, spell)] = 1
    count = 0
    for action in range(num_actions(rules)):
        count += mask[action]
    return count
