"""The school duel of the Hogwarts ruleset, in plain Python, one rule at a time.

This is an oracle: a fast engine is tested against it, so it favours being easy to compare with
the rules over being quick. It was written from the rules page (``rules/hogwarts.md``, "the page"
below) and its French source alone. Comments name the step ("step 3b") or quote the sentence of the
page that a line implements; "settled:" marks a reading that the page leaves open and the project
has fixed.

The duel never rolls anything by itself. A driver asks ``die()`` and ``to_move()`` what is due and
answers with ``roll(face)`` or ``choose(action)``, until ``over``::

    duel = ReferenceDuel(Options(), (60, 50))
    while not duel.over:
        die = duel.die()
        if die is not None:
            duel.roll(rng.randint(1, 2 if die.kind == "coin" else 100))
        else:
            duel.choose(rng.choice(duel.legal_actions()))

Within a round, F is the first caster and S the second, as on the page.
"""

from __future__ import annotations

from dataclasses import dataclass

RETRIEVE = "retrieve_wand"
SEIZE = "seize_wand"
PASS = "pass"
DIELESS_ACTIONS = (RETRIEVE, SEIZE, PASS)

HELD = "held"
BY_EXPELLIARMUS = "expelliarmus"
BY_LEVICORPUS = "levicorpus"

HIT = "hit"
MISS = "miss"


@dataclass(frozen=True)
class Spell:
    """One row of the spell table; a custom spell may have several effects, which apply together.

    Attributes:
        id: The name of the spell, and of the action that casts it.
        penalty: Taken from the caster's skill; the spell succeeds when roll <= skill - penalty.
        damage: Hit points that the target loses.
        disarm: The target loses the wand; if it has not yet acted this round, its riposte is void.
        petrify: The target cannot cast at its next turn.
        hex: If the target's next spell misses, the target loses the wand.
        block: Blocks the spell that the opponent casts in this round.
    """

    id: str
    penalty: int
    damage: int = 0
    disarm: bool = False
    petrify: bool = False
    hex: bool = False
    block: bool = False


# The spell table of the page, in its order.
DEFAULT_SPELLS: tuple[Spell, ...] = (
    Spell("stupefy", penalty=0, damage=1),
    Spell("stupefy_strong", penalty=10, damage=2),
    Spell("expelliarmus", penalty=30, disarm=True),
    Spell("petrificus_totalus", penalty=20, petrify=True),
    Spell("levicorpus", penalty=20, hex=True),
    Spell("protego", penalty=0, block=True),
)


@dataclass(frozen=True)
class Options:
    """The named settings of the page's "Options" table that change how a duel runs.

    Attributes:
        riposte_sees_roll: Whether S sees F's roll, not only F's action, before answering.
        resolution: ``"ordered"``, or ``"simultaneous"``: steps 3c and 3e are judged together at the
            end.
        petrificus_timing: ``"next_round"``, or ``"riposte"``: F's petrify voids S's answer of the
            same round and nothing later.
        levicorpus_hits_riposte: Whether the riposte of the same round can be "the next spell".
        seize_after: ``"expelliarmus"``, or ``"any_disarm"``: which loss lets the opponent seize.
        petrified_may_retrieve: Whether a petrified duelist can retrieve and seize.
        max_rounds: The round at whose end an undecided duel is cut short.
        hit_points: What each duelist starts with.
        spells: The spells that may be cast, in the order in which they are listed as actions.

    Raises:
        ValueError: If a setting has a value that the page does not name.
    """

    riposte_sees_roll: bool = True
    resolution: str = "ordered"
    petrificus_timing: str = "next_round"
    levicorpus_hits_riposte: bool = True
    seize_after: str = "expelliarmus"
    petrified_may_retrieve: bool = True
    max_rounds: int = 200
    hit_points: int = 5
    spells: tuple[Spell, ...] = DEFAULT_SPELLS

    def __post_init__(self) -> None:
        """Refuse values that the page does not name, so that a misspelt one cannot pass unseen."""
        if self.resolution not in ("ordered", "simultaneous"):
            raise ValueError(f"resolution: {self.resolution!r}")
        if self.petrificus_timing not in ("next_round", "riposte"):
            raise ValueError(f"petrificus_timing: {self.petrificus_timing!r}")
        if self.seize_after not in ("expelliarmus", "any_disarm"):
            raise ValueError(f"seize_after: {self.seize_after!r}")
        if self.max_rounds < 1 or self.hit_points < 1:
            raise ValueError("max_rounds and hit_points must be at least 1")
        ids = [spell.id for spell in self.spells]
        if len(set(ids)) != len(ids) or set(ids) & set(DIELESS_ACTIONS):
            raise ValueError(f"spell ids must differ from each other and from the actions: {ids}")


@dataclass(frozen=True)
class Die:
    """A die that is due.

    Attributes:
        kind: ``"coin"`` (faces 1, 2) or ``"d100"`` (faces 1..100).
        player: Who rolls; None for the coin.
        threshold: Skill minus penalty, not clipped: the spell succeeds when face <= threshold. None
            for the coin.
    """

    kind: str
    player: int | None
    threshold: int | None


class ReferenceDuel:
    """One duel, from the initiative to its end.

    Attributes:
        options: The settings of this duel.
        skills: The two ``Sortilèges`` skills.
        over: Whether the duel has ended, in whatever way.
        truncated: Whether it ended because the round limit cut it short.
        winner: The winner, or None while the duel runs and when nobody has won.
        reason: "" while the duel runs, else "hit_points", "wand_seized", "draw" or "round_limit".
    """

    over: bool
    truncated: bool
    winner: int | None
    reason: str

    def __init__(self, options: Options, skills: tuple[int, int], first_caster: int | None = None) -> None:
        """Set up round 1.

        Args:
            options: The settings of the duel.
            skills: The skill of player 0 and of player 1, each from 0 to 100.
            first_caster: Who acts first in round 1; None lets the rules of initiative decide.

        Raises:
            ValueError: If a skill or the first caster is out of range.
        """
        # "two, each with a `Sortilèges` skill from 0 to 100"
        if len(skills) != 2 or not all(0 <= skill <= 100 for skill in skills):
            raise ValueError(f"skills: {skills!r}")
        if first_caster not in (None, 0, 1):
            raise ValueError(f"first_caster: {first_caster!r}")
        self.options = options
        self.skills = skills
        self._spells = {spell.id: spell for spell in options.spells}

        # "the higher skill casts first in the first round; a tie is a fair coin toss": on a tie the
        # first caster stays None, which makes die() ask for the coin.
        if first_caster is None and skills[0] != skills[1]:
            first_caster = 0 if skills[0] > skills[1] else 1
        self._first_caster = first_caster

        self._round = 1
        self._hit_points = [options.hit_points, options.hit_points]
        self._wand = [HELD, HELD]
        self._petrified = [False, False]
        self._petrified_next = [False, False]
        self._hexed = [False, False]
        self._first_action: str | None = None
        self._first_roll: str | None = None
        self._second_action: str | None = None
        self._second_roll: str | None = None

        self.over = False
        self.truncated = False
        self.winner = None
        self.reason = ""

    # ------------------------------------------------------------------ what is due

    def die(self) -> Die | None:
        """Say which die has to be rolled now.

        Returns:
            The die, or None if a choice is due or the duel is over.
        """
        if self.over:
            return None
        if self._first_caster is None:
            return Die("coin", None, None)
        first, second = self._first_caster, 1 - self._first_caster

        # Step 1, "chooses an action and rolls". Without riposte_sees_roll "S sees F's action, not
        # the result"; settled: then F's die falls only after S has chosen.
        if self._is_spell(self._first_action) and self._first_roll is None:
            if self.options.riposte_sees_roll or self._second_action is not None:
                return self._die_for(first, self._first_action)
            return None

        # Step 2, "answers (riposte) with an action and rolls".
        if self._is_spell(self._second_action) and self._second_roll is None and not self._answer_surely_fails():
            return self._die_for(second, self._second_action)
        return None

    def to_move(self) -> int | None:
        """Say who must choose an action now.

        Returns:
            The player, or None if a die is due or the duel is over.
        """
        if self.over or self._first_caster is None or self.die() is not None:
            return None
        if self._first_action is None:
            return self._first_caster  # step 1
        return 1 - self._first_caster  # step 2

    def legal_actions(self) -> list[str]:
        """List what the player to move may choose ("Legal actions (the mask)").

        Returns:
            Spell ids in the order of the list, then the actions without a die; empty if nobody has
            to move.
        """
        player = self.to_move()
        if player is None:
            return []
        opponent = 1 - player
        petrified = self._petrified[player]
        # "petrified_may_retrieve `false`: a petrified duelist can neither retrieve nor seize: only
        # `pass`"
        may_handle_wands = not petrified or self.options.petrified_may_retrieve

        actions: list[str] = []
        # "holds the wand, not petrified: the six spells"
        if self._wand[player] == HELD and not petrified:
            actions += self._spells
        # "disarmed: `retrieve_wand`, petrified or not"
        if self._wand[player] != HELD and may_handle_wands:
            actions.append(RETRIEVE)
        # "the opponent lies disarmed by Expelliarmus: `seize_wand` too, whatever else is legal"
        if self._can_be_seized(opponent) and may_handle_wands:
            actions.append(SEIZE)
        # "nothing of the above: `pass`, alone"
        return actions or [PASS]

    # ------------------------------------------------------------------ what happens

    def choose(self, action: str) -> None:
        """Let the player to move choose an action.

        Args:
            action: One of ``legal_actions()``.

        Raises:
            ValueError: If the action is not legal now.
        """
        player = self.to_move()
        if player is None or action not in self.legal_actions():
            raise ValueError(f"not legal now: {action!r}")
        if player == self._first_caster:
            self._first_action = action
            # "The two actions without a die happen at once, when they are chosen" (F's; "S's own
            # retrieve or seize happens in step d").
            self._use_hands(player, action)
        else:
            self._second_action = action
        self._resolve_when_complete()

    def roll(self, face: int) -> None:
        """Give the die that is due its face.

        Args:
            face: 1 or 2 for the coin, 1..100 for the d100.

        Raises:
            ValueError: If no die is due or the die has no such face.
        """
        die = self.die()
        if die is None:
            raise ValueError("no die is due")
        if not 1 <= face <= (2 if die.kind == "coin" else 100):
            raise ValueError(f"a {die.kind} has no face {face!r}")
        if die.player is None or die.threshold is None:
            self._first_caster = face - 1  # the coin: face 1 -> player 0, face 2 -> player 1
            return

        # "a spell succeeds when roll <= skill - penalty"
        result = HIT if face <= die.threshold else MISS
        if die.player == self._first_caster:
            self._first_roll = result
            # Settled: a hex is judged as soon as F's roll is known, so S can see the wand fall.
            self._judge_hex(die.player, result)
        else:
            self._second_roll = result  # S's hex is judged in step 3d
        self._resolve_when_complete()

    def snapshot(self) -> dict[str, object]:
        """Describe everything that can be seen of the duel now.

        Returns:
            A new dictionary of plain values, whose keys do not change during a duel.
        """
        return {
            "round": self._round,
            "first_caster": self._first_caster,
            "to_move": self.to_move(),
            "hit_points": tuple(self._hit_points),
            "wand": tuple(self._wand),
            "petrified": tuple(self._petrified),
            "petrified_next": tuple(self._petrified_next),
            "hexed": tuple(self._hexed),
            "first_action": self._first_action,
            "first_roll": self._first_roll,
            "die": self.die(),
            "over": self.over,
            "truncated": self.truncated,
            "winner": self.winner,
            "reason": self.reason,
        }

    # ------------------------------------------------------------------ small questions

    def _is_spell(self, action: str | None) -> bool:
        """Tell a spell from an action without a die and from no action at all."""
        return action in self._spells

    def _die_for(self, player: int, spell_id: str | None) -> Die:
        """Return the d100 with which the player casts the spell."""
        assert spell_id is not None
        return Die("d100", player, self.skills[player] - self._spells[spell_id].penalty)

    def _can_be_seized(self, player: int) -> bool:
        """Tell whether the player's wand lies where the opponent may take it."""
        # "`seize_after`: `expelliarmus`, `any_disarm`"; "only the first [Disarmed by Expelliarmus]
        # lets the opponent seize the wand"
        if self.options.seize_after == "any_disarm":
            return self._wand[player] != HELD
        return self._wand[player] == BY_EXPELLIARMUS

    def _voids_answer(self, first_spell: Spell) -> bool:
        """Tell whether F's spell, once it takes effect, voids S's answer."""
        # Step 3b, "If F's Expelliarmus took effect, S's answer is void"; settled: any disarm effect
        # counts, also when S had no wand to lose. "with `riposte`, F's Petrificus voids S's answer
        # of the same round"
        return first_spell.disarm or (first_spell.petrify and self.options.petrificus_timing == "riposte")

    def _answer_surely_fails(self) -> bool:
        """Tell whether S's chosen spell is already certain not to be cast, so that it has no die.

        Settled: so it is when it cannot block F's hit, and that hit voids it (step 3b) or ends the
        duel before it (step 3c). A blocking answer always rolls.
        """
        assert self._first_action is not None
        assert self._second_action is not None
        assert self._first_caster is not None
        if self._first_roll != HIT or self._spells[self._second_action].block:
            return False
        first_spell = self._spells[self._first_action]
        left = self._hit_points[1 - self._first_caster] - first_spell.damage
        return self._voids_answer(first_spell) or (self.options.resolution == "ordered" and left <= 0)

    # ------------------------------------------------------------------ small events

    def _end(self, winner: int | None, reason: str) -> None:
        """End the duel."""
        self.over = True
        self.winner = winner
        self.reason = reason

    def _lose_wand(self, player: int, cause: str) -> None:
        """Make the player lose the wand."""
        # "A wand that is already lost cannot be lost again, and keeps its first cause."
        if self._wand[player] == HELD:
            self._wand[player] = cause

    def _judge_hex(self, player: int, result: str) -> None:
        """Judge the hex on a player who has just cast a spell."""
        if self._hexed[player]:
            # "ends at the target's next spell, whether it hits or misses; a miss loses the wand"
            self._hexed[player] = False
            if result == MISS:
                self._lose_wand(player, BY_LEVICORPUS)

    def _use_hands(self, player: int, action: str) -> None:
        """Carry out an action without a die; anything else is left alone."""
        if action == RETRIEVE:
            self._wand[player] = HELD  # "takes the wand back; this is the whole turn"
        elif action == SEIZE:
            self._end(player, "wand_seized")  # "wins at once"

    # ------------------------------------------------------------------ step 3

    def _resolve_when_complete(self) -> None:
        """Resolve the round once both have acted and every die of the round has been rolled."""
        if self._second_action is None or self.over or self.die() is not None:
            return
        self._resolve()
        if not self.over:
            self._next_round()

    def _resolve(self) -> None:
        """Resolve the round: steps 3a to 3e."""
        assert self._first_caster is not None
        assert self._first_action is not None
        assert self._second_action is not None
        first, second = self._first_caster, 1 - self._first_caster
        first_spell = self._spells.get(self._first_action)
        second_spell = self._spells.get(self._second_action)
        # Settled: blocking is judged on the two rolls alone, in both directions.
        first_blocks = first_spell is not None and first_spell.block and self._first_roll == HIT
        second_blocks = second_spell is not None and second_spell.block and self._second_roll == HIT
        answer_is_void = False
        hex_after_answer = False

        # Step 3a, "F's spell takes effect unless S answered with a successful Protego."
        if first_spell is not None and self._first_roll == HIT and not second_blocks:
            self._hit_points[second] -= first_spell.damage
            if first_spell.disarm:
                self._lose_wand(second, BY_EXPELLIARMUS)
            # "set by Petrificus in round r, the target cannot cast in round r+1"
            if first_spell.petrify and self.options.petrificus_timing == "next_round":
                self._petrified_next[second] = True
            if first_spell.hex:
                # "The riposte of the same round is 'the next spell' when F casts Levicorpus and it
                # is not blocked." Settled: otherwise the hex is laid after S's answer is settled.
                if self.options.levicorpus_hits_riposte:
                    self._hexed[second] = True
                else:
                    hex_after_answer = True
            # Step 3b, "S's answer is void, whatever it was, an unsuccessful Protego too."
            answer_is_void = self._voids_answer(first_spell)

        # Step 3c, "If S is now at 0 HP, F wins, and S's answer does not happen."
        if self.options.resolution == "ordered" and self._hit_points[second] <= 0:
            self._end(first, "hit_points")
            return

        # Step 3d, "Otherwise S's action takes effect". A void answer of any kind does nothing: "a
        # void answer is no spell and leaves the hex".
        if not answer_is_void:
            self._use_hands(second, self._second_action)
            if self.over:
                return
            if second_spell is not None:
                assert self._second_roll is not None
                self._judge_hex(second, self._second_roll)  # settled: a blocked spell is cast too
                # "a spell only unless F's action was a successful Protego"
                if self._second_roll == HIT and not first_blocks:
                    self._hit_points[first] -= second_spell.damage
                    if second_spell.disarm:
                        self._lose_wand(first, BY_EXPELLIARMUS)
                    if second_spell.petrify:
                        # "S's Petrificus still binds F in the next round", with either timing
                        self._petrified_next[first] = True
                    if second_spell.hex:
                        self._hexed[first] = True
        if hex_after_answer:
            self._hexed[second] = True

        # Step 3e, "If F is now at 0 HP, S wins." With `simultaneous`, "steps c and e are judged
        # together at the end: both at 0 is a draw".
        first_is_down = self._hit_points[first] <= 0
        second_is_down = self._hit_points[second] <= 0
        if first_is_down and second_is_down:
            self._end(None, "draw")
        elif first_is_down:
            self._end(second, "hit_points")
        elif second_is_down:
            self._end(first, "hit_points")

    def _next_round(self) -> None:
        """Pass to the next round (step 4), or cut the duel short at the round limit."""
        assert self._first_caster is not None
        # "at the limit the duel is cut short, a draw (`truncated`, not `terminated`)"
        if self._round == self.options.max_rounds:
            self.truncated = True
            self._end(None, "round_limit")
            return
        # Petrified: "the flag ends with that round".
        self._petrified = self._petrified_next
        self._petrified_next = [False, False]
        self._first_action = self._first_roll = None
        self._second_action = self._second_roll = None
        self._first_caster = 1 - self._first_caster  # step 4, "Roles swap; next round."
        self._round += 1
