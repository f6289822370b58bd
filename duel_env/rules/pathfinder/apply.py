"""Spells and their effects: what a spell that was not countered does to its target."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.apply_attacks import attacks_in_round, granted_reaches, weapon_attack
from duel_env.rules.pathfinder.apply_conditions import apply_condition, apply_remove
from duel_env.rules.pathfinder.apply_damage import (
    after_save,
    apply_ability,
    apply_damage,
    apply_heal,
    apply_negative_levels,
    apply_temp_hp,
    strike,
)
from duel_env.rules.pathfinder.apply_dispel import apply_dispel
from duel_env.rules.pathfinder.apply_gates import (
    ON_EACH,
    STOPPED,
    THROUGH,
    TURNED,
    burn_around,
    concerns,
    dispels_opposite,
    gate,
    hand_bonus,
    in_antimagic,
    saves_by_ward,
    warded,
)
from duel_env.rules.pathfinder.apply_source import (
    NOTHING,
    clear_passing,
    find_row,
    forget_if_over,
    makes_save,
    share_of,
    source_from_row,
    sourced,
    zero_source,
)
from duel_env.rules.pathfinder.apply_wards import apply_lasting
from duel_env.rules.pathfinder.bodies import check_end
from duel_env.rules.pathfinder.codes import (
    ABILITY,
    ACTION,
    AT_ONCE,
    AUTO_ATTACK,
    BAND,
    CHOICE,
    CONCENTRATION,
    CONDITION,
    DAMAGE,
    DEATH,
    DISPEL,
    EXTRA_TURNS,
    HEAL,
    IN_ZONE_PLUS,
    MELEE_TOUCH,
    NEGATIVE_LEVELS,
    NO_ATTACK,
    NO_SAVE,
    ON_BOTH,
    ON_COMPLETION,
    RANDOM,
    RANGED_TOUCH,
    REMOVE,
    RETALIATE,
    SECOND_SAVE,
    TEMP_HP,
    ZONE,
)
from duel_env.rules.pathfinder.dice import FOR_COUNT, FOR_DAMAGE, FOR_TABLE, roll
from duel_env.rules.pathfinder.ongoing import remove_casting, remove_ongoing
from duel_env.rules.pathfinder.rolls import roll_attack, roll_spell_resistance
from duel_env.rules.pathfinder.state import CORE, CUP, MAX_DEPTH, NONE, RULES, RUNNING, SHEETS
from duel_env.rules.units import NUMBER, unit

EVERY_PART, OWN_PART, OTHER_PART = range(3)


@kernel
def _apply_plain(core, rules, sheets, cup, target, number, share):
    """An effect without further effects in it."""
    effect = rules["effects"][number]
    kind = effect["kind"]
    if kind == DAMAGE:
        apply_damage(core, rules, sheets, cup, target, number, share)
    elif kind == CONDITION:
        apply_condition(core, rules, sheets, cup, target, number, share)
    elif kind == HEAL:
        apply_heal(core, rules, sheets, cup, target, number)
    elif kind == TEMP_HP:
        apply_temp_hp(core, rules, sheets, cup, target, number)
    elif kind == REMOVE:
        apply_remove(core, rules, sheets, cup, target, number)
    elif kind == ABILITY:
        apply_ability(core, rules, sheets, cup, target, number, share)
    elif kind == NEGATIVE_LEVELS:
        apply_negative_levels(core, rules, sheets, cup, target, number)
    elif kind == DISPEL:
        apply_dispel(core, rules, sheets, cup, target, number)
    elif kind == EXTRA_TURNS:
        turns = sourced(core, rules, sheets, cup, np.int64(effect["amount"]), FOR_COUNT)
        core["extra_turns"][target] = min(np.int64(core["extra_turns"][target]) + turns, 100)
    else:
        apply_lasting(core, rules, sheets, cup, target, number)


@kernel
def _branch_of(core, rules, sheets, cup, target, effect):
    """Which branch of a structural effect happens, its dice thrown; NONE: none."""
    source = core["source"]
    kind = effect["kind"]
    first, count = np.int64(effect["first_branch"]), np.int64(effect["num_branches"])
    if kind == CHOICE:
        return first + min(max(np.int64(source["option"]), 0), count - 1)
    if kind == SECOND_SAVE:
        return first + (1 if makes_save(core, rules, sheets, cup, target, np.int64(effect["save"]), 0) else 0)
    # Bands: of hit dice, or of hit points at the moment (mode 1).
    value = np.int64(core["hit_points"][target]) if effect["mode"] == 1 else np.int64(sheets[target]["level"])
    for k in range(first, first + count):
        if value <= rules["branches"][k]["limit"]:
            return k
    return NONE


@kernel
def _holds_already(core, target, casting):
    """Whether the area of a casting keeps its hold on a duelist already: no further save then (stinking cloud)."""
    for i in range(core["num_ongoing"][target]):
        row = core["ongoing"][target, i]
        if row["casting"] == casting and row["until"] == IN_ZONE_PLUS:
            return True
    return False


@kernel
def zone_strikes(core, rules, target, row):
    """Whether the area of an effect in force does something on its caster's turn to who is in it."""
    effect = rules["effects"][row["effect"]]
    if effect["kind"] != ZONE or effect["num_branches"] == 0 or row["suppressed"] == 1:
        return False
    return not _holds_already(core, target, row["casting"])


THEN_NOTHING, THEN_LEAVE_ZONE, THEN_FORGET = range(3)


@kernel
def _push(cup, target, first, count, saved, then, rounds):
    """Effects within an effect are to be applied before the next one."""
    depth = np.int64(cup["depth"])
    if count <= 0 or depth >= MAX_DEPTH:
        return
    frame = cup["frames"][depth]
    frame["next"] = first
    frame["end"] = first + count
    frame["target"] = target
    frame["saved"] = saved
    frame["then"] = then
    frame["rounds"] = rounds
    cup["depth"] = depth + 1


@kernel
def _pop(core, cup):
    """A run of effects is over."""
    depth = np.int64(cup["depth"]) - 1
    frame = cup["frames"][depth]
    source = core["source"]
    if frame["then"] == THEN_LEAVE_ZONE:
        source["rounds"] = frame["rounds"]
        if source["dealt"] > 0:
            core["last_continuous_damage"][frame["target"]] = min(np.int64(source["dealt"]), 30_000)
    elif frame["then"] == THEN_FORGET:
        clear_passing(source)
    frame["next"] = 0
    frame["end"] = 0
    frame["target"] = 0
    frame["saved"] = 0
    frame["then"] = 0
    frame["rounds"] = 0
    cup["depth"] = depth


@kernel
def _push_branch(rules, cup, target, branch, saved, then, rounds):
    """As `_push`, of a branch by its number."""
    row = rules["branches"][branch]
    _push(cup, target, np.int64(row["first"]), np.int64(row["count"]), saved, then, rounds)


@kernel
def _throw_on_table(core, rules, cup, effect, caster, who):
    """A die decides which effects happen; its last face can stand for two throws of the others."""
    faces, first = np.int64(effect["num_branches"]), np.int64(effect["first_branch"])
    spell = np.int64(core["source"]["spell"])
    face = roll(cup, FOR_TABLE, caster, faces, 0, NONE, spell)
    if rules["branches"][first + face - 1]["count"] >= 0:
        _push_branch(rules, cup, who, first + face - 1, 0, THEN_NOTHING, 0)
        return
    once = roll(cup, FOR_TABLE, caster, faces - 1, 0, NONE, spell)
    again = roll(cup, FOR_TABLE, caster, faces - 1, 0, NONE, spell)
    _push_branch(rules, cup, who, first + again - 1, 0, THEN_NOTHING, 0)  # what is pushed last is applied first
    _push_branch(rules, cup, who, first + once - 1, 0, THEN_NOTHING, 0)


@kernel
def _lay_zone(core, rules, sheets, cup, holder, number):
    """An area comes into force; some do at once what they do on their caster's turns."""
    effect, source = rules["effects"][number], core["source"]
    row = apply_lasting(core, rules, sheets, cup, holder, number)
    if row != NONE and effect["immediate"] == 1 and zone_strikes(core, rules, holder, core["ongoing"][holder, row]):
        before = np.int64(source["rounds"])
        source["rounds"] = core["ongoing"][holder, row]["rounds"]
        _push_branch(rules, cup, holder, np.int64(effect["first_branch"]), 0, THEN_LEAVE_ZONE, before)


@kernel
def _grant(core, rules, sheets, cup, caster, number):
    """The caster gets an action; call lightning's first bolt comes with the casting."""
    effect = rules["effects"][number]
    row = apply_lasting(core, rules, sheets, cup, caster, number)
    if row == NONE or effect["first_use"] != ON_COMPLETION:
        return
    core["ongoing"][caster, row]["uses"] -= 1
    if core["ongoing"][caster, row]["uses"] <= 0:
        remove_ongoing(core, rules, sheets, caster, row)
    result = granted_reaches(core, rules, sheets, cup, 1 - caster, number)
    if result != NONE:
        _push_branch(rules, cup, 1 - caster, np.int64(effect["first_branch"]), result, THEN_FORGET, 0)
    else:
        clear_passing(core["source"])


@kernel
def _apply_one(core, rules, sheets, cup, who, caster, number, share):
    """One effect on one duelist; effects within it are left on the cup's frames."""
    effect = rules["effects"][number]
    kind = effect["kind"]
    if kind == CHOICE or kind == SECOND_SAVE or kind == BAND:
        k = _branch_of(core, rules, sheets, cup, who, effect)
        if k != NONE:
            _push_branch(rules, cup, who, k, 0, THEN_NOTHING, 0)
    elif kind == RANDOM:
        _throw_on_table(core, rules, cup, effect, caster, who)
    elif kind == ZONE:
        _lay_zone(core, rules, sheets, cup, caster if effect["on_own_side"] == 1 else who, number)
    elif kind == ACTION:
        _grant(core, rules, sheets, cup, caster, number)
    elif kind == AUTO_ATTACK:
        if effect["rounds_kind"] != AT_ONCE:  # a weapon of its own: it strikes when the spell is done (`strike_with_weapon`)
            apply_lasting(core, rules, sheets, cup, caster, number)
        elif weapon_attack(core, rules, sheets, cup, who, number, 0) > 0:
            _push_branch(rules, cup, who, np.int64(effect["first_branch"]), 0, THEN_NOTHING, 0)
    else:
        _apply_plain(core, rules, sheets, cup, who, number, share)


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER, NUMBER, NUMBER)
def apply_effects(core, rules, sheets, cup, target, first, count, saved):
    """Apply effects `first` .. `first + count - 1` in their order to one target.

    Args:
        core: CORE record; `source` says where the effects come from.
        rules: RULES record.
        sheets: SHEET (2,).
        cup: CUP record.
        target: 0 or 1; effects "to self" go to the source's caster.
        first: number of the first effect.
        count: how many.
        saved: 1 if the target made the source's saving throw, 0 if it failed or there was none.

    Returns:
        how many effects did something.

    Mutates:
        core, cup.
    """
    done = 0
    base = np.int64(cup["depth"])
    _push(cup, target, first, count, saved, THEN_NOTHING, 0)
    while cup["depth"] > base:
        depth = np.int64(cup["depth"])
        frame = cup["frames"][depth - 1]
        number = np.int64(frame["next"])
        if number >= frame["end"] or core["end"] != RUNNING:
            _pop(core, cup)
            continue
        frame["next"] = number + 1
        effect = rules["effects"][number]
        share = share_of(effect, np.int64(frame["saved"]))
        if share == NOTHING or effect["on_miss"] == 1:
            continue
        if depth == base + 1:
            done += 1
        caster = np.int64(core["source"]["caster"])
        who = caster if effect["to_self"] == 1 else np.int64(frame["target"])
        _apply_one(core, rules, sheets, cup, who, caster, number, share)
        check_end(core, rules, sheets, who)
        check_end(core, rules, sheets, 1 - who)
    return done


@kernel
def _apply_part(core, rules, sheets, cup, target, saved, part):
    """Apply the source's spell: every effect, or only those to its caster, or only the others."""
    record = rules["spells"][core["source"]["spell"]]
    first, count = np.int64(record["first_effect"]), np.int64(record["num_effects"])
    if part == EVERY_PART:
        return apply_effects(core, rules, sheets, cup, target, first, count, saved)
    done = 0
    for number in range(first, first + count):
        if (rules["effects"][number]["to_self"] == 1) == (part == OWN_PART):
            done += apply_effects(core, rules, sheets, cup, target, number, np.int64(1), saved)
    return done


# ---- weapons and touches ------------------------------------------------------------------------------------------------------


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER)
def strike_with_weapon(core, rules, sheets, cup, player, i):
    """The attacks of one round of a weapon of magic, in row `i` of its caster's effects.

    Spell resistance is checked at the first hit; failure ends the spell (spiritual weapon).
    """
    row = core["ongoing"][player, i]
    number = np.int64(row["effect"])
    effect = rules["effects"][number]
    source_from_row(core, row)
    target = 1 - player
    resisted_once = row["choice"] == 1
    attacks = attacks_in_round(sheets, player, effect, np.int64(row["stage"]))
    row["stage"] = 1
    if in_antimagic(core, rules, player) or warded(core, rules, target):
        return
    casting = np.int64(row["casting"])
    for k in range(attacks):
        if core["end"] != RUNNING:
            break
        result = weapon_attack(core, rules, sheets, cup, target, number, 5 * k)
        if result == 0:
            continue
        if not resisted_once and rules["spells"][core["source"]["spell"]]["spell_resistance"] == 1:
            level = np.int64(core["source"]["caster_level"])
            if not roll_spell_resistance(core, rules, sheets, cup, player, target, level):
                remove_casting(core, rules, sheets, casting)
                break
            resisted_once = True
            i = find_row(core, player, number, casting)
            if i != NONE:
                core["ongoing"][player, i]["choice"] = 1
        core["source"]["critical"] = result == 2
        branch = rules["branches"][effect["first_branch"]]
        apply_effects(core, rules, sheets, cup, target, np.int64(branch["first"]), np.int64(branch["count"]), np.int64(0))
        core["source"]["critical"] = 0


@kernel
def _first_blows(core, rules, sheets, cup, casting):
    """Weapons of magic strike in the turn in which they appear."""
    player = np.int64(core["source"]["caster"])
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        if row["casting"] == casting and rules["effects"][row["effect"]]["kind"] == AUTO_ATTACK:
            strike_with_weapon(core, rules, sheets, cup, player, i)
            return


@kernel
def _retaliate(core, rules, sheets, cup, toucher, touched):
    """A fire shield burns who touches its bearer with the body."""
    for i in range(core["num_ongoing"][touched]):
        row = core["ongoing"][touched, i]
        effect = rules["effects"][row["effect"]]
        if effect["kind"] != RETALIATE or row["suppressed"] == 1 or core["end"] != RUNNING:
            continue
        core["aside"] = core["source"]
        source_from_row(core, row)
        source = core["source"]
        level = np.int64(source["caster_level"])
        if effect["spell_resistance"] == 0 or roll_spell_resistance(core, rules, sheets, cup, touched, toucher, level):
            branch = rules["branches"][effect["first_branch"]]
            apply_effects(core, rules, sheets, cup, toucher, np.int64(branch["first"]), np.int64(branch["count"]), np.int64(0))
        core["source"] = core["aside"]
        zero_source(core["aside"])
        return  # the same spell counts once


@kernel
def _falling_spheres(core, rules, sheets, cup, target, attacks, hits):
    """Meteor swarm: damage that also a miss deals, one save for each sphere, all of it dealt together (its note).

    Args:
        core, rules, sheets, cup, target: as in `apply_effects`.
        attacks: number of attack rolls.
        hits: bit k: attack k hit.
    """
    source = core["source"]
    record = rules["spells"][source["spell"]]
    for number in range(record["first_effect"], record["first_effect"] + record["num_effects"]):
        effect = rules["effects"][number]
        if effect["on_miss"] == 0 or core["end"] != RUNNING:
            continue
        total = 0
        for k in range(attacks):
            penalty = np.int64(effect["save_penalty_on_hit"]) if (hits >> k) & 1 == 1 else 0
            saved = makes_save(core, rules, sheets, cup, target, np.int64(source["save"]), penalty)
            points = sourced(core, rules, sheets, cup, np.int64(effect["amount"]), FOR_DAMAGE)
            total += after_save(core, rules, target, effect, points) if saved else points
        strike(core, rules, sheets, cup, target, effect, total)
        check_end(core, rules, sheets, target)


# ---- spells -------------------------------------------------------------------------------------------------------------------


@kernel
def _is_weapon(rules, record):
    return record["num_effects"] > 0 and rules["effects"][record["first_effect"]]["kind"] == AUTO_ATTACK


@kernel
def _strike_target(core, rules, sheets, cup, target, part):
    """Step 9: spell resistance, attack rolls, saving throw, effects. Returns how many effects did something."""
    source = core["source"]
    record = rules["spells"][source["spell"]]
    caster, spell, level = np.int64(source["caster"]), np.int64(source["spell"]), np.int64(source["slot_level"])
    casting = np.int64(source["casting"])
    if record["spell_resistance"] == 1 and target != caster and not _is_weapon(rules, record):
        if not roll_spell_resistance(core, rules, sheets, cup, caster, target, np.int64(source["caster_level"])):
            return 0
    attack = np.int64(record["attack"])
    attacks, hits, done, saved, tried = 1, 0, 0, 0, False
    bonus = 0
    by_hand = False
    if attack != NO_ATTACK:
        if record["attack_count"] >= 0:
            attacks = min(sourced(core, rules, sheets, cup, np.int64(record["attack_count"]), FOR_COUNT), 10)
        hand = hand_bonus(core, rules, caster, spell, level)
        if hand != NONE:
            by_hand = True
            bonus = hand
    source["save"] = record["save"]
    for k in range(attacks):
        if core["end"] != RUNNING:
            break
        if attack != NO_ATTACK:
            result = roll_attack(core, rules, sheets, cup, caster, target, 1 if attack == RANGED_TOUCH else 0, bonus)
            if result == 0:
                continue
            hits |= 1 << k
            source["critical"] = 1 if result == 2 else 0
        if not tried:
            tried = True
            if record["save"] != NO_SAVE and record["save_used"] == 1:
                saved = 1 if makes_save(core, rules, sheets, cup, target, np.int64(record["save"]), 0) else 0
            elif record["save"] == NO_SAVE and saves_by_ward(core, rules, sheets, cup, target, DEATH):
                return 0
            if saved == 0 and dispels_opposite(core, rules, sheets, target):
                return 1
        source["dealt"] = 0
        done += _apply_part(core, rules, sheets, cup, target, saved, part)
        source["critical"] = 0
    if attack != NO_ATTACK:
        _falling_spheres(core, rules, sheets, cup, target, attacks, hits)
    if attack == MELEE_TOUCH and hits != 0 and not by_hand and core["end"] == RUNNING:
        # "With a retaliation the active player loses last" (rules page, section 5, line 20).
        _retaliate(core, rules, sheets, cup, caster, target)
    if (hits != 0 or attack == NO_ATTACK) and core["end"] == RUNNING:
        burn_around(core, rules, sheets, cup, target)
        check_end(core, rules, sheets, target)
    if core["end"] == RUNNING and target != caster:
        _first_blows(core, rules, sheets, cup, casting)
    return done + (hits != 0)


@kernel
def concerns_caster(core, rules, sheets, caster):
    """Whether a spell that was turned back does something to who cast it."""
    return not warded(core, rules, caster) and concerns(core, rules, sheets, caster)


@kernel
def _resolve(core, rules, sheets, cup, target):
    source = core["source"]
    caster = np.int64(source["caster"])
    record = rules["spells"][source["spell"]]
    if target == caster:
        if in_antimagic(core, rules, caster):
            return 0
        if dispels_opposite(core, rules, sheets, caster):
            return 1
        return _apply_part(core, rules, sheets, cup, caster, 0, EVERY_PART)
    done = 0
    part = EVERY_PART
    if record["duel_target"] == ON_BOTH:  # prayer: what it gives its caster nothing of the opponent's hinders
        part = OTHER_PART
        if not in_antimagic(core, rules, caster):
            done += _apply_part(core, rules, sheets, cup, target, 0, OWN_PART)
    way = gate(core, rules, sheets, cup, target)
    if way == THROUGH or way == ON_EACH:
        done += _strike_target(core, rules, sheets, cup, target, part)
    if (way == TURNED or way == ON_EACH) and core["end"] == RUNNING:
        clear_passing(source)
        if concerns_caster(core, rules, sheets, caster):
            done += _strike_target(core, rules, sheets, cup, caster, part)
    return done + (way == STOPPED and core["end"] != RUNNING)


@unit(CORE, RULES, SHEETS, CUP, NUMBER)
def resolve_spell(core, rules, sheets, cup, target):
    """A spell that was not countered takes effect.

    Args:
        core: CORE record; `source` describes the casting.
        rules: RULES record.
        sheets: SHEET (2,).
        cup: CUP record.
        target: at whom it is aimed: the opponent of its caster, or the caster.

    Returns:
        whether it did something to somebody, so that the opponent saw what it was.

    Mutates:
        core, cup.
    """
    casting = np.int64(core["source"]["casting"])
    spell = np.int64(core["source"]["spell"])
    done = _resolve(core, rules, sheets, cup, target)
    clear_passing(core["source"])
    if rules["spells"][spell]["duration"] == CONCENTRATION:
        forget_if_over(core, casting)
    return done > 0
