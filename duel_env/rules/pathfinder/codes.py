"""Names of the data as numbers of the kernels: each tuple lists names in the order of the constants below it."""

from typing import Final

# ---- of duelists --------------------------------------------------------------------------------------------------------------

ABILITIES: Final = ("str", "dex", "con", "int", "wis", "cha")
STR, DEX, CON, INT, WIS, CHA = range(6)

CLASSES: Final = ("wizard", "sorcerer", "cleric", "druid", "bard", "witch")
WIZARD, SORCERER, CLERIC, DRUID, BARD, WITCH = range(6)

SCHOOLS: Final = (
    "abjuration",
    "conjuration",
    "divination",
    "enchantment",
    "evocation",
    "illusion",
    "necromancy",
    "transmutation",
)

ENTRY_KINDS: Final = ("at_will", "prepared", "known", "staff", "bonded", "converted")
AT_WILL, PREPARED, KNOWN, STAFF, BONDED, CONVERTED = range(6)
"""What casting an entry of a sheet uses up: nothing, one prepared copy, a slot of its level, charges of a staff, the bonded object's one
casting, a prepared copy of another spell (a cleric's cures)."""

FACE_OFF_SKILLS: Final = ("bluff", "intimidate", "sense_motive")

# ---- of spells ----------------------------------------------------------------------------------------------------------------

CASTING_TIMES: Final = ("standard", "swift", "immediate", "one_round", "full_round")
STANDARD, SWIFT, IMMEDIATE, ONE_ROUND, FULL_ROUND = range(5)

TARGETS: Final = ("self", "creature", "area", "ray")
AT_SELF, AT_CREATURE, AT_AREA, AT_RAY = range(4)

DUEL_TARGETS: Final = ("self", "opponent", "both")
ON_SELF, ON_OPPONENT, ON_BOTH = range(3)

ATTACKS: Final = ("none", "ranged_touch", "melee_touch")
NO_ATTACK, RANGED_TOUCH, MELEE_TOUCH = range(3)

SAVES: Final = ("none", "fort", "ref", "will")
NO_SAVE, FORT, REF, WILL = range(4)

DURATIONS: Final = ("instantaneous", "rounds", "permanent", "concentration")
INSTANTANEOUS, FOR_ROUNDS, PERMANENT, CONCENTRATION = range(4)

DESCRIPTORS: Final = (
    "acid",
    "cold",
    "electricity",
    "fire",
    "sonic",
    "force",
    "mind_affecting",
    "fear",
    "death",
    "language_dependent",
    "light",
    "good",
    "evil",
    "earth",
    "air",
    "emotion",
    "darkness",
    "water",
    "poison",
    "disease",
    "curse",
    "pain",
    "chaotic",
    "lawful",
    "shadow",
)
"""Bit i of a spell's `descriptors` is the i-th name."""
MIND_AFFECTING, FEAR, DEATH, LANGUAGE, SONIC_SPELL = 1 << 6, 1 << 7, 1 << 8, 1 << 9, 1 << 4

# ---- of effects ---------------------------------------------------------------------------------------------------------------

EFFECT_KINDS: Final = (
    "damage",
    "heal",
    "temp_hp",
    "condition",
    "remove",
    "modifier",
    "ability",
    "negative_levels",
    "miss_chance",
    "images",
    "energy_ward",
    "spell_ward",
    "immunity",
    "dispel",
    "sense",
    "zone",
    "action",
    "auto_attack",
    "retaliate",
    "reroll",
    "extra_turns",
    "touch_delivery",
    "choice",
    "band",
    "second_save",
    "stages",
    "random",
)
(
    DAMAGE,
    HEAL,
    TEMP_HP,
    CONDITION,
    REMOVE,
    MODIFIER,
    ABILITY,
    NEGATIVE_LEVELS,
    MISS_CHANCE,
    IMAGES,
    ENERGY_WARD,
    SPELL_WARD,
    IMMUNITY,
    DISPEL,
    SENSE,
    ZONE,
    ACTION,
    AUTO_ATTACK,
    RETALIATE,
    REROLL,
    EXTRA_TURNS,
    TOUCH_DELIVERY,
    CHOICE,
    BAND,
    SECOND_SAVE,
    STAGES,
    RANDOM,
) = range(27)

ON_SAVE: Final = ("always", "none", "half", "full", "only")
ALWAYS, NEGATED, HALVED, UNAFFECTED, ONLY_ON_SAVE = range(5)
"""`on_save` of an effect; ALWAYS where the data has none."""

VERSUS: Final = ("", "fear", "death", "mind_affecting", "spells", "evil_opponent", "cannot_see_invisible")
VS_ALL, VS_FEAR, VS_DEATH, VS_MIND, VS_SPELLS, VS_EVIL, VS_UNSEEING = range(7)

ROUNDS: Final = (
    "amount",
    "spell",
    "permanent",
    "until_free",
    "until_stand",
    "until_healed",
    "while_in_zone_plus",
    "instant",
)
IN_ROUNDS, LIKE_SPELL, FOR_GOOD, UNTIL_FREE, UNTIL_STAND, UNTIL_HEALED, IN_ZONE_PLUS, AT_ONCE = range(8)
"""How long an effect lasts; AT_ONCE where the data says nothing."""

ENERGIES: Final = ("acid", "cold", "electricity", "fire", "sonic")
DAMAGE_TYPES: Final = (*ENERGIES, "force", "negative", "bludgeoning", "untyped", "divine", "fire_or_cold", "choice")
ACID, COLD, ELECTRICITY, FIRE, SONIC, FORCE, NEGATIVE, BLUDGEONING, UNTYPED, DIVINE, FIRE_OR_COLD, CHOSEN = range(12)
ALL_ENERGIES, CHOSEN_ENERGY = 5, 6
"""Further values of an energy ward's `energy`."""

STATS: Final = (
    "attack",
    "ac",
    "save_fort",
    "save_ref",
    "save_will",
    "skill_all",
    "ability_checks",
    "ability_str",
    "ability_dex",
    "ability_con",
    "ability_int",
    "ability_wis",
    "ability_cha",
    "spell_resistance",
    "own_spell_failure",
    "dr",
    "any_one_roll",
    "attack_or_save_or_opposed_check_or_ac",
    "save_all",
)
(
    ATTACK,
    AC,
    SAVE_FORT,
    SAVE_REF,
    SAVE_WILL,
    SKILLS,
    ABILITY_CHECKS,
    ABILITY_STR,
    ABILITY_DEX,
    ABILITY_CON,
    ABILITY_INT,
    ABILITY_WIS,
    ABILITY_CHA,
    SPELL_RESISTANCE,
    SPELL_FAILURE,
    DAMAGE_REDUCTION,
    ANY_ONE_ROLL,
    PRESCIENCE,
    SAVE_ALL,
) = range(19)

BONUS_TYPES: Final = (
    "untyped",
    "penalty",
    "dodge",
    "armor",
    "shield",
    "deflection",
    "morale",
    "luck",
    "insight",
    "resistance",
    "enhancement",
    "competence",
    "set",
    "percent",
)
(
    UNTYPED_BONUS,
    PENALTY,
    DODGE,
    ARMOR,
    SHIELD,
    DEFLECTION,
    MORALE,
    LUCK,
    INSIGHT,
    RESISTANCE,
    ENHANCEMENT,
    COMPETENCE,
    SET_VALUE,
    PERCENT,
) = range(14)
"""Bonuses of one type do not add up, but for the first three."""

ABILITY_MODES: Final = ("damage", "drain", "penalty")
ABILITY_DAMAGE, ABILITY_DRAIN, ABILITY_PENALTY = range(3)

RESAVE_TIMES: Final = ("", "start_of_turn", "next_turn_only", "end_of_turn")
NO_RESAVE, AT_START, NEXT_TURN_ONLY, AT_END = range(4)

ESCAPES: Final = ("", "str_or_escape_artist", "cmb_or_escape_artist", "str", "ref", "int")
NO_ESCAPE, BY_STR_OR_DEX, BY_CMB_OR_DEX, BY_STR, BY_REF, BY_INT = range(6)
"""Nobody has ranks in Escape Artist: it is a Dexterity check."""

COSTS: Final = ("none", "free", "swift", "move", "standard", "full_round")
COST_NONE, COST_FREE, COST_SWIFT, COST_MOVE, COST_STANDARD, COST_FULL_ROUND = range(6)

ENDS_ON: Final = ("damaged", "hostile_act_by_subject", "hostile_act_by_caster")
"""Bit i of `ends_on` is the i-th name."""
ENDS_ON_DAMAGE, ENDS_ON_OWN_HOSTILITY, ENDS_ON_CASTERS_HOSTILITY = 1, 2, 4

WARD_MODES: Final = ("max_level", "named", "named_choice", "turn", "antimagic")
MAX_LEVEL, NAMED, NAMED_CHOICE, TURNING, ANTIMAGIC = range(5)

ENERGY_MODES: Final = ("resist", "absorb", "half", "half_area")
RESIST, ABSORB, HALVE, HALVE_AREA = range(4)

SENSES: Final = ("see_invisible", "true_seeing", "purge_invisible", "ignore_concealment")
SEE_INVISIBLE, TRUE_SEEING, PURGE_INVISIBLE, IGNORE_CONCEALMENT = range(4)

MISS_AGAINST: Final = ("attacks", "ranged_attacks", "targeted_spells")
ATTACKS_ANY, ATTACKS_RANGED, SPELLS_TARGETED = range(3)

PIERCED_BY: Final = ("true_seeing", "outlined", "see_invisible_and_strike_ethereal")
"""Bit i of `pierced_by` is the i-th name."""

DISPEL_MODES: Final = ("targeted_one", "targeted_many", "all")
DISPEL_ONE, DISPEL_MANY, DISPEL_ALL = range(3)

REMOVE_CHECKS: Final = ("none", "new_save", "curse_dc")
NO_CHECK, NEW_SAVE, CURSE_CHECK = range(3)

IMMUNITIES: Final = ("mental_control", "zone_movement", "negative_levels", "negative_damage", "fear", "flat_footed")
"""Bit i of `immune` is the i-th name; immunities to conditions are in `conditions`."""
(
    IMMUNE_CONTROL,
    IMMUNE_ZONE_MOVEMENT,
    IMMUNE_NEGATIVE_LEVELS,
    IMMUNE_NEGATIVE_DAMAGE,
    IMMUNE_FEAR,
    IMMUNE_FLAT_FOOTED,
) = (1 << bit for bit in range(6))

GRANTED_ACTIONS: Final = ("hurl_flame", "direct_sphere", "direct_globes", "eyebite_again", "sunbeam", "call_bolt")
FIRST_USES: Final = ("same_turn", "next_turn", "on_completion")
SAME_TURN, NEXT_TURN, ON_COMPLETION = range(3)

EXIT_CHECKS: Final = ("", "acrobatics", "cmb_or_escape_artist")
NO_EXIT_CHECK, BY_ACROBATICS, EXIT_BY_CMB_OR_DEX = range(3)

# ---- of conditions ------------------------------------------------------------------------------------------------------------

CONDITIONS: Final = (
    "asleep",
    "banished",
    "blinded",
    "burning",
    "charmed",
    "commanded",
    "confused",
    "cowering",
    "cursed_inaction",
    "dancing",
    "dazed",
    "dazzled",
    "dead",
    "deafened",
    "disabled",
    "dominated",
    "dying",
    "entangled",
    "exhausted",
    "fascinated",
    "fatigued",
    "feebleminded",
    "flat_footed",
    "frightened",
    "grappled",
    "hasted",
    "ice_bound",
    "insane",
    "invisible",
    "nauseated",
    "outlined",
    "panicked",
    "paralyzed",
    "petrified",
    "polymorphed",
    "prone",
    "prostrate",
    "sanctuary",
    "shaken",
    "sickened",
    "silenced",
    "slowed",
    "staggered",
    "stasis",
    "stunned",
    "unconscious",
)
"""Bit i of a duelist's `conditions` is the i-th name."""
(
    ASLEEP,
    BANISHED,
    BLINDED,
    BURNING,
    CHARMED,
    COMMANDED,
    CONFUSED,
    COWERING,
    CURSED_INACTION,
    DANCING,
    DAZED,
    DAZZLED,
    DEAD,
    DEAFENED,
    DISABLED,
    DOMINATED,
    DYING,
    ENTANGLED,
    EXHAUSTED,
    FASCINATED,
    FATIGUED,
    FEEBLEMINDED,
    FLAT_FOOTED,
    FRIGHTENED,
    GRAPPLED,
    HASTED,
    ICE_BOUND,
    INSANE,
    INVISIBLE,
    NAUSEATED,
    OUTLINED,
    PANICKED,
    PARALYZED,
    PETRIFIED,
    POLYMORPHED,
    PRONE,
    PROSTRATE,
    SANCTUARY,
    SHAKEN,
    SICKENED,
    SILENCED,
    SLOWED,
    STAGGERED,
    STASIS,
    STUNNED,
    UNCONSCIOUS,
) = range(46)
