"""Records of the spell duel: what the kernels read and write.

A duel is played between decisions: `CORE` holds everything that lasts from one decision to the next, the casting that waits for an answer
included. Dice come out of a cup (`dice`), so that the same kernels serve who samples, who enumerates and who scripts them.
`STATE` is what one duel with its dice in the open needs besides: see `transition`.

Amounts such as "d(min(CL,10),6)" are tables over the caster level, `RULES["amounts"][number, caster_level]`; -1 stands for none.
"""

from typing import Final

import numpy as np

from duel_env.rules.pathfinder.codes import CLASSES, GRANTED_ACTIONS, SCHOOLS
from duel_env.rules.units import records

MAX_SPELLS: Final = 256
MAX_EFFECTS: Final = 1_024
MAX_BRANCHES: Final = 512
MAX_AMOUNTS: Final = 320
MAX_LEVEL: Final = 20
MAX_ENTRIES: Final = 80
"""Lines of a sheet's spell list."""
MAX_ONGOING: Final = 48
"""Effects in force on one duelist; a spell that finds no room pushes out the one nearest to its end."""
NUM_SLOT_LEVELS: Final = 10
NUM_PICKS: Final = 12
"""Spells of the opponent that can be pointed at, the first of them."""

NOBODY: Final = -1
NONE: Final = -1
NO_CAP: Final = 1_000_000
LASTING: Final = 1_000_000
"""Rounds of what never ends by itself."""

# ---- phases: what the player who is to choose decides -------------------------------------------------------------------------

STARE_DOWN, TURN, CHOICE_IN_SPELL, READIED, REACTION = range(5)
"""Which skill to stare with; the own turn; something inside a spell; whether to spend the readied counterspell; the dueling counter."""

(
    CHOOSE_NOTHING,
    CHOOSE_SLOT,
    CHOOSE_OPTION,
    CHOOSE_ENERGY,
    CHOOSE_ABILITY,
    CHOOSE_TARGET,
    CHOOSE_EFFECT,
    CHOOSE_SPELLS,
    CHOOSE_DISMISSED,
) = range(9)
"""What CHOICE_IN_SPELL is about: slot level; option of the spell; energy; ability; whom to dispel; which spell of theirs; spells to be
immune to; which own spell to dismiss."""

RUNNING, BY_DEFEAT, BY_WITHDRAWAL, BY_DISQUALIFICATION, BY_ROUND_LIMIT, BY_JUDGEMENT = range(6)
"""`end`: how a duel ended."""

# ---- rules --------------------------------------------------------------------------------------------------------------------

AMOUNT = np.dtype(
    [(name, np.int16) for name in ("n1", "f1", "n2", "f2", "constant", "mod", "bab", "mul", "div")] + [("cap", np.int32)]
)
"""min(cap, ((n1 d f1 + n2 d f2 + constant + mod * MOD + bab * BAB) * mul) // div)."""

SPELL = np.dtype(
    [
        ("level", np.int8, len(CLASSES)),  # of the spell for each class, -1: not on its list
        ("school", np.int8),
        ("descriptors", np.uint32),
        ("casting_time", np.int8),
        ("verbal", np.int8),
        ("needs_approach", np.int8),  # touch, or 30 ft and less
        ("touch", np.int8),  # range touch: what a spectral hand delivers
        ("target", np.int8),
        ("duel_target", np.int8),
        ("may_target_self", np.int8),  # duel_target_alt
        ("hostile", np.int8),  # touches the opponent
        ("attack", np.int8),
        ("attack_count", np.int16),  # amount
        ("touch_charges", np.int16),  # amount, -1: none
        ("save", np.int8),
        ("save_used", np.int8),  # 1: an effect asks for the result of `save`
        ("save_bonus", np.int8),  # of the target, by the situation of every duel
        ("arcane_save_penalty", np.int8),  # further one of a target that casts arcane spells
        ("beneficial", np.int8),
        ("spell_resistance", np.int8),
        ("duration", np.int8),
        ("rounds", np.int16),  # amount
        ("discharge", np.int8),
        ("dismissible", np.int8),
        ("dispellable", np.int8),
        ("max_hd", np.int16),  # limits, NO_LIMIT = -1
        ("max_hp", np.int16),
        ("min_int", np.int16),
        ("needs_hearing", np.int8),
        ("needs_plants", np.int8),
        ("fire", np.int8),  # 1: burns webs; 2: if fire was chosen
        ("disperses_mist", np.int8),
        ("num_choices", np.int8),  # decisions inside the spell besides the slot
        ("choices", np.int8, 3),  # CHOOSE_... in their order
        ("num_options", np.int8),  # of CHOOSE_OPTION
        ("energies", np.uint8),  # of CHOOSE_ENERGY, bit by energy
        ("counters", np.int16, 2),  # spells that it counters when readied
        ("curse", np.int8),  # 1: what removes curses ends it
        ("first_effect", np.int16),
        ("num_effects", np.int16),
    ]
)

_BRANCHED = [("first_branch", np.int16), ("num_branches", np.int16)]
EFFECT = np.dtype(
    [
        ("kind", np.int8),
        ("spell", np.int16),  # to which it belongs
        ("to_self", np.int8),
        ("on_save", np.int8),
        ("versus", np.int8),
        ("amount", np.int16),  # amount: of damage, healing, points, count, value, levels, uses, turns, rolls
        ("rounds_kind", np.int8),
        ("rounds", np.int16),  # amount
        ("uses", np.int16),  # amount, -1: without limit
        # damage
        ("damage_type", np.int8),
        ("split_type", np.int8),  # the other half is of this type, -1: no split
        ("hits", np.int16),  # amount
        ("separate_saves", np.int8),
        ("nonlethal", np.int8),
        ("min_hp_left", np.int8),
        ("kill_at_zero", np.int8),
        ("on_miss", np.int8),
        ("save_penalty_on_hit", np.int8),
        ("gains_temp_hp", np.int8),
        ("delayed", np.int8),  # to the start of the target's next turn
        ("extra_save", np.int8),  # then
        ("returns_at_end", np.int8),
        # repetition on later turns, of damage and ability damage
        ("repeat_rounds", np.int16),  # amount, -1: does not repeat
        ("repeat_until_free", np.int8),
        ("repeat_amount", np.int16),  # amount
        ("repeat_on_casters_turn", np.int8),
        ("repeat_save", np.int8),
        ("repeat_save_ends", np.int8),
        # condition
        ("condition", np.int8),
        ("resave", np.int8),
        ("resave_costs_turn", np.int8),
        ("resave_bonus", np.int8),
        ("escape", np.int8),
        ("escape_dc", np.int16),  # amount, -1: the spell's DC
        ("escape_cost", np.int8),
        ("ends_on", np.uint8),
        ("hp_set", np.int16),
        ("sets_hp", np.int8),
        ("escalates_to", np.int8),  # condition, -1
        ("rounds_on_critical", np.int16),  # -1
        ("outlasts", np.int8),  # 1: `rounds` come on top of those of the condition before it (color spray)
        ("needs_damage", np.int8),  # 1: only if the damage before it got through (frostbite, sirocco)
        # remove
        ("conditions", np.uint64),  # also of an immunity
        ("removes_zones", np.int8),
        ("removes_ability_damage", np.int8),
        ("removes_poison", np.int8),
        ("removes_curses", np.int8),
        ("check", np.int8),
        ("save_bonus", np.int8),
        ("suppresses", np.int8),
        ("ends_turn", np.int8),
        # modifier
        ("stat", np.int8),
        ("bonus_type", np.int8),
        ("grants_save", np.int8),
        # ability
        ("abilities", np.uint8),  # bit by ability, 0: chosen
        ("mode", np.int8),  # also of wards, dispelling
        ("min_score", np.int8),
        ("at_zero", np.int8),  # condition, -1
        # miss chance, images
        ("percent", np.int8),
        ("against", np.int8),
        ("pierced_by", np.uint8),
        ("reduced_percent", np.int8),  # for who sees the invisible, -1
        # wards
        ("energy", np.int8),
        ("evasion", np.int8),
        ("named_spell", np.int16),
        ("named_index", np.int8),  # which of the chosen spells, 0 to 4
        ("immune", np.uint8),
        # dispelling
        ("sure", np.int8),
        ("max_dispelled", np.int16),  # amount, -1: all
        ("counter_bonus", np.int8),
        # sense, zone
        ("sense", np.int8),
        ("on_own_side", np.int8),
        ("exit_moves", np.int8),
        ("blocks_sight", np.int8),
        ("concealment", np.int8),
        ("exit_check", np.int8),
        ("exit_dc", np.int16),  # -1: the spell's DC
        ("immediate", np.int8),
        ("burnt_by_fire", np.int8),
        ("dispersible", np.int8),
        # granted actions, weapons that attack by themselves, retaliation
        ("action", np.int8),  # of GRANTED_ACTIONS
        ("cost", np.int8),
        ("first_use", np.int8),
        ("first_is_free", np.int8),
        ("attack", np.int8),
        ("save", np.int8),
        ("spell_resistance", np.int8),
        ("against_cmd", np.int8),
        ("bonus_if_grappling", np.int8),
        ("critical_from", np.int8),  # 21: never
        ("iterative", np.int8),
        # touch delivery
        ("max_spell_level", np.int8),
        ("attack_bonus", np.int8),
        *_BRANCHED,
    ]
)
"""One effect of a spell. Which fields mean something depends on `kind`; the others are 0 or -1."""

BRANCH = np.dtype([("limit", np.int32), ("first", np.int16), ("count", np.int16)])
"""Effects within an effect. choice: one for each option; band: the greatest value it is for; second save: failure, success; stages: one for
each step; random: one for each face; zone, action, auto attack, retaliation: what it does; condition: what an early recovery costs."""

CONDITION_RULES = np.dtype(
    [
        ("no_actions", np.int8),
        ("one_action", np.int8),  # a standard or a move action, not both
        ("only_moves", np.int8),  # no standard action
        ("no_moves", np.int8),
        ("no_casting", np.int8),
        ("no_hostile", np.int8),  # nothing against the opponent
        ("no_verbal", np.int8),
        ("no_targeting", np.int8),  # of what has to be seen
        ("verbal_failure", np.int8),  # percent
        ("concentration", np.int16),  # DC without the spell's level, -1: none; -2: by a grapple
        ("no_counter", np.int8),
        ("no_identifying", np.int8),
        ("helpless", np.int8),
        ("untargetable", np.int8),
        ("loses_dex", np.int8),
        ("ends_duel", np.int8),  # 1: yes; 2: if it lasts
        ("attack", np.int8),
        ("ac", np.int8),
        ("ac_ranged", np.int8),  # further, against ranged attacks
        ("ac_melee", np.int8),
        ("saves", np.int8),
        ("reflex", np.int8),
        ("skills", np.int8),
        ("ability_checks", np.int8),
        ("strength", np.int8),
        ("dexterity", np.int8),
        ("sets_strength", np.int8),  # to 0
        ("sets_mind", np.int8),  # intelligence and charisma to 1
        ("own_miss_chance", np.int8),
        ("miss_chance", np.int8),
        ("immune_sonic", np.int8),
    ]
)
"""What a condition does to who has it, from `data/conditions.toml`."""

CONDITION_FLAGS: Final = (
    "no_actions",
    "one_action",
    "only_moves",
    "no_moves",
    "no_casting",
    "no_hostile",
    "no_verbal",
    "no_targeting",
    "no_counter",
    "no_identifying",
    "helpless",
    "untargetable",
    "loses_dex",
    "sets_strength",
    "sets_mind",
)
"""Fields of CONDITION_RULES that say yes or no."""

CONDITION_SETS = np.dtype([(name, np.uint64) for name in CONDITION_FLAGS])
"""For each flag the conditions that have it, bit by condition: what the kernels ask all the time."""

RULES = np.dtype(
    [
        # terms, see `terms.DuelTerms`
        ("counter_dc_by_caster_level", np.int8),
        ("counter_only_if_targeted", np.int8),
        ("flat_footed_start", np.int8),
        ("dispel_after_failed_identification", np.int8),
        ("greater_dispel_bonus", np.int8),
        ("penalty_after_failed_dispel", np.int8),
        ("level_bonus_by_slot", np.int8),
        ("counter_takes_immediate", np.int8),
        ("exact_copy_is_sure", np.int8),
        ("counter_needs_sight", np.int8),
        ("spellcraft_distance_penalty", np.int8),
        ("stare_down", np.int8),
        ("to_the_death", np.int8),
        ("safe_arena", np.int8),
        ("plants", np.int8),
        ("abstract_range", np.int8),
        ("opponent_is_evil_known", np.int8),
        ("judged_by_hit_points", np.int8),
        ("max_rounds", np.int32),
        ("show_opponent_class", np.int8),
        ("show_exact_hit_points", np.int8),
        ("perfect_recall", np.int8),
        ("ask_forced", np.int8),
        ("creatures", np.int8),
        # the book
        ("num_spells", np.int16),
        ("num_effects", np.int16),
        ("dispel_magic", np.int16),  # spell numbers, -1: not in the book
        ("greater_dispel_magic", np.int16),
        ("magic_missile", np.int16),
        ("spells", SPELL, MAX_SPELLS),
        ("effects", EFFECT, MAX_EFFECTS),
        ("branches", BRANCH, MAX_BRANCHES),
        ("amounts", AMOUNT, (MAX_AMOUNTS, MAX_LEVEL + 1)),
        ("conditions", CONDITION_RULES, 46),
        ("condition_sets", CONDITION_SETS),
    ]
)

# ---- duelists -----------------------------------------------------------------------------------------------------------------

SHEET = np.dtype(
    [
        ("number", np.int32),  # place in the pool it was drawn from, from 1: tells sheets apart
        ("class_id", np.int8),
        ("level", np.int8),
        ("casting_ability", np.int8),
        ("spontaneous", np.int8),
        ("arcane", np.int8),
        ("evil", np.int8),
        ("scores", np.int16, 6),
        ("hit_points", np.int16),
        ("base_attack", np.int8),
        ("saves", np.int8, 3),  # class and feats, without ability modifiers
        ("initiative", np.int8),  # besides Dexterity
        ("spellcraft", np.int8),  # besides Intelligence
        ("face_off", np.int8, 3),  # bluff, intimidate, sense motive, without ability modifiers
        ("penetration", np.int8),
        ("concentration", np.int8),  # besides caster level and ability
        ("focus", np.int8, len(SCHOOLS)),
        ("identify", np.int8, len(SCHOOLS)),  # +2 own school, -5 opposition schools
        ("improved_counterspell", np.int8),
        ("has_bonded_object", np.int8),
        ("size", np.int8),  # to attack rolls and AC: 1 when small
        ("slots", np.int8, NUM_SLOT_LEVELS),  # of spontaneous casters
        ("staff_charges", np.int8),
        ("num_entries", np.int16),
        ("entry_spell", np.int16, MAX_ENTRIES),
        ("entry_level", np.int8, MAX_ENTRIES),  # of the spell for this class
        ("entry_slot", np.int8, MAX_ENTRIES),  # of the slot, or charges of a staff
        ("entry_kind", np.int8, MAX_ENTRIES),
        ("entry_quickened", np.int8, MAX_ENTRIES),
        ("entry_copies", np.int8, MAX_ENTRIES),
        ("entry_caster_level", np.int8, MAX_ENTRIES),  # of a staff; 0: the duelist's
        ("entry_is_domain", np.int8, MAX_ENTRIES),
    ]
)

SHEETS: Final = records(SHEET)
"""Both sheets, as an argument of a unit."""

MAX_POOL: Final = 256
"""Sheets from which a duelist is drawn."""

SETUP = np.dtype(
    [
        ("num_pool", np.int32, 2),
        ("first_caster", np.int8),
        ("pool", SHEET, (2, MAX_POOL)),
    ]
)

# ---- a duel -------------------------------------------------------------------------------------------------------------------

ONGOING = np.dtype(
    [
        ("effect", np.int16),
        ("spell", np.int16),
        ("casting", np.int32),  # number of the casting, so that what came together can end together
        ("caster", np.int8),
        ("caster_level", np.int8),
        ("slot_level", np.int8),
        ("dc", np.int8),
        ("until", np.int8),  # LIKE `rounds_kind`: what ends it besides rounds
        ("suppressed", np.int8),
        ("stilled", np.int8),  # 1: suppressed by an antimagic field, and only as long as it lasts
        ("escalated", np.int8),  # 1: a condition that has become what it `escalates_to`
        ("stage", np.int8),  # steps taken, attacks made, moves made towards the edge of a zone
        ("choice", np.int8),  # option, energy, ability
        ("value", np.int16),  # rolled or left: bonus, points, images, pool, levels
        ("uses", np.int16),
        ("rounds", np.int32),
        ("save_penalty", np.int8),  # on the target's saves against it, after a failed counter
        ("due", np.int8),  # 1: a pass over the effects still has to see to it; 0 between decisions
    ]
)
"""One effect in force on a duelist."""

CASTING = np.dtype(
    [
        ("spell", np.int16),
        ("entry", np.int16),  # of the caster's sheet
        ("slot_level", np.int8),
        ("level", np.int8),  # of the spell for the caster's class
        ("caster", np.int8),
        ("quickened", np.int8),
        ("by_bonded_object", np.int8),
        ("at_self", np.int8),  # targets the caster
        ("caster_level", np.int8),
        ("dc", np.int8),
        ("num_chosen", np.int8),
        ("option", np.int8),
        ("energy", np.int8),
        ("ability", np.int8),
        ("pick", np.int8),  # effect of the opponent to dispel, -1: the strongest
        ("named", np.int16, 5),  # spells to be immune to, -1
        ("identified", np.int8),
        ("tried", np.int8),  # an attempt to counter was made
        ("save_penalty", np.int8),
        ("shown", np.int8),  # the opponent saw what it is
        ("counter_entry", np.int16),  # of the other player's sheet, while the slot for it is chosen
        ("counter_readied", np.int8),  # 1: by the readied counterspell
        ("hit_points", np.int16),  # of the caster when a casting of one round began, less nonlethal damage
    ]
)
"""The spell that is being cast; spell -1: none."""

SOURCE = np.dtype(
    [
        ("spell", np.int16),
        ("casting", np.int32),
        ("caster", np.int8),
        ("caster_level", np.int8),
        ("slot_level", np.int8),
        ("dc", np.int8),
        ("save_penalty", np.int8),  # on the target's saves, after a failed counter
        ("critical", np.int8),  # 1: a critical hit, which doubles damage and points
        ("option", np.int8),
        ("energy", np.int8),
        ("ability", np.int8),
        ("pick", np.int8),
        ("named", np.int16, 5),
        # what only the effects themselves read and clear
        ("save", np.int8),  # that the spell or granted action allows, for effects with saves of their own
        ("rounds", np.int32),  # left of the spell, when an effect in force does something; 0: as the spell says
        ("rolled", np.int32),  # rounds of the last condition, for one that outlasts it
        ("dealt", np.int32),  # damage that got through so far, for effects that need some
    ]
)
"""Where the effects that are being applied right now come from; all 0 between decisions."""

CORE = np.dtype(
    [
        ("node", np.int8),
        ("phase", np.int8),
        ("choosing", np.int8),
        ("current_player", np.int8),
        ("active", np.int8),  # whose turn it is
        ("opener", np.int8),  # who begins each round
        ("winner", np.int8),
        ("end", np.int8),
        ("round", np.int32),
        ("castings", np.int32),  # so far
        ("asked", np.int8),  # 1: the active player was asked in this turn
        ("near", np.int8),  # 1: nobody moved away since somebody approached
        ("stare", np.int8, 2),  # skill chosen, -1: not yet
        # body
        ("hit_points", np.int16, 2),
        ("nonlethal", np.int16, 2),
        ("temp_hp", np.int16, 2),
        ("temp_hp_rounds", np.int32, 2),
        ("con_hp", np.int16, 2),  # hit points that a changed Constitution and lost levels give or take at present
        ("ability_damage", np.int8, (2, 6)),
        ("ability_drain", np.int8, (2, 6)),
        (
            "fate",
            np.int8,
            2,
        ),  # 1 + the condition that a score of 0 brings besides, 0: none (calcific touch: petrified; disintegrate: dead)
        ("last_continuous_damage", np.int16, 2),
        # what the ongoing effects come to, see `totals`
        ("conditions", np.uint64, 2),
        ("totals", np.int16, (2, 19)),  # by STATS
        ("saves_versus", np.int16, (2, 3, 5)),  # what fear, death, mind_affecting, spells, evil opponents add, by save
        ("attack_versus", np.int16, (2, 7)),
        ("negative_levels", np.int8, 2),
        ("immune_conditions", np.uint64, 2),
        ("immune", np.uint8, 2),
        ("senses", np.uint8, 2),
        # turn
        ("standard_used", np.int8),
        ("move_used", np.int8),
        ("swift_used", np.int8),
        ("strenuous", np.int8),  # 1: the action that is under way costs a hit point of who has none left
        ("turn_lost", np.int8),
        ("immediate_spent", np.int8, 2),  # the swift action of the coming turn is gone
        ("counter_used", np.int8, 2),  # in this round
        ("acted", np.int8, 2),  # had a turn already
        ("readied", np.int8, 2),
        ("extra_turns", np.int8, 2),
        ("in_time_stop", np.int8, 2),
        ("confused_roll", np.int8, 2),
        ("stable_at", np.int16, 2),  # negative hit points at which who was dying bleeds no more, 0: none
        ("sanctuary_failed", np.int8, 2),
        ("one_round_spell", CASTING, 2),  # takes effect before the caster's next turn
        ("touch_spell", np.int16, 2),  # charges held, -1: none
        ("touch_charges", np.int8, 2),
        ("touch_level", np.int8, 2),
        ("touch_caster_level", np.int8, 2),
        ("concentrates_on", np.int32, 2),  # casting, -1
        ("kept_concentration", np.int8, 2),  # 1: in this turn
        # means
        ("slots", np.int8, (2, NUM_SLOT_LEVELS)),
        ("copies", np.int8, (2, MAX_ENTRIES)),
        ("staff_charges", np.int8, 2),
        ("bonded_used", np.int8, 2),
        # effects in force on each duelist
        ("num_ongoing", np.int8, 2),
        ("ongoing", ONGOING, (2, MAX_ONGOING)),
        ("casting", CASTING),
        ("source", SOURCE),
        ("aside", SOURCE),  # the source that a retaliation interrupts; all 0 between decisions
        # what each duelist showed the other
        ("seen", np.uint8, (2, MAX_SPELLS)),  # times that the other knows of, by spell
        ("spent", np.uint8, (2, NUM_SLOT_LEVELS)),
        ("counters_seen", np.uint8, 2),
        ("unknown_castings", np.uint8, 2),
    ]
)

NUM_GRANTED: Final = len(GRANTED_ACTIONS)

# ---- dice ---------------------------------------------------------------------------------------------------------------------

MAX_FACES: Final = 192
"""Dice between two decisions."""
MAX_DEPTH: Final = 6
"""Effects within effects within ... effects."""

FRAME = np.dtype(
    [
        ("next", np.int16),  # the effect that comes next
        ("end", np.int16),  # the one after the last
        ("target", np.int8),
        ("saved", np.int8),
        ("then", np.int8),  # what follows when all are applied, see `apply`
        ("rounds", np.int32),  # of the source, to be restored then
    ]
)
"""A run of effects that is being applied."""

CUP = np.dtype(
    [
        ("position", np.uint64),  # of the random stream; sampling only
        ("sampling", np.int8),
        ("dry", np.int8),  # 1: a face was asked for that a scripted cup does not have
        ("given", np.int16),  # faces that a scripted cup was filled with
        ("used", np.int16),  # faces asked for so far
        ("faces", np.int16, MAX_FACES),  # totals, of pools
        ("rollers", np.int8, MAX_FACES),  # who threw them
        # the first die that a dry cup lacked
        ("due_count", np.int16),
        ("due_sides", np.int16),
        ("due_roller", np.int8),
        ("due_purpose", np.int8),
        ("due_modifier", np.int16),
        ("due_target", np.int16),  # the total that succeeds, -1: none
        ("due_spell", np.int16),  # for which, -1: none
        # room for what is under way between two dice
        ("depth", np.int8),
        ("frames", FRAME, MAX_DEPTH),
    ]
)
"""Where the dice come from; see `dice`."""

STATE = np.dtype(
    [
        ("node", np.int8),
        ("current_player", np.int8),  # at a die, who throws it
        ("winner", np.int8),
        ("end", np.int8),
        ("round", np.int32),
        ("action", np.int32),  # played since the last decision; NONE: none; BEGINNING
        ("start", np.int8),
        ("now", CORE),
        ("next", CORE),  # the copy; equal to `now` but while it is worked on
        ("cup", CUP),
    ]
)
"""A duel whose dice lie in the open; see `transition`."""
