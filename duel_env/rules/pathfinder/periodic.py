"""What effects in force do at the start and end of turns, and what duelists do with them: escapes, leaving areas, granted actions."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.apply import apply_effects, strike_with_weapon, zone_strikes
from duel_env.rules.pathfinder.apply_attacks import granted_reaches
from duel_env.rules.pathfinder.apply_damage import ability_points, strike
from duel_env.rules.pathfinder.apply_gates import burn_around
from duel_env.rules.pathfinder.apply_source import (
    WHOLE,
    find_row,
    makes_save,
    next_due,
    no_longer_due,
    source_from_row,
    sourced,
    zero_source,
)
from duel_env.rules.pathfinder.bodies import check_end, deal_damage
from duel_env.rules.pathfinder.codes import (
    ABILITY,
    ACTION,
    AT_END,
    AT_START,
    AUTO_ATTACK,
    BURNING,
    BY_ACROBATICS,
    BY_CMB_OR_DEX,
    BY_INT,
    BY_REF,
    BY_STR,
    CONDITION,
    DAMAGE,
    DEX,
    ENDS_ON_CASTERS_HOSTILITY,
    ENDS_ON_OWN_HOSTILITY,
    FIRE,
    IMMUNE_ZONE_MOVEMENT,
    INT,
    NEXT_TURN_ONLY,
    NO_ESCAPE,
    NO_EXIT_CHECK,
    NO_SAVE,
    REF,
    SANCTUARY,
    STAGES,
    STR,
    ZONE,
)
from duel_env.rules.pathfinder.dice import FOR_COUNT, FOR_DAMAGE, FOR_ESCAPE, roll
from duel_env.rules.pathfinder.ongoing import end_by_event, remove_ongoing
from duel_env.rules.pathfinder.rolls import ability_check, roll_save, throw_d20
from duel_env.rules.pathfinder.state import CORE, CUP, NONE, RULES, RUNNING, SHEETS
from duel_env.rules.pathfinder.totals import ability_modifier, any_untargetable, attack_bonus, has
from duel_env.rules.units import NUMBER, unit

DELAYED, REPEATING, CASTERS, BURNS, STAGED, SAVES_AT_START, SAVES_AT_END, ATTACKS = range(8)
"""Passes over the effects on a duelist."""


# ---- passes -------------------------------------------------------------------------------------------------------------------


@kernel
def _comes_back(effect):
    """Whether an effect is damage, of hit points or abilities, that comes back."""
    kind = effect["kind"]
    if effect["delayed"] == 1:
        return False
    return (kind == DAMAGE or kind == ABILITY) and (effect["repeat_rounds"] >= 0 or effect["repeat_until_free"] == 1)


@kernel
def _belongs(core, rules, row, effect, which, player):
    """Whether a row has its part in a pass; `player` is whose turn it is."""
    if row["suppressed"] == 1:
        return False
    kind = effect["kind"]
    if which == DELAYED:
        return kind == DAMAGE and effect["delayed"] == 1
    if which == REPEATING:
        return _comes_back(effect) and effect["repeat_on_casters_turn"] == 0
    if which == CASTERS:
        return row["caster"] == player and (kind == ZONE or (_comes_back(effect) and effect["repeat_on_casters_turn"] == 1))
    if which == ATTACKS:
        return kind == AUTO_ATTACK
    if which == STAGED:
        return kind == STAGES
    if kind != CONDITION:
        return False
    if which == BURNS:
        return effect["condition"] == BURNING
    if which == SAVES_AT_END:
        return effect["resave"] == AT_END
    return effect["resave"] == AT_START or (effect["resave"] == NEXT_TURN_ONLY and row["stage"] == 0)


@kernel
def _delayed(core, rules, sheets, cup, player, i):
    """Damage that waited for this turn, unless a further save avoids it (acidic spray)."""
    effect = rules["effects"][core["ongoing"][player, i]["effect"]]
    remove_ongoing(core, rules, sheets, player, i)
    save = np.int64(effect["extra_save"])
    if save != NO_SAVE and makes_save(core, rules, sheets, cup, player, save, 0):
        return
    core["source"]["save"] = save
    strike(core, rules, sheets, cup, player, effect, sourced(core, rules, sheets, cup, np.int64(effect["amount"]), FOR_DAMAGE))


@kernel
def _again(core, rules, sheets, cup, player, i):
    """Damage that comes back; returns how much of it was dealt if it will come back once more, else 0.

    "If the last damage dealt was the last damage that the effect could deal, it does not distract" (rules page, section 3).
    """
    row = core["ongoing"][player, i]
    effect = rules["effects"][row["effect"]]
    number, casting = np.int64(row["effect"]), np.int64(row["casting"])
    lasts = True
    if effect["repeat_until_free"] == 0:
        row["uses"] -= 1
        if row["uses"] <= 0:
            lasts = False
            remove_ongoing(core, rules, sheets, player, i)
    save = np.int64(effect["repeat_save"])
    if save != NO_SAVE and makes_save(core, rules, sheets, cup, player, save, 0):
        if effect["repeat_save_ends"] == 1 and lasts:
            i = find_row(core, player, number, casting)
            if i != NONE:
                remove_ongoing(core, rules, sheets, player, i)
        return 0
    again = np.int64(effect["repeat_amount"])
    if effect["kind"] == ABILITY:
        ability_points(core, rules, sheets, cup, player, number, again, WHOLE)
        return 0
    dealt = strike(core, rules, sheets, cup, player, effect, sourced(core, rules, sheets, cup, again, FOR_DAMAGE))
    return dealt if lasts else 0


@kernel
def _on_casters_turn(core, rules, sheets, cup, holder, i):
    """An area, or damage that comes back on its caster's turn; returns the damage dealt."""
    row = core["ongoing"][holder, i]
    effect = rules["effects"][row["effect"]]
    if effect["kind"] != ZONE:
        return _again(core, rules, sheets, cup, holder, i)
    if not zone_strikes(core, rules, holder, row) or any_untargetable(core, rules, holder):
        return 0
    branch = rules["branches"][effect["first_branch"]]
    apply_effects(core, rules, sheets, cup, holder, np.int64(branch["first"]), np.int64(branch["count"]), np.int64(0))
    return np.int64(core["source"]["dealt"])


@kernel
def _stage(core, rules, sheets, cup, player, i):
    """The next step of what gets worse, unless a save puts it off (suffocation)."""
    row = core["ongoing"][player, i]
    effect = rules["effects"][row["effect"]]
    number, casting = np.int64(row["effect"]), np.int64(row["casting"])
    stage, left = np.int64(row["stage"]), np.int64(row["uses"]) - 1
    row["uses"] = left
    made = makes_save(core, rules, sheets, cup, player, np.int64(effect["save"]), 0)
    i = find_row(core, player, number, casting)
    if i == NONE:
        return
    if not made:
        core["ongoing"][player, i]["stage"] = stage + 1
    if left <= 0 or (not made and stage + 1 >= effect["num_branches"]):
        remove_ongoing(core, rules, sheets, player, i)
    if not made and stage < effect["num_branches"]:
        branch = rules["branches"][np.int64(effect["first_branch"]) + stage]
        apply_effects(core, rules, sheets, cup, player, np.int64(branch["first"]), np.int64(branch["count"]), np.int64(0))


@kernel
def _burn(core, rules, sheets, cup, player, i):
    """Fire on the body: what the spell says, else 1d6, which a Reflex save (DC 15) puts out first. Returns the damage dealt."""
    row = core["ongoing"][player, i]
    effect = rules["effects"][row["effect"]]
    number, casting, spell = np.int64(row["effect"]), np.int64(row["casting"]), np.int64(row["spell"])
    if effect["escape"] == NO_ESCAPE and roll_save(core, rules, sheets, cup, player, REF, 15, spell, 0):
        i = find_row(core, player, number, casting)
        if i != NONE:
            remove_ongoing(core, rules, sheets, player, i)
        return 0
    if effect["amount"] >= 0:
        points = sourced(core, rules, sheets, cup, np.int64(effect["amount"]), FOR_DAMAGE)
    else:
        points = roll(cup, FOR_DAMAGE, player, 6, 0, NONE, spell)
    return np.int64(deal_damage(core, rules, sheets, cup, player, points, FIRE, 0, 0))


@kernel
def _resave(core, rules, sheets, cup, player, i):
    """A further save against a condition; success ends it, may cost the turn, and may have a price (overwhelming presence)."""
    row = core["ongoing"][player, i]
    effect = rules["effects"][row["effect"]]
    number, casting = np.int64(row["effect"]), np.int64(row["casting"])
    if effect["resave"] == NEXT_TURN_ONLY:
        row["stage"] = 1
    save = np.int64(rules["spells"][row["spell"]]["save"])
    if save == NO_SAVE or not makes_save(core, rules, sheets, cup, player, save, np.int64(effect["resave_bonus"])):
        return
    i = find_row(core, player, number, casting)
    if i != NONE:
        remove_ongoing(core, rules, sheets, player, i)
    if effect["resave_costs_turn"] == 1:
        core["turn_lost"] = 1
    if effect["num_branches"] > 0:
        core["source"]["rounds"] = 0
        branch = rules["branches"][effect["first_branch"]]
        apply_effects(core, rules, sheets, cup, player, np.int64(branch["first"]), np.int64(branch["count"]), np.int64(0))


@kernel
def _pass(core, rules, sheets, cup, holder, which, player):
    """See once to each row on `holder` that belongs to a pass; returns the continuous damage that goes on after it."""
    any_due = False
    for i in range(core["num_ongoing"][holder]):
        row = core["ongoing"][holder, i]
        row["due"] = _belongs(core, rules, row, rules["effects"][row["effect"]], which, player)
        any_due = any_due or row["due"] == 1
    if not any_due:
        return 0
    goes_on = 0
    for _ in range(core["ongoing"].shape[1]):
        i = next_due(core, holder)
        if i == NONE or core["end"] != RUNNING:
            break
        row = core["ongoing"][holder, i]
        source_from_row(core, row)
        if which == DELAYED:
            _delayed(core, rules, sheets, cup, holder, i)
        elif which == REPEATING:
            goes_on += _again(core, rules, sheets, cup, holder, i)
        elif which == CASTERS:
            goes_on = max(goes_on, _on_casters_turn(core, rules, sheets, cup, holder, i))
        elif which == ATTACKS:
            strike_with_weapon(core, rules, sheets, cup, holder, i)
        elif which == STAGED:
            _stage(core, rules, sheets, cup, holder, i)
        elif which == BURNS:
            goes_on += _burn(core, rules, sheets, cup, holder, i)
        else:
            _resave(core, rules, sheets, cup, holder, i)
        check_end(core, rules, sheets, holder)
        check_end(core, rules, sheets, 1 - holder)
    no_longer_due(core, holder)
    zero_source(core["source"])
    return goes_on


# ---- turns --------------------------------------------------------------------------------------------------------------------


@kernel
def still_hurts(core, rules, player):
    """Whether something goes on hurting a duelist: damage that comes back, fire, an area that does damage."""
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        if row["suppressed"] == 1:
            continue
        if effect["kind"] == DAMAGE and _comes_back(effect):
            return True
        if effect["kind"] == ZONE and effect["num_branches"] > 0:
            return True
        if effect["kind"] == CONDITION and effect["condition"] == BURNING:
            return True
    return False


@kernel
def _settle_pain(core, rules, player):
    """What no longer hurts no longer distracts."""
    if core["last_continuous_damage"][player] != 0 and not still_hurts(core, rules, player):
        core["last_continuous_damage"][player] = 0


@kernel
def _in_hurting_zone(core, rules, player):
    for i in range(core["num_ongoing"][player]):
        effect = rules["effects"][core["ongoing"][player, i]["effect"]]
        if effect["kind"] == ZONE and effect["num_branches"] > 0:
            return True
    return False


@unit(CORE, RULES, SHEETS, CUP, NUMBER)
def start_of_turn(core, rules, sheets, cup, player):
    """What effects do before a player's turn: on him, and those of his own on both.

    Mutates:
        core: bodies, effects, `turn_lost`, `last_continuous_damage`, perhaps `end`.
    """
    other = 1 - player
    if not has(core, other, SANCTUARY):
        core["sanctuary_failed"][player] = 0
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        if rules["effects"][row["effect"]]["kind"] == ACTION:
            row["stage"] = 1
    _pass(core, rules, sheets, cup, player, DELAYED, player)
    pain = _pass(core, rules, sheets, cup, player, REPEATING, player)
    if core["in_time_stop"][player] == 0:  # nothing touches the other while time stands still for him
        dealt = _pass(core, rules, sheets, cup, other, CASTERS, player)
        if dealt > 0:
            core["last_continuous_damage"][other] = min(dealt, 30_000)
    dealt = _pass(core, rules, sheets, cup, player, CASTERS, player)
    pain = max(pain, dealt)
    if core["in_time_stop"][player] == 0:
        _pass(core, rules, sheets, cup, player, ATTACKS, player)
    _pass(core, rules, sheets, cup, player, STAGED, player)
    _pass(core, rules, sheets, cup, player, SAVES_AT_START, player)
    pain += _pass(core, rules, sheets, cup, player, BURNS, player)
    if not _in_hurting_zone(core, rules, player) or pain > core["last_continuous_damage"][player]:
        core["last_continuous_damage"][player] = min(pain, 30_000)
    _settle_pain(core, rules, player)


@unit(CORE, RULES, SHEETS, CUP, NUMBER)
def end_of_turn(core, rules, sheets, cup, player):
    """Saves at the end of a player's turn (glitterdust)."""
    _pass(core, rules, sheets, cup, player, SAVES_AT_END, player)
    _settle_pain(core, rules, player)


# ---- what duelists do ---------------------------------------------------------------------------------------------------------


@kernel
def _check(core, rules, sheets, cup, player, how, dc, spell):
    """An escape check. Nobody has ranks in Escape Artist, so it is a Dexterity check; the better way is taken."""
    if how == BY_REF:
        return roll_save(core, rules, sheets, cup, player, REF, dc, spell, 0)
    if how == BY_INT:
        return ability_check(core, rules, sheets, cup, player, INT, dc, spell)
    if how == BY_STR:
        return ability_check(core, rules, sheets, cup, player, STR, dc, spell)
    dexterity = ability_modifier(core, rules, sheets, player, DEX)
    if how == BY_CMB_OR_DEX:
        grip = attack_bonus(core, rules, sheets, player, 1 - player, 0)
        if grip > dexterity:
            return throw_d20(core, rules, sheets, cup, FOR_ESCAPE, player, grip, dc, spell) + grip >= dc
        return ability_check(core, rules, sheets, cup, player, DEX, dc, spell)
    ability = STR if ability_modifier(core, rules, sheets, player, STR) > dexterity else DEX
    return ability_check(core, rules, sheets, cup, player, ability, dc, spell)


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER)
def try_escape(core, rules, sheets, cup, player, index):
    """A player tries to break free from effect `index` on himself; what it costs is the caller's business.

    Returns:
        whether he is free.
    """
    row = core["ongoing"][player, index]
    effect = rules["effects"][row["effect"]]
    number, casting, spell = np.int64(row["effect"]), np.int64(row["casting"]), np.int64(row["spell"])
    source_from_row(core, row)
    dc = np.int64(row["dc"])
    if effect["escape_dc"] >= 0:
        dc = sourced(core, rules, sheets, cup, np.int64(effect["escape_dc"]), FOR_COUNT)
    free = _check(core, rules, sheets, cup, player, np.int64(effect["escape"]), dc, spell)
    if free:
        i = find_row(core, player, number, casting)
        if i != NONE:
            remove_ongoing(core, rules, sheets, player, i)
        i = 0
        while i < core["num_ongoing"][player]:  # and from what hurts until one is free (icy prison)
            row = core["ongoing"][player, i]
            if row["casting"] == casting and rules["effects"][row["effect"]]["repeat_until_free"] == 1:
                remove_ongoing(core, rules, sheets, player, i)
            else:
                i += 1
    _settle_pain(core, rules, player)
    zero_source(core["source"])
    return free


@unit(CORE, RULES, SHEETS, CUP, NUMBER)
def leave_zone_step(core, rules, sheets, cup, player):
    """One move action out of the areas around a player, all of them at once; a failed check loses the move.

    Returns:
        whether he came out of one.
    """
    unhindered = np.int64(core["immune"][player]) & IMMUNE_ZONE_MOVEMENT != 0
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        row["due"] = effect["kind"] == ZONE and effect["exit_check"] != NO_EXIT_CHECK and not unhindered
    for _ in range(core["ongoing"].shape[1]):
        i = next_due(core, player)
        if i == NONE:
            break
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        source_from_row(core, row)
        dc = np.int64(row["dc"])
        if effect["exit_dc"] >= 0:
            dc = sourced(core, rules, sheets, cup, np.int64(effect["exit_dc"]), FOR_COUNT)
        spell = np.int64(row["spell"])
        if effect["exit_check"] == BY_ACROBATICS:
            passed = ability_check(core, rules, sheets, cup, player, DEX, dc, spell)
        else:
            passed = _check(core, rules, sheets, cup, player, BY_CMB_OR_DEX, dc, spell)
        if not passed:
            no_longer_due(core, player)
            zero_source(core["source"])
            return False
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        if effect["kind"] == ZONE:
            row["stage"] = min(np.int64(row["stage"]) + 1, 100)
            row["due"] = row["stage"] >= (1 if unhindered else effect["exit_moves"])
    out = False
    for _ in range(core["ongoing"].shape[1]):
        i = next_due(core, player)
        if i == NONE:
            break
        remove_ongoing(core, rules, sheets, player, i)
        out = True
    if out:
        core["near"] = 0
    _settle_pain(core, rules, player)
    zero_source(core["source"])
    return out


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER)
def use_granted(core, rules, sheets, cup, player, index):
    """A player uses the action that effect `index` on himself grants, once, against the opponent; its cost is paid by the caller."""
    row = core["ongoing"][player, index]
    number = np.int64(row["effect"])
    effect = rules["effects"][number]
    target = 1 - player
    source_from_row(core, row)
    core["source"]["rounds"] = 0
    row["stage"] = 0  # once a turn
    row["uses"] -= 1
    if row["uses"] <= 0:
        remove_ongoing(core, rules, sheets, player, index)
    saved = granted_reaches(core, rules, sheets, cup, target, number)
    if saved != NONE:
        branch = rules["branches"][effect["first_branch"]]
        apply_effects(core, rules, sheets, cup, target, np.int64(branch["first"]), np.int64(branch["count"]), saved)
        burn_around(core, rules, sheets, cup, target)
        check_end(core, rules, sheets, target)
    zero_source(core["source"])


@kernel
def hostile_act(core, rules, sheets, player):
    """A player does something hostile: his invisibility and sanctuary end, and the charm that he laid on the other."""
    end_by_event(core, rules, sheets, player, ENDS_ON_OWN_HOSTILITY)
    end_by_event(core, rules, sheets, 1 - player, ENDS_ON_CASTERS_HOSTILITY)
