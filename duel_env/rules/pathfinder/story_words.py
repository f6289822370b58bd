"""The words of the spell duel, English and French."""

from typing import Final, Literal

from duel_env.rules.pathfinder.actions import CHOICES
from duel_env.rules.pathfinder.codes import CLASSES, CONDITIONS, DAMAGE_TYPES
from duel_env.rules.pathfinder.spells import default_spell_book

Language = Literal["en", "fr"]

_CLASSES_FR: Final = ("magicien", "ensorceleur", "prêtre", "druide", "barde", "sorcière")
_CONDITIONS_FR: Final = (
    "endormi",
    "banni",
    "aveuglé",
    "en feu",
    "charmé",
    "sous injonction",
    "confus",
    "recroquevillé",
    "maudit, perd des tours",
    "danse malgré lui",
    "hébété",
    "ébloui",
    "mort",
    "sourd",
    "hors de combat",
    "dominé",
    "mourant",
    "enchevêtré",
    "épuisé",
    "fasciné",
    "fatigué",
    "débile",
    "pris au dépourvu",
    "effrayé",
    "agrippé",
    "rapide",
    "pris dans la glace",
    "aliéné",
    "invisible",
    "nauséeux",
    "nimbé de lumière",
    "paniqué",
    "paralysé",
    "pétrifié",
    "métamorphosé",
    "à terre",
    "prosterné",
    "dans un sanctuaire",
    "secoué",
    "fiévreux",
    "réduit au silence",
    "ralenti",
    "chancelant",
    "en stase",
    "étourdi",
    "inconscient",
)
_DAMAGE_FR: Final = (
    "d'acide",
    "de froid",
    "d'électricité",
    "de feu",
    "de son",
    "de force",
    "négatifs",
    "contondants",
    "",
    "divins",
)

_EN: Final = {
    "player": "Duelist {0}",
    # choices
    "casts": "{0} casts {1}{2}{3}.",
    "casts_unknown": "{0} casts a spell{1}.",
    "quickened": ", quickened",
    "at_opponent": " at the opponent",
    "was": "The spell of {0} was {1}.",
    "spends": "{0} spends {1} on a counter.",
    "spends_readied": "{0} spends {1} on the readied counterspell.",
    "counters": "{0} tries to counter the spell.",
    "names": "{0} names {1}.",
    "chooses": "{0}: {1}.",
    "stares": "{0} chooses how to stare.",
    "illegal": "{0} does what the terms do not allow ({1}) and is disqualified.",
    "countered": "The spell is countered.",
    # dice
    "check": "{0}: {1} d{2} {3}{4}{5}{6}.",
    "sum": " {0} {1} = {2}",
    "against": " against {0}",
    "with_result": ": {0}",
    "result": "{0}: {1}: {2}.",
    "omen": "{0}: {1} d{2} {3}, to be thrown again under the ill omen.",
    "worse": " (the worse of two)",
    "amount": "{0}: {1}d{2} {3}{4}: {5}.",
    "amount_hidden": "{0}: {1}d{2} {3}{4}.",
    "of_spell": " ({0})",
    "coin": "Coin toss for the initiative: {0} acts first.",
    "first": "{0} acts first.",
    # changes
    "loses_hp": "{0} loses {1} HP.",
    "gains_hp": "{0} regains {1} HP.",
    "share_hp": "{0} seems to have {1} % of the HP left.",
    "bruised": "{0} takes {1} points of nonlethal damage.",
    "recovers": "{0} recovers from {1} points of nonlethal damage.",
    "share_bruised": "{0} seems to have nonlethal damage of {1} % of the HP.",
    "temp_hp": "{0} now has {1} temporary HP.",
    "ability": "{0} loses {1} points of {2}.",
    "ability_back": "{0} regains {1} points of {2}.",
    "levels": "{0} now has {1} negative levels.",
    "gains": "{0} is now: {1}.",
    "no_longer": "{0} is no longer: {1}.",
    "in_force": "In force on {0}: {1}.",
    "ended": "No longer in force on {0}: {1}.",
    "images": "{0} has {1} images left.",
    "held": "{0} holds the charge of a touch.",
    "round": "Round {0} begins.",
    # ends
    "defeat": "{0} wins: {1} cannot go on.",
    "draw": "A draw: neither can go on.",
    "withdrawal": "{0} wins: {1} has withdrawn.",
    "disqualification": "{0} wins: {1} is disqualified.",
    "limit": "Cut short at the round limit: a draw.",
    "judged": "The round limit: {0} wins by the larger share of hit points left.",
    "judged_draw": "The round limit: a draw, with equal shares of hit points left.",
    # state
    "opening": "Before the first round",
    "turn": "Round {0}, turn of {1}{2}",
    "left": " (left: {0})",
    "lost": " (lost)",
    "standard": "standard action",
    "move": "move action",
    "swift": "swift action",
    "near": "; within reach",
    "hp": "{0}/{1} HP",
    "hp_share": "{0} % HP",
    "nonlethal": "{0} nonlethal",
    "nonlethal_share": "{0} % nonlethal",
    "temporary": "temporary HP {0}",
    "negative_levels": "negative levels {0}",
    "lost_ability": "{1} -{0}",
    "effects": "in force: {0}",
    "rounds": "{0}",
    "lasting": "lasting",
    "suppressed": "suppressed",
    "num_images": "images {0}",
    "moves": "moves to leave {0}",
    "charges": "holds {0} ({1} charges)",
    "charge": "holds the charge of a touch",
    "one_round": "casts {0} (one round)",
    "a_spell": "a spell",
    "concentrates": "concentrates on {0}",
    "counter_used": "counter of the round used",
    "immediate_spent": "swift action of the coming turn gone",
    "readied": "counterspell readied",
    "stopped": "acts in stopped time",
    "extra_turns": "extra turns {0}",
    "slots": "slots left by level: {0}",
    "prepared": "prepared by level: {0}",
    "quickened_entry": "{0} quickened",
    "staff": "staff charges {0}",
    "bonded": "bonded object unused",
    "being_cast": "{0} is casting {1}{2}.",
    "decides": "{0} decides: {1}.",
    "decides_unknown": "{0} decides.",
    "dice_due": "Dice are due.",
    "due": "Due: {1}d{2} of {0}, {3}{4}.",
    "and": "and more",
}
_FR: Final = {
    "player": "Duelliste {0}",
    "casts": "{0} lance {1}{2}{3}.",
    "casts_unknown": "{0} lance un sort{1}.",
    "quickened": ", incantation rapide",
    "at_opponent": " sur l'adversaire",
    "was": "Le sort de {0} était {1}.",
    "spends": "{0} dépense {1} pour un contresort.",
    "spends_readied": "{0} dépense {1} pour le contresort préparé.",
    "counters": "{0} tente de contrer le sort.",
    "names": "{0} nomme {1}.",
    "chooses": "{0} : {1}.",
    "stares": "{0} choisit son regard.",
    "illegal": "{0} fait ce que le contrat ne permet pas ({1}) et est disqualifié.",
    "countered": "Le sort est contré.",
    "check": "{0} : {1} d{2} {3}{4}{5}{6}.",
    "sum": " {0} {1} = {2}",
    "against": " contre {0}",
    "with_result": " : {0}",
    "result": "{0} : {1} : {2}.",
    "omen": "{0} : {1} d{2} {3}, à relancer sous le mauvais présage.",
    "worse": " (le pire des deux)",
    "amount": "{0} : {1}d{2} {3}{4} : {5}.",
    "amount_hidden": "{0} : {1}d{2} {3}{4}.",
    "of_spell": " ({0})",
    "coin": "Pile ou face pour l'initiative : {0} agit en premier.",
    "first": "{0} agit en premier.",
    "loses_hp": "{0} perd {1} PV.",
    "gains_hp": "{0} regagne {1} PV.",
    "share_hp": "{0} semble avoir encore {1} % de ses PV.",
    "bruised": "{0} subit {1} points de dégâts non létaux.",
    "recovers": "{0} récupère de {1} points de dégâts non létaux.",
    "share_bruised": "{0} semble avoir des dégâts non létaux de {1} % de ses PV.",
    "temp_hp": "{0} a maintenant {1} PV temporaires.",
    "ability": "{0} perd {1} points en {2}.",
    "ability_back": "{0} regagne {1} points en {2}.",
    "levels": "{0} a maintenant {1} niveaux négatifs.",
    "gains": "{0} est maintenant : {1}.",
    "no_longer": "{0} n'est plus : {1}.",
    "in_force": "En vigueur sur {0} : {1}.",
    "ended": "Plus en vigueur sur {0} : {1}.",
    "images": "Il reste {1} images à {0}.",
    "held": "{0} retient la charge d'un contact.",
    "round": "Le round {0} commence.",
    "defeat": "{0} gagne : {1} ne peut plus continuer.",
    "draw": "Match nul : aucun des deux ne peut continuer.",
    "withdrawal": "{0} gagne : {1} s'est retiré.",
    "disqualification": "{0} gagne : {1} est disqualifié.",
    "limit": "Arrêté à la limite de rounds : match nul.",
    "judged": "Limite de rounds : {0} gagne, avec la plus grande part de points de vie restants.",
    "judged_draw": "Limite de rounds : match nul, à parts égales de points de vie.",
    "opening": "Avant le premier round",
    "turn": "Round {0}, tour de {1}{2}",
    "left": " (actions restantes : {0})",
    "lost": " (perdu)",
    "standard": "simple",
    "move": "mouvement",
    "swift": "rapide",
    "near": " ; à portée",
    "hp": "{0}/{1} PV",
    "hp_share": "{0} % PV",
    "nonlethal": "{0} non létaux",
    "nonlethal_share": "{0} % non létaux",
    "temporary": "PV temporaires {0}",
    "negative_levels": "niveaux négatifs {0}",
    "lost_ability": "{1} -{0}",
    "effects": "en vigueur : {0}",
    "rounds": "{0}",
    "lasting": "durable",
    "suppressed": "supprimé",
    "num_images": "images {0}",
    "moves": "mouvements pour sortir {0}",
    "charges": "retient {0} ({1} charges)",
    "charge": "retient la charge d'un contact",
    "one_round": "lance {0} (un round)",
    "a_spell": "un sort",
    "concentrates": "se concentre sur {0}",
    "counter_used": "contresort du round utilisé",
    "immediate_spent": "action rapide du tour prochain perdue",
    "readied": "contresort préparé",
    "stopped": "agit hors du temps",
    "extra_turns": "tours supplémentaires {0}",
    "slots": "emplacements restants par niveau : {0}",
    "prepared": "préparés par niveau : {0}",
    "quickened_entry": "{0} rapide",
    "staff": "charges du bâton {0}",
    "bonded": "objet fétiche inutilisé",
    "being_cast": "{0} lance {1}{2}.",
    "decides": "{0} décide : {1}.",
    "decides_unknown": "{0} décide.",
    "dice_due": "Des dés sont à lancer.",
    "due": "À lancer : {1}d{2} de {0}, {3}{4}.",
    "and": "etc.",
}
TEXT: Final[dict[str, dict[str, str]]] = {"en": _EN, "fr": _FR}

PURPOSES: Final[dict[str, tuple[str, ...]]] = {
    "en": (
        "coin",
        "initiative",
        "stare-down",
        "Spellcraft check",
        "counter check",
        "dispel check",
        "concentration check",
        "spell failure",
        "check against spell resistance",
        "attack roll",
        "roll to confirm the critical hit",
        "miss chance",
        "images",
        "Fortitude save",
        "Reflex save",
        "Will save",
        "damage",
        "healing",
        "points",
        "rounds",
        "number",
        "confusion",
        "check to get free",
        "table",
        "stabilizing",
        "curse",
    ),
    "fr": (
        "pile ou face",
        "initiative",
        "face à face",
        "test d'Art de la magie",
        "test de contresort",
        "test de dissipation",
        "test de concentration",
        "échec des sorts",
        "test contre la résistance à la magie",
        "jet d'attaque",
        "confirmation du coup critique",
        "chances d'échec",
        "images",
        "jet de Vigueur",
        "jet de Réflexes",
        "jet de Volonté",
        "dégâts",
        "soins",
        "points",
        "rounds",
        "nombre",
        "confusion",
        "test pour se libérer",
        "table",
        "stabilisation",
        "malédiction",
    ),
}
"""What a die is thrown for, by dice.FOR_..."""

_MADE: Final = {"en": ("failed", "made"), "fr": ("raté", "réussi")}
RESULTS: Final[dict[str, dict[str, tuple[str, str]]]] = {
    "en": {
        "save": _MADE["en"],
        "spellcraft": ("does not recognise the spell", "recognises {0}"),
        "counter": ("the spell is not countered", "the spell is countered"),
        "concentration": ("the spell is lost", "the spell is kept"),
        "resistance": ("the spell is resisted", "resistance overcome"),
        "attack": ("misses", "hits"),
        "image": ("hits an image", "hits the real one"),
        "free": ("not free", "free"),
        "acting": ("does nothing in this turn", "may act"),
    },
    "fr": {
        "save": _MADE["fr"],
        "spellcraft": ("ne reconnaît pas le sort", "reconnaît {0}"),
        "counter": ("le sort n'est pas contré", "le sort est contré"),
        "concentration": ("le sort est perdu", "le sort est maintenu"),
        "resistance": ("le sort ne passe pas", "résistance vaincue"),
        "attack": ("manque", "touche"),
        "image": ("touche une image", "touche le vrai"),
        "free": ("pas libre", "libre"),
        "acting": ("ne fait rien ce tour", "peut agir"),
    },
}
"""What failure and success of a die mean."""

CONFUSION: Final = {
    "en": ((25, "acts normally"), (50, "does nothing"), (75, "hurts himself"), (100, "would attack the nearest")),
    "fr": ((25, "agit normalement"), (50, "ne fait rien"), (75, "se blesse"), (100, "attaquerait le plus proche")),
}

ABOUT: Final[dict[str, tuple[str, ...]]] = {
    "en": (
        "",
        "the level of the slot",
        "the option",
        "the energy",
        "the ability",
        "the target",
        "the spell to dispel",
        "spells to be immune to",
        "the own spell to dismiss",
    ),
    "fr": (
        "",
        "le niveau de l'emplacement",
        "l'option",
        "l'énergie",
        "la caractéristique",
        "la cible",
        "le sort à dissiper",
        "les sorts auxquels être immunisé",
        "le sort auquel mettre fin",
    ),
}
"""What a choice within a spell is about, by state.CHOOSE_..."""

PHASES: Final[dict[str, tuple[str, ...]]] = {
    "en": (
        "a skill for the stare-down",
        "the own turn",
        "{0}",
        "whether to spend the readied counterspell",
        "whether to counter",
    ),
    "fr": (
        "une compétence pour le face à face",
        "son tour",
        "{0}",
        "dépenser ou non le contresort préparé",
        "contrer ou non",
    ),
}

_CLASS_NAMES: Final[dict[str, tuple[str, ...]]] = {"en": CLASSES, "fr": _CLASSES_FR}


def player_name(player: int, language: Language) -> str:
    """What a duelist is called."""
    return TEXT[language]["player"].format(player)


def spell_name(spell: int, language: Language) -> str:
    """The name of a spell, by its number."""
    found = default_spell_book().spells[spell]
    return found.en if language == "en" else found.fr


def class_name(number: int, language: Language) -> str:
    """The name of a class, by its number."""
    return _CLASS_NAMES[language][number]


def condition_names(bits: int, language: Language) -> str:
    """The names of a set of conditions."""
    names = [name.replace("_", " ") for name in CONDITIONS] if language == "en" else list(_CONDITIONS_FR)
    return ", ".join(name for bit, name in enumerate(names) if bits >> bit & 1)


def ability_name(ability: int, language: Language) -> str:
    """The name of an ability, by its number; it stands in the names of the choices."""
    rows = [row for row in CHOICES if row[0].startswith("ability_")]
    return rows[ability][1 if language == "en" else 2].split(": ")[-1]


def damage_name(kind: int, language: Language) -> str:
    """Damage of a type, by its number; just damage where the type says nothing."""
    if kind >= len(_DAMAGE_FR):
        return PURPOSES[language][16]
    if language == "fr":
        return f"dégâts {_DAMAGE_FR[kind]}".strip()
    return f"{DAMAGE_TYPES[kind]} damage" if _DAMAGE_FR[kind] else "damage"
