"""The negotiable terms of a spell duel and every reading that the source leaves open, as people write them."""

from typing import Annotated, Literal

from pydantic import Field

from duel_env.config import Settings


class DuelTerms(Settings):
    """What both duelists agree on before the duel, and how its open rules are read.

    The defaults follow the source; where it is silent, the most common reading. Numbers in parentheses are those of the table of
    ambiguities in the ruleset's README.
    """

    # ---- terms ----------------------------------------------------------------------------------------------------------------

    opening: Literal["initiative", "stare_down"] = "initiative"
    """Who begins: initiative checks, or a stare-down in which each side chooses Bluff, Intimidate or Sense Motive."""
    end: Literal["incapacitated", "death"] = "incapacitated"
    """When a duelist has lost: unconscious or otherwise unable to go on, or only when dead."""
    arena: Literal["none", "safe"] = "none"
    """`safe`: all damage is nonlethal, and what would kill or harm for good only defeats."""
    plants: bool = False
    """Whether plants grow in the arena, which entangle needs."""
    max_rounds: Annotated[int, Field(ge=1, le=100_000)] = 50
    """The duel is cut short after this many rounds. (26)"""
    at_max_rounds: Literal["draw", "hit_points"] = "draw"
    """`draw`: the duel is truncated. `hit_points`: who has the larger share of hit points left has won; equal shares draw. (26)"""

    # ---- the dueling counter ----------------------------------------------------------------------------------------------------

    counter_dc: Literal["spell_level", "caster_level"] = "spell_level"
    """DC of a counter with a spell or slot: 15 + the spell's level (the source), or + its caster's level (the English original). (1)"""
    exact_copy: Literal["check", "sure"] = "check"
    """Whether a copy of the very spell still needs the check, with its +10, or counters surely. (2)"""
    counter_needs_sight: bool = True
    """Whether who does not see the caster cannot counter. (13)"""
    counter_only_if_targeted: bool = False
    """Whether only a spell that targets the opponent can be countered; by default every spell can. (3)"""
    counter_is_immediate: bool = True
    """Whether a counter takes the immediate action, and so the swift action of the coming turn. (5)"""
    flat_footed_start: bool = True
    """Whether who has not acted yet is flat-footed and cannot counter. (6)"""
    dispel_unidentified: bool = True
    """Whether dispel magic can counter a spell that was not identified. (7)"""
    greater_dispel_bonus: bool = True
    """Whether greater dispel magic has its +4 in a dueling counter. (8)"""
    penalty_after_failed_dispel: bool = True
    """Whether the -2 on saves after a failed counter also follows a failed dispel. (9)"""
    level_bonus: Literal["slot", "spell"] = "slot"
    """What the +1 per level is counted from: the slot that is spent, or the spell in it. (10)"""
    spellcraft_distance: bool = False
    """Whether identifying is harder by 1 for each 10 ft between the duelists. (24)"""

    # ---- space ----------------------------------------------------------------------------------------------------------------

    abstract_range: bool = False
    """Whether every spell reaches; by default touch spells and those of 30 ft or less cost the move action as well. (23)"""

    # ---- what is known --------------------------------------------------------------------------------------------------------

    show_opponent_class: bool = True
    """Whether the opponent's class and level are known."""
    show_hit_points: Literal["quarters", "exact"] = "quarters"
    """How exactly the opponent's wounds are seen."""
    recall: Literal["current", "perfect"] = "perfect"
    """Whether the observation also holds what the opponent has shown so far: spells seen, levels spent, counters used."""
    ask_forced: bool = False
    """Whether a player is asked where only one action is legal. In the own turn one is always asked at least once."""
