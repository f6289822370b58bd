"""A casting from its announcement to its effect. It stops at decisions: inside the spell, and the other player's answer."""

import numpy as np

from duel_env.rules.graph import PLAYER
from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.apply import resolve_spell
from duel_env.rules.pathfinder.apply_source import zero_source
from duel_env.rules.pathfinder.bonuses import caster_level, spell_dc
from duel_env.rules.pathfinder.castables import entry_to_cast, needs_move
from duel_env.rules.pathfinder.choices import may_target, nth_dispellable
from duel_env.rules.pathfinder.codes import (
    CONCENTRATION,
    COST_MOVE,
    DISABLED,
    ENDS_ON_CASTERS_HOSTILITY,
    ENDS_ON_OWN_HOSTILITY,
    KNOWN,
    MELEE_TOUCH,
    NAMED_CHOICE,
    ON_OPPONENT,
    ONE_ROUND,
    SPELL_FAILURE,
    SPELL_WARD,
    STAFF,
)
from duel_env.rules.pathfinder.counters import (
    can_spend_any,
    entry_to_spend,
    identify,
    least_slot_to_spend,
    may_counter,
    needs_slot_choice,
    perceives_casting,
    touches_opponent,
    try_counter,
)
from duel_env.rules.pathfinder.dice import FOR_FAILURE, roll
from duel_env.rules.pathfinder.economy import cost_of_casting, pay
from duel_env.rules.pathfinder.hindrances import any_no_actions, any_no_casting, concentration_dc, has, verbal_failure
from duel_env.rules.pathfinder.ongoing import end_by_event, remove_casting
from duel_env.rules.pathfinder.periodic import hostile_act
from duel_env.rules.pathfinder.resources import has_own_means, lowest_slot, num_slot_levels, pay_casting
from duel_env.rules.pathfinder.rolls import roll_concentration
from duel_env.rules.pathfinder.state import (
    CHOICE_IN_SPELL,
    CHOOSE_ABILITY,
    CHOOSE_EFFECT,
    CHOOSE_ENERGY,
    CHOOSE_NOTHING,
    CHOOSE_OPTION,
    CHOOSE_SLOT,
    CHOOSE_SPELLS,
    CHOOSE_TARGET,
    CORE,
    CUP,
    NONE,
    REACTION,
    READIED,
    RULES,
    RUNNING,
    SHEETS,
)
from duel_env.rules.units import NUMBER, unit

DONE, WAITS = range(2)
"""Whether a casting is over, or waits for a decision."""


@kernel
def wait_for_player(core, player, phase, choosing):
    """Go to a node where `player` decides something."""
    core["node"] = PLAYER
    core["current_player"] = player
    core["phase"] = phase
    core["choosing"] = choosing


@kernel
def clear_casting(casting):
    """No spell is being cast."""
    casting["spell"] = NONE
    casting["entry"] = 0
    casting["slot_level"] = 0
    casting["level"] = 0
    casting["caster"] = 0
    casting["quickened"] = 0
    casting["by_bonded_object"] = 0
    casting["at_self"] = 0
    casting["caster_level"] = 0
    casting["dc"] = 0
    casting["num_chosen"] = 0
    casting["option"] = 0
    casting["energy"] = 0
    casting["ability"] = 0
    casting["pick"] = NONE
    for k in range(casting["named"].shape[0]):
        casting["named"][k] = NONE
    casting["identified"] = 0
    casting["tried"] = 0
    casting["save_penalty"] = 0
    casting["shown"] = 0
    casting["counter_entry"] = 0
    casting["counter_readied"] = 0
    casting["hit_points"] = 0


@kernel
def _num_named(core, rules):
    """How many spells the spell being cast makes immune to."""
    casting = core["casting"]
    record = rules["spells"][casting["spell"]]
    level = min(np.int64(casting["caster_level"]), 20)
    for i in range(record["first_effect"], record["first_effect"] + record["num_effects"]):
        effect = rules["effects"][i]
        if effect["kind"] == SPELL_WARD and effect["mode"] == NAMED_CHOICE:
            amount = rules["amounts"][effect["amount"], level]
            return min(np.int64(amount["constant"]) // np.int64(amount["div"]), casting["named"].shape[0])
    return 0


@kernel
def _next_choice(core, rules):
    """CHOOSE_... of the next decision inside the spell; CHOOSE_NOTHING when all are made."""
    casting = core["casting"]
    record = rules["spells"][casting["spell"]]
    made = np.int64(casting["num_chosen"])
    for k in range(record["num_choices"]):
        about = np.int64(record["choices"][k])
        takes = _num_named(core, rules) if about == CHOOSE_SPELLS else 1
        if made < takes:
            return about
        made -= takes
    return CHOOSE_NOTHING


# ---- the casting --------------------------------------------------------------------------------------------------------------


@kernel
def _fails(core, rules, sheets, cup, player, spell, level):
    """Whether the caster loses the spell by what hinders him: concentration, deafness, blinking."""
    dc = concentration_dc(core, rules, player)
    if dc != NONE and not roll_concentration(core, rules, sheets, cup, player, dc + level, spell):
        return True
    if rules["spells"][spell]["verbal"] == 1:
        percent = verbal_failure(core, rules, player)
        if percent > 0 and roll(cup, FOR_FAILURE, player, 100, 0, percent + 1, spell) <= percent:
            return True
    percent = np.int64(core["totals"][player, SPELL_FAILURE])
    return percent > 0 and roll(cup, FOR_FAILURE, player, 100, 0, percent + 1, spell) <= percent


@kernel
def hold_touch(core, rules, player, spell):
    """The charges that are left after the first touch stay in the hand."""
    casting = core["casting"]
    amount = rules["amounts"][rules["spells"][spell]["touch_charges"], min(np.int64(casting["caster_level"]), 20)]
    charges = np.int64(amount["constant"]) - 1
    if charges > 0:
        core["touch_spell"][player] = spell
        core["touch_charges"][player] = min(charges, 100)
        core["touch_level"][player] = casting["level"]
        core["touch_caster_level"][player] = casting["caster_level"]


@kernel
def _note(core, times):
    """Note once more, or with -1 once less, what the other player learnt of the casting."""
    casting = core["casting"]
    player = np.int64(casting["caster"])
    if casting["shown"] == 1:
        spell, level = np.int64(casting["spell"]), np.int64(casting["level"])
        core["seen"][player, spell] = min(np.int64(core["seen"][player, spell]) + times, 255)
        core["spent"][player, level] = min(np.int64(core["spent"][player, level]) + times, 255)
    else:
        core["unknown_castings"][player] = min(np.int64(core["unknown_castings"][player]) + times, 255)


@kernel
def end_casting(core):
    """The casting is over: note what the other player learnt of it. Returns DONE."""
    _note(core, 1)
    clear_casting(core["casting"])
    return DONE


@unit(CORE, RULES, SHEETS, CUP)
def take_effect(core, rules, sheets, cup):
    """Step 9. Returns DONE."""
    casting, source = core["casting"], core["source"]
    player = np.int64(casting["caster"])
    spell = np.int64(casting["spell"])
    record = rules["spells"][spell]
    core["castings"] += 1
    source["spell"] = spell
    source["casting"] = core["castings"]
    source["caster"] = player
    source["caster_level"] = casting["caster_level"]
    source["slot_level"] = casting["level"]
    source["dc"] = casting["dc"]
    source["save_penalty"] = casting["save_penalty"]
    source["option"] = casting["option"]
    source["energy"] = casting["energy"]
    source["ability"] = casting["ability"]
    source["pick"] = casting["pick"]
    for k in range(casting["named"].shape[0]):
        source["named"][k] = casting["named"][k]
    hostile = touches_opponent(core, rules)
    if record["duration"] == CONCENTRATION:
        core["concentrates_on"][player] = core["castings"]
        core["kept_concentration"][player] = 1
    if hostile:  # before the spell, which may be a charm itself
        end_by_event(core, rules, sheets, 1 - player, ENDS_ON_CASTERS_HOSTILITY)
    if resolve_spell(core, rules, sheets, cup, 1 - player if hostile else player):
        casting["shown"] = 1
    if hostile and core["end"] == RUNNING:  # after the attack, which still has what invisibility gives
        end_by_event(core, rules, sheets, player, ENDS_ON_OWN_HOSTILITY)
    if record["attack"] == MELEE_TOUCH and record["touch_charges"] != NONE and core["end"] == RUNNING:
        hold_touch(core, rules, player, spell)
    zero_source(core["source"])
    return end_casting(core)


@kernel
def go_off(core, rules, sheets, cup):
    """The spell is not countered: it takes effect, or will do so before the caster's next turn. Returns DONE."""
    casting = core["casting"]
    player = np.int64(casting["caster"])
    if rules["spells"][casting["spell"]]["casting_time"] == ONE_ROUND:
        core["one_round_spell"][player] = casting
        return end_casting(core)
    return take_effect(core, rules, sheets, cup)


@kernel
def offer_counter(core, rules, sheets, cup):
    """Steps 3 to 5: the other player may make a dueling counter. Returns DONE or WAITS."""
    other = 1 - np.int64(core["casting"]["caster"])
    asked = rules["ask_forced"] == 1 or can_spend_any(core, rules, sheets, other, 0)
    if asked and may_counter(core, rules, other):
        wait_for_player(core, other, REACTION, CHOOSE_NOTHING)
        return WAITS
    return go_off(core, rules, sheets, cup)


@unit(CORE, RULES, SHEETS, CUP)
def offer_readied(core, rules, sheets, cup):
    """Step 2: who readied a counterspell may spend it. Returns DONE or WAITS."""
    casting = core["casting"]
    other = 1 - np.int64(casting["caster"])
    can = core["readied"][other] == 1 and perceives_casting(core, rules, other) and not any_no_casting(core, rules, other)
    asked = rules["ask_forced"] == 1 or can_spend_any(core, rules, sheets, other, 1)
    if can and asked:
        wait_for_player(core, other, READIED, CHOOSE_NOTHING)
        return WAITS
    return offer_counter(core, rules, sheets, cup)


@kernel
def drop_touch(core, player):
    """No touch spell is held any more."""
    core["touch_spell"][player] = NONE
    core["touch_charges"][player] = 0
    core["touch_level"][player] = 0
    core["touch_caster_level"][player] = 0


@kernel
def _unhurt(core, player):
    """Hit points less nonlethal damage, which breaks a casting of one round as well."""
    return np.int64(core["hit_points"][player]) - np.int64(core["nonlethal"][player])


@kernel
def declare(core, rules, sheets, cup):
    """Step 1: pay for the spell, then see whether its caster fails by himself. Returns DONE or WAITS."""
    casting = core["casting"]
    player = np.int64(casting["caster"])
    spell = np.int64(casting["spell"])
    sheet = sheets[player]
    entry = np.int64(casting["entry"])
    level = np.int64(casting["level"])
    core["strenuous"] = has(core, player, DISABLED)
    pay(core, cost_of_casting(rules, spell, np.int64(casting["quickened"])))
    if touches_opponent(core, rules) and needs_move(core, rules, player, spell, level):
        pay(core, COST_MOVE)
        core["near"] = 1
    pay_casting(core, sheets, player, entry, np.int64(casting["slot_level"]), np.int64(casting["by_bonded_object"]))
    if core["touch_charges"][player] > 0:  # casting another spell lets held charges go
        drop_touch(core, player)
    if rules["spells"][spell]["duration"] == CONCENTRATION and core["concentrates_on"][player] != NONE:
        remove_casting(core, rules, sheets, np.int64(core["concentrates_on"][player]))
    casting["caster_level"] = caster_level(core, sheets, player)
    if sheet["entry_kind"][entry] == STAFF:
        casting["slot_level"] = level
        casting["caster_level"] = max(np.int64(casting["caster_level"]), np.int64(sheet["entry_caster_level"][entry]))
    casting["dc"] = spell_dc(core, rules, sheets, player, spell, level)
    if _fails(core, rules, sheets, cup, player, spell, level):
        return end_casting(core)
    if rules["spells"][spell]["casting_time"] == ONE_ROUND:
        casting["hit_points"] = _unhurt(core, player)
    identify(core, rules, sheets, cup, 1 - player)
    return offer_readied(core, rules, sheets, cup)


@kernel
def take_choice(core, about, value):
    """Note a decision inside the spell: slot level, option, energy, ability, target (1: the opponent), pick, or spell."""
    casting = core["casting"]
    if about == CHOOSE_SLOT:
        casting["slot_level"] = value
        return
    if about == CHOOSE_OPTION:
        casting["option"] = value
    elif about == CHOOSE_ENERGY:
        casting["energy"] = value
    elif about == CHOOSE_ABILITY:
        casting["ability"] = value
    elif about == CHOOSE_TARGET:
        casting["at_self"] = 1 - value
    elif about == CHOOSE_EFFECT:
        casting["pick"] = value
    elif about == CHOOSE_SPELLS:
        for k in range(casting["named"].shape[0]):
            if casting["named"][k] == NONE:
                casting["named"][k] = value
                break
    casting["num_chosen"] += 1


@unit(CORE, RULES, SHEETS, CUP)
def go_on_choosing(core, rules, sheets, cup):
    """Ask for the next decision inside the spell; when there is none the spell is cast. Returns DONE or WAITS."""
    casting = core["casting"]
    player = np.int64(casting["caster"])
    casting["caster_level"] = caster_level(core, sheets, player)
    about = _next_choice(core, rules)
    while rules["ask_forced"] == 0 and about != CHOOSE_NOTHING:  # skip what leaves no choice
        holder = player if casting["at_self"] == 1 else 1 - player
        if about == CHOOSE_TARGET and not may_target(core, rules, player, 1):
            take_choice(core, about, 0)
        elif about == CHOOSE_EFFECT and nth_dispellable(core, rules, holder, 1) == NONE:
            take_choice(core, about, NONE)
        else:
            break
        about = _next_choice(core, rules)
    if about != CHOOSE_NOTHING:
        wait_for_player(core, player, CHOICE_IN_SPELL, about)
        return WAITS
    return declare(core, rules, sheets, cup)


# ---- choices ------------------------------------------------------------------------------------------------------------------


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER, NUMBER)
def begin_casting(core, rules, sheets, cup, player, spell, quickened):
    """Own turn: the player casts a spell. Returns DONE or WAITS."""
    entry = entry_to_cast(core, rules, sheets, player, spell, quickened)
    sheet = sheets[player]
    casting = core["casting"]
    clear_casting(casting)
    casting["spell"] = spell
    casting["entry"] = entry
    casting["caster"] = player
    casting["quickened"] = quickened
    casting["level"] = sheet["entry_level"][entry]
    casting["slot_level"] = sheet["entry_slot"][entry]
    casting["by_bonded_object"] = not has_own_means(core, sheets, player, entry)
    casting["at_self"] = rules["spells"][spell]["duel_target"] != ON_OPPONENT
    if sheet["entry_kind"][entry] == KNOWN:
        if rules["ask_forced"] == 1 or num_slot_levels(core, player, np.int64(casting["slot_level"])) > 1:
            wait_for_player(core, player, CHOICE_IN_SPELL, CHOOSE_SLOT)
            return WAITS
        casting["slot_level"] = lowest_slot(core, player, np.int64(casting["slot_level"]))
    return go_on_choosing(core, rules, sheets, cup)


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER, NUMBER, NUMBER)
def counter_with(core, rules, sheets, cup, other, entry, slot, readied):
    """Steps 6 to 8. Returns DONE or WAITS."""
    if try_counter(core, rules, sheets, cup, other, entry, slot, readied):
        return end_casting(core)
    return go_off(core, rules, sheets, cup)


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER)
def answer(core, rules, sheets, cup, spell, readied):
    """The other player spends a spell on a counter. Returns DONE or WAITS, for the choice of a slot."""
    other = np.int64(core["current_player"])
    entry = entry_to_spend(core, rules, sheets, other, spell, readied)
    if needs_slot_choice(core, rules, sheets, other, entry, readied):
        core["casting"]["counter_entry"] = entry
        core["casting"]["counter_readied"] = readied
        wait_for_player(core, other, CHOICE_IN_SPELL, CHOOSE_SLOT)
        return WAITS
    slot = np.int64(sheets[other]["entry_slot"][entry])
    if sheets[other]["entry_kind"][entry] == KNOWN:
        slot = lowest_slot(core, other, least_slot_to_spend(core, rules, sheets, other, entry, readied))
    return counter_with(core, rules, sheets, cup, other, entry, slot, readied)


@unit(CORE, RULES, SHEETS, CUP, NUMBER)
def touch_again(core, rules, sheets, cup, player):
    """Own turn: one more touch with a held charge, as a standard action; it is no casting and cannot be countered."""
    source = core["source"]
    spell, level = np.int64(core["touch_spell"][player]), np.int64(core["touch_level"][player])
    pay(core, cost_of_casting(rules, spell, 0))
    if needs_move(core, rules, player, spell, level):
        pay(core, COST_MOVE)
        core["near"] = 1
    core["castings"] += 1
    source["spell"] = spell
    source["casting"] = core["castings"]
    source["caster"] = player
    source["caster_level"] = core["touch_caster_level"][player]
    source["slot_level"] = level
    source["dc"] = spell_dc(core, rules, sheets, player, spell, level)
    core["touch_charges"][player] -= 1
    if core["touch_charges"][player] == 0:
        drop_touch(core, player)
    resolve_spell(core, rules, sheets, cup, 1 - player)
    if core["end"] == RUNNING:
        hostile_act(core, rules, sheets, player)
    zero_source(core["source"])


@unit(CORE, RULES, SHEETS, CUP, NUMBER)
def complete_one_round_spell(core, rules, sheets, cup, player):
    """Before the caster's turn: a casting of one round takes effect, unless what hurt its caster meanwhile broke it."""
    pending = core["one_round_spell"][player]
    if pending["spell"] == NONE:
        return
    core["casting"] = pending
    clear_casting(pending)
    casting = core["casting"]
    level, spell = np.int64(casting["level"]), np.int64(casting["spell"])
    _note(core, -1)  # as it was noted when it began; by now there may be more to see
    lost = np.int64(casting["hit_points"]) - _unhurt(core, player)
    broken = any_no_casting(core, rules, player) or any_no_actions(core, rules, player)
    if not broken and lost > 0:
        broken = not roll_concentration(core, rules, sheets, cup, player, 10 + lost + level, spell)
    if broken:
        end_casting(core)
    else:
        take_effect(core, rules, sheets, cup)
