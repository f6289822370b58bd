"""What stands between a spell that goes off and its target: limits, sanctuary, wards, turning, blinking."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.apply_source import end_casting_on, makes_save
from duel_env.rules.pathfinder.bodies import deal_damage
from duel_env.rules.pathfinder.codes import (
    ANTIMAGIC,
    AT_AREA,
    AT_CREATURE,
    CONDITION,
    DEAFENED,
    DISPEL,
    FEAR,
    FIRE,
    IMMUNE_FEAR,
    INT,
    LANGUAGE,
    MAX_LEVEL,
    MISS_CHANCE,
    MODIFIER,
    NAMED,
    NAMED_CHOICE,
    NO_ATTACK,
    REMOVE,
    SANCTUARY,
    SEE_INVISIBLE,
    SONIC_SPELL,
    SPELL_WARD,
    SPELLS_TARGETED,
    TOUCH_DELIVERY,
    TRUE_SEEING,
    TURNING,
    WILL,
)
from duel_env.rules.pathfinder.dice import FOR_DAMAGE, FOR_MISS_CHANCE, FOR_TABLE, pool, roll
from duel_env.rules.pathfinder.ongoing import remove_ongoing
from duel_env.rules.pathfinder.rolls import roll_save
from duel_env.rules.pathfinder.state import BY_DEFEAT, CORE, CUP, NOBODY, NONE, RULES, SHEETS
from duel_env.rules.pathfinder.totals import ability_score, any_untargetable, has
from duel_env.rules.units import NUMBER, unit

FORCE_SPELL = 1 << 5
STOPPED, THROUGH, TURNED, ON_EACH = range(4)
"""What becomes of a spell: nothing; it reaches its target; it strikes its caster; it strikes both."""


@kernel
def ward_row(core, rules, player, mode):
    """The first spell ward of a mode on a duelist; NONE if there is none."""
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        if effect["kind"] == SPELL_WARD and effect["mode"] == mode and row["suppressed"] == 0:
            return i
    return NONE


@kernel
def in_antimagic(core, rules, player):
    """Whether a duelist stands in an antimagic field."""
    return ward_row(core, rules, player, ANTIMAGIC) != NONE


@kernel
def _condition_immune_to_sound(core, rules, player):
    for condition in range(rules["conditions"].shape[0]):
        if rules["conditions"][condition]["immune_sonic"] == 1 and has(core, player, condition):
            return True
    return False


@kernel
def concerns(core, rules, sheets, target):
    """Whether the source's spell concerns a duelist at all: its limits, and immunity to what it is."""
    record = rules["spells"][core["source"]["spell"]]
    if record["max_hd"] >= 0 and sheets[target]["level"] > record["max_hd"]:
        return False
    if record["max_hp"] >= 0 and core["hit_points"][target] > record["max_hp"]:
        return False
    if record["min_int"] >= 0 and ability_score(core, rules, sheets, target, INT) < record["min_int"]:
        return False
    descriptors = np.int64(record["descriptors"])
    if record["needs_hearing"] == 1 and has(core, target, DEAFENED):
        return False
    if descriptors & (SONIC_SPELL | LANGUAGE) != 0 and _condition_immune_to_sound(core, rules, target):
        return False
    return descriptors & FEAR == 0 or np.int64(core["immune"][target]) & IMMUNE_FEAR == 0


@kernel
def passes_sanctuary(core, rules, sheets, cup, target):
    """The Will save of who attacks somebody in a sanctuary for the first time; areas are not stopped."""
    source = core["source"]
    caster = np.int64(source["caster"])
    if not has(core, target, SANCTUARY):
        core["sanctuary_failed"][caster] = 0
        return True
    if core["sanctuary_failed"][caster] == 0:
        passed = True
        for i in range(core["num_ongoing"][target]):
            row = core["ongoing"][target, i]
            effect = rules["effects"][row["effect"]]
            if effect["kind"] == CONDITION and effect["condition"] == SANCTUARY and row["suppressed"] == 0:
                dc, spell = np.int64(row["dc"]), np.int64(row["spell"])
                passed = roll_save(core, rules, sheets, cup, caster, WILL, dc, spell, 0)
                break
        core["sanctuary_failed"][caster] = 2 if passed else 1
    return core["sanctuary_failed"][caster] == 2


@kernel
def _is_dispel(rules, spell):
    record = rules["spells"][spell]
    for number in range(record["first_effect"], record["first_effect"] + record["num_effects"]):
        if rules["effects"][number]["kind"] == DISPEL:
            return True
    return False


@kernel
def warded(core, rules, target):
    """Whether a spell ward of a duelist keeps the source's spell out.

    Globes stop areas as well, but not a dispel magic that is aimed at them (lesser globe of invulnerability).
    """
    source = core["source"]
    spell = np.int64(source["spell"])
    for i in range(core["num_ongoing"][target]):
        row = core["ongoing"][target, i]
        effect = rules["effects"][row["effect"]]
        if effect["kind"] != SPELL_WARD or row["suppressed"] == 1:
            continue
        mode = effect["mode"]
        if mode == ANTIMAGIC:
            return True
        if mode == MAX_LEVEL and source["slot_level"] <= row["value"] and not _is_dispel(rules, spell):
            return True
        if mode == NAMED and row["value"] == spell:
            return True
        if mode == NAMED_CHOICE and row["value"] == spell:
            return effect["spell_resistance"] == 0 or rules["spells"][spell]["spell_resistance"] == 1
    return False


@kernel
def _blinks_away(core, rules, cup, target):
    """A targeted spell that a blinking duelist escapes; attack rolls have the miss chance of their own."""
    source = core["source"]
    spell, caster = np.int64(source["spell"]), np.int64(source["caster"])
    record = rules["spells"][spell]
    if record["target"] != AT_CREATURE or record["attack"] != NO_ATTACK:
        return False
    senses = np.int64(core["senses"][caster])
    sees = senses & (1 << SEE_INVISIBLE | 1 << TRUE_SEEING) != 0
    for i in range(core["num_ongoing"][target]):
        row = core["ongoing"][target, i]
        effect = rules["effects"][row["effect"]]
        if effect["kind"] != MISS_CHANCE or effect["against"] != SPELLS_TARGETED or row["suppressed"] == 1:
            continue
        # A force effect strikes what is ethereal, if its caster sees it.
        if effect["pierced_by"] != 0 and sees and np.int64(record["descriptors"]) & FORCE_SPELL != 0:
            continue
        percent = np.int64(effect["percent"])
        return roll(cup, FOR_MISS_CHANCE, caster, 100, 0, percent + 1, spell) <= percent
    return False


@kernel
def _turning(core, rules, sheets, cup, target):
    """Spell turning: the spell goes back to its caster if the ward has levels enough, else with a chance in proportion.

    Only what targets the duelist is turned, not touches, rays and areas. If both have the ward, a d100 decides.
    """
    source = core["source"]
    caster, spell = np.int64(source["caster"]), np.int64(source["spell"])
    record = rules["spells"][spell]
    if record["target"] != AT_CREATURE or record["touch"] == 1:
        return THROUGH
    mine = ward_row(core, rules, target, TURNING)
    if mine == NONE:
        return THROUGH
    theirs = ward_row(core, rules, caster, TURNING)
    if theirs != NONE:
        face = roll(cup, FOR_TABLE, target, 100, 0, NONE, spell)
        if face <= 70:
            return STOPPED
        if face <= 80:
            return ON_EACH
        if face <= 97:
            remove_ongoing(core, rules, sheets, target, mine)
            remove_ongoing(core, rules, sheets, caster, theirs)
            return STOPPED
        core["end"] = BY_DEFEAT  # both are on another plane: neither can go on
        core["winner"] = NOBODY
        return STOPPED
    level, left = np.int64(source["slot_level"]), np.int64(core["ongoing"][target, mine]["value"])
    if level <= left:
        core["ongoing"][target, mine]["value"] = left - level
        if left - level <= 0:
            remove_ongoing(core, rules, sheets, target, mine)
        return TURNED
    remove_ongoing(core, rules, sheets, target, mine)
    percent = 100 * left // level
    return TURNED if roll(cup, FOR_TABLE, target, 100, 0, NONE, spell) <= percent else THROUGH


@unit(CORE, RULES, SHEETS, CUP, NUMBER)
def gate(core, rules, sheets, cup, target):
    """STOPPED, THROUGH, TURNED or ON_EACH: how far the source's spell gets that is aimed at the opponent."""
    source = core["source"]
    record = rules["spells"][source["spell"]]
    if any_untargetable(core, rules, target) or not concerns(core, rules, sheets, target):
        return STOPPED
    if record["target"] != AT_AREA and not passes_sanctuary(core, rules, sheets, cup, target):
        return STOPPED
    if in_antimagic(core, rules, np.int64(source["caster"])) or warded(core, rules, target):
        return STOPPED
    if _blinks_away(core, rules, cup, target):
        return STOPPED
    return _turning(core, rules, sheets, cup, target)


@kernel
def hand_bonus(core, rules, player, spell, level):
    """What a spectral hand adds to the touch with a spell; NONE if no hand delivers it."""
    if rules["spells"][spell]["touch"] == 0:
        return NONE
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        if effect["kind"] == TOUCH_DELIVERY and row["suppressed"] == 0 and level <= effect["max_spell_level"]:
            return np.int64(effect["attack_bonus"])
    return NONE


@kernel
def grants_save(core, rules, target):
    """Whether a death ward gives a save against a death spell that allows none."""
    for i in range(core["num_ongoing"][target]):
        row = core["ongoing"][target, i]
        effect = rules["effects"][row["effect"]]
        if effect["kind"] == MODIFIER and effect["grants_save"] == 1 and row["suppressed"] == 0:
            return True
    return False


@kernel
def dispels_opposite(core, rules, sheets, target):
    """Haste and slow, bless and bane, and the like: a spell ends the spells that it counters, and does nothing else then.

    Spells that remove something say so in their effects.
    """
    record = rules["spells"][core["source"]["spell"]]
    for number in range(record["first_effect"], record["first_effect"] + record["num_effects"]):
        if rules["effects"][number]["kind"] == REMOVE:
            return False
    found = False
    for k in range(record["counters"].shape[0]):
        theirs = np.int64(record["counters"][k])
        if theirs < 0:
            continue
        for _ in range(core["ongoing"].shape[1]):
            casting = NONE
            for i in range(core["num_ongoing"][target]):
                if core["ongoing"][target, i]["spell"] == theirs:
                    casting = np.int64(core["ongoing"][target, i]["casting"])
                    break
            if casting == NONE:
                break
            end_casting_on(core, rules, sheets, target, casting)
            found = True
    return found


@kernel
def burn_around(core, rules, sheets, cup, target):
    """What a spell that reached a duelist does to the areas around him: webs burn, mists are dispersed.

    A burning web deals 2d4 points to who is in it (web).
    """
    record = rules["spells"][core["source"]["spell"]]
    caster, spell = np.int64(core["source"]["caster"]), np.int64(core["source"]["spell"])
    fire = record["fire"] == 1 or (record["fire"] == 2 and core["source"]["energy"] == FIRE)
    for _ in range(core["ongoing"].shape[1]):
        casting, webs = NONE, False
        for i in range(core["num_ongoing"][target]):
            row = core["ongoing"][target, i]
            effect = rules["effects"][row["effect"]]
            webs = effect["burnt_by_fire"] == 1 and fire
            if webs or (effect["dispersible"] == 1 and record["disperses_mist"] == 1):
                casting = np.int64(row["casting"])
                break
        if casting == NONE:
            break
        end_casting_on(core, rules, sheets, target, casting)
        if webs:
            deal_damage(core, rules, sheets, cup, target, pool(cup, FOR_DAMAGE, caster, 2, 4, 0, NONE, spell), FIRE, 0, 1)


@kernel
def saves_by_ward(core, rules, sheets, cup, target, descriptor):
    """The Will save that a death ward grants against a death spell without one (power word kill)."""
    record = rules["spells"][core["source"]["spell"]]
    if np.int64(record["descriptors"]) & descriptor == 0 or not grants_save(core, rules, target):
        return False
    return makes_save(core, rules, sheets, cup, target, WILL, 0)
