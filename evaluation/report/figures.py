"""The figures of a designer's report: what is in it, with names, units and meaning. No words for readers and no pictures.

Units. A *score* of a player is the probability that it wins plus half of the probability that nobody does; a duel that never ends
counts as drawn. Scores lie in 0..1. Differences of scores are called *points* here and are in the same unit: 0.01 is one
percentage point. Shares and probabilities lie in 0..1. What does not exist is None, never nan or infinite.

Players are 0 and 1. The *first caster* is whoever acts first in round 1. A pair of numbers `by_start` is: player 0 is the first
caster, player 1 is. What stands without `by_start` is averaged over both with equal weights, also where skills differ and the rules
would let the higher one begin. Actions and spells are named by their ids; `Report.about.actions` has their names for people.

Exactness. Everything comes from the exact solution of the state graph, with the error that `HeadlineFigures.max_error` certifies, but for
what is marked as found by search.
"""

from enum import StrEnum
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator

from evaluation.report.settings import ReportSettings

FORMAT: Final = "duel-report"
VERSION: Final = 1

Pair = tuple[float, float]
Matrix = tuple[tuple[float | None, ...], ...]
"""Rows of equal length; what a row and a column mean is said where it is used."""


_DECIMALS = 10
_UNROUNDED = frozenset({"bounds_by_start", "max_error"})


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _DECIMALS) + 0.0  # no -0.0
    if isinstance(value, tuple):
        return tuple(_rounded(item) for item in value)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return value


class Figures(BaseModel):
    """Base of all figures: immutable, checked, never nan or infinite, and rounded to 10 decimals, about what rounding errors leave."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)

    @field_validator("*", mode="after")
    @classmethod
    def _round(cls, value: Any, info: ValidationInfo) -> Any:
        return value if info.field_name in _UNROUNDED else _rounded(value)


# ---- codes --------------------------------------------------------------------------------------------------------------------


class Level(StrEnum):
    """How bad a verdict is."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"


class VerdictCode(StrEnum):
    """What a verdict is about; the threshold of the same meaning is in `Thresholds`."""

    FAIRNESS = "fairness"
    DRAWS = "draws"
    LENGTH = "length"
    SKILL = "skill"
    DEAD_SPELL = "dead_spell"
    DOMINATED_SPELL = "dominated_spell"
    MUST_HAVE_SPELL = "must_have_spell"
    ONE_SPELL = "one_spell"
    ONE_SPELL_PER_ROLE = "one_spell_per_role"
    FIXED_SEQUENCE = "fixed_sequence"
    BLIND_TO_HIT_POINTS = "blind_to_hit_points"
    REAL_DECISIONS = "real_decisions"
    CLOSE_DECISIONS = "close_decisions"
    FIRST_HIT = "first_hit"
    SNOWBALL = "snowball"
    SENSITIVITY = "sensitivity"
    READING = "reading"


class Verdict(Figures):
    """One judgement of a threshold."""

    code: VerdictCode
    level: Level
    subject: str | None
    """What it is about: an action id, a sequence of ids joined by spaces, a parameter, an option with its value, an event; None: the
    whole game."""
    value: float | None
    """The number that was compared; None where there is none (no such event, play that never ends)."""
    warn: float | None
    """Where a warning begins; None where there is no line to draw."""
    fail: float | None
    """Where a failure begins."""
    more_is_worse: bool
    """Which side of the lines is the bad one."""


class Role(StrEnum):
    """Whose turn it is in a round."""

    FIRST = "first"
    ANSWER = "answer"


class Dominance(StrEnum):
    """What perfect play makes of a spell, over all states that any play can reach and where not all actions are equally good."""

    NEVER_OPTIMAL = "never_optimal"
    """It is never among the best actions: strictly inferior everywhere."""
    NEVER_NEEDED = "never_needed"
    """It is among the best somewhere, but another action is just as good there each time."""
    NEVER_REACHED = "never_reached"
    """It is the only best action somewhere, but perfect play against perfect play never comes there."""
    NEVER_MATTERS = "never_matters"
    """There is no state in which it is legal and actions differ in what they are worth."""
    NEEDED = "needed"
    """It is the only best action in states that perfect play comes to."""


class Limit(StrEnum):
    """What the report does not say, and how it settles what could be settled otherwise."""

    PERFECT_PLAY = "perfect_play"
    """Figures describe perfect players, who know both skills; people play otherwise."""
    FIRST_OF_TIES = "first_of_ties"
    """Of equally good actions perfect play takes the first in the list that makes progress; casts could be spread otherwise."""
    NO_ROUND_LIMIT = "no_round_limit"
    """The round limit is left out; a duel that never ends counts as drawn."""
    BOTH_BEGIN = "both_begin"
    """Averages give both players the first turn equally often, whatever the initiative."""
    LOWER_BOUND_BY_SEARCH = "lower_bound_by_search"
    """The best policy blind to hit points was searched for: a better one may exist."""
    SEQUENCES_UP_TO_LENGTH = "sequences_up_to_length"
    """Fixed sequences beyond the length tried may be better."""
    ONE_NUMBER_AT_A_TIME = "one_number_at_a_time"
    """The sensitivity changes one number at a time; effects of several need not add up."""
    GRID_OF_SKILLS = "grid_of_skills"
    """Maps over skills are exact at their points and say nothing between them."""
    COUNTED_ROUNDS = "counted_rounds"
    """Play may never end here: visits and casts are those of the first `ReportSettings.horizon` rounds."""
    NO_PLEASURE = "no_pleasure"
    """Whether it is fun is not a number."""


# ---- about --------------------------------------------------------------------------------------------------------------------


class ActionName(Figures):
    """An action of the game."""

    id: str
    en: str
    fr: str
    is_spell: bool


class AboutFigures(Figures):
    """Which game is described."""

    ruleset: str
    ruleset_version: int
    digest: str
    """Names the rules, see `Game.digest`."""
    options: dict[str, Any]
    """All options of the rules, as JSON values."""
    skills: tuple[int, int]
    """Of player 0 and player 1."""
    hit_points: int
    """Of each at the start."""
    actions: tuple[ActionName, ...]
    """In the order of the action numbers: the spells, then the others."""
    equal_players: bool
    """Both have the same skill: the two seats mirror each other, and what is given for each player is the same for both."""


# ---- 1. headline --------------------------------------------------------------------------------------------------------------


class Outcome(Figures):
    """How duels end in perfect play, from one way to begin; the four sum to 1."""

    win: float
    """Probability that player 0 wins."""
    draw: float
    """Probability of a draw by the rules."""
    loss: float
    """Probability that player 1 wins."""
    endless: float
    """Probability that play never ends."""


class LengthFigures(Figures):
    """How many rounds a duel of perfect players takes; the round in which it ends counts."""

    mean: float | None
    """Expected number; None if play may never end."""
    mean_if_ended: float | None
    """Expected number of duels that end; None if none does."""
    p5: int | None
    """5 % of the duels end within so many rounds; None if they do not within the rounds counted."""
    median: int | None
    p95: int | None
    distribution: tuple[float, ...]
    """Probability that a duel ends in round 1, 2, ... : as many as it takes until all but 1e-6 of the duels that end have ended."""


class SkillFigures(Figures):
    """What perfect play is worth against an agent, averaged over both seats and both ways to begin."""

    opponent: str
    """Name of the agent."""
    perfect_score: float
    """Score of perfect play that knows nothing of its opponent."""
    best_response_score: float
    """Score of the best possible play against this very agent: a ceiling."""
    perfect_by_seat: Pair
    """`perfect_score` of player 0 and of player 1, who have different skills unless `equal_players`."""
    best_response_by_seat: Pair
    skill_share: float
    """2 * `perfect_score` - 1: how many duels of 1 perfect play wins more than it loses against this agent. 0: all is luck, 1: perfect
    play always wins."""


class StrengthFigures(Figures):
    """The game between two players who err alike, averaged over who begins.

    Both play *quantally*: the probability of an action falls by e for each `temperature` that it gives away, judged by the values of
    perfect play; what is less than a millionth as likely as the best action is never done.
    """

    temperature: float
    """In points; small: nearly perfect, large: nearly random."""
    first_caster_score: float
    player_0_score: float
    decided: float
    """Share of duels that somebody wins."""
    mean_rounds: float | None
    """Expected number; None if play may never end."""
    shares: dict[str, float | None]
    """By spell: share of all casts; None if there are none."""


class HeadlineFigures(Figures):
    """Fair or not, how long, how much skill."""

    first_caster_score: float
    """Score of the first caster, averaged over which player it is. 0.5: nobody profits from beginning."""
    second_caster_score: float
    """1 - `first_caster_score`."""
    player_0_score: float
    """Score of player 0, averaged over who begins. 0.5 if skills are equal."""
    score_by_start: Pair
    """Score of player 0 when player 0, and when player 1 is the first caster."""
    bounds_by_start: tuple[Pair, Pair]
    """Certified bounds (low, high) of each of `score_by_start`."""
    max_error: float
    """Greatest distance between the certified bounds of the score of any state."""
    outcome_by_start: tuple[Outcome, Outcome]
    decided: float
    """Share of duels that somebody wins."""
    drawn: float
    """Share of duels that are drawn by the rules."""
    endless: float
    """Share of duels that never end."""
    length: LengthFigures
    """Over both ways to begin."""
    length_by_start: tuple[LengthFigures, LengthFigures]
    skill: tuple[SkillFigures, ...]
    """In the order of `ReportSettings.opponents`."""
    by_strength: tuple[StrengthFigures, ...]
    """What remains of fairness and length when people err, in the order of `ReportSettings.temperatures`."""


# ---- 2. spells ----------------------------------------------------------------------------------------------------------------


class HeatMap(Figures):
    """Where a spell is cast in perfect play. Row: own hit points 1, 2, ..; column: hit points of the opponent 1, 2, .."""

    player: int | None
    """Who casts; None: either, where the two mirror each other."""
    role: Role
    decisions: Matrix
    """Expected decisions per duel that are met there with this spell legal; 0: perfect play never comes there."""
    casts: Matrix
    """Expected casts of this spell per duel; a share of `decisions`."""
    share: Matrix
    """`casts` / `decisions`; None where there are no decisions."""
    optimal_share: Matrix
    """Share of `decisions` at which this spell is among the best; None where there are none."""
    best_in_states: Matrix
    """Share of the states with these hit points at which it is among the best actions, of those that any play can reach, that are
    neither forced nor pointless, and at which it is legal. Not weighted: it also says what to do where perfect play never comes. None
    where there are none."""


class DominatingAction(Figures):
    """A spell that is at least as good in each of the `SpellFigures.states`."""

    action: str
    strict: bool
    """Whether it is better in each of them."""
    least_margin: float
    """Points by which it is better, in the state where that is least."""
    mean_margin: float
    """Points by which it is better, averaged over those states."""


class Restriction(Figures):
    """What a rule that only concerns one player does to its score; points, averaged over who begins unless by start."""

    player: int
    change: float
    """Of this player's score: below 0 is a loss."""
    change_by_start: Pair


class SpellFigures(Figures):
    """One spell."""

    spell: str
    penalty: int
    damage: int
    effects: tuple[str, ...]
    """Those of `disarm`, `petrify`, `hex`, `block` that it has."""
    chance: Pair
    """Chance of success of player 0 and of player 1."""
    casts: float
    """Expected casts per duel of perfect players, both together; of the first `horizon` rounds if play may never end."""
    casts_by_player: Pair
    casts_by_role: Pair
    """As the first of a round, and as the answer."""
    share: float | None
    """Of all casts of spells; None if there are none."""
    real_casts: float
    """Those of `casts` that matter: at decisions where not all actions are equally good."""
    real_share: float | None
    """Of all casts of spells that matter; None if there are none."""
    legal_share: float | None
    """Of the decisions at which it is legal it is chosen so often; None if there are none."""
    optimal_share: float | None
    """Of the decisions at which it is legal it is among the best so often, tied ones included."""
    only_optimal_share: float | None
    """Of the decisions at which it is legal it is the only best action so often."""
    heat_maps: tuple[HeatMap, ...]
    """For each role, and each player unless they mirror each other."""
    dominance: Dominance
    states: int
    """States that any play can reach, of either player, at which it is legal, and that are neither forced nor pointless (see
    `KindsOfDecisions`)."""
    optimal_states: int
    """Those of them at which it is among the best actions."""
    only_optimal_states: int
    """Those of them at which it is the only best action."""
    least_loss: float | None
    """Points that it gives away in the one of `states` where that is least: 0 unless `NEVER_OPTIMAL`. None if there are none."""
    mean_loss: float | None
    """Points that it gives away, averaged over the decisions of perfect play at which it is legal."""
    dominated_by: tuple[DominatingAction, ...]
    """Spells that are at least as good everywhere; those that are the same in effect are among them."""
    ban: tuple[Restriction, ...]
    """It is forbidden to this player alone; one entry for each player. Empty if the game has no other spell."""
    own_alone: tuple[Restriction, ...]
    """Only this player may cast it, compared with a game in which nobody may; one entry for each player. Empty as above."""
    ban_for_both: float | None
    """Change of the first caster's score if nobody may cast it, points; None as above."""
    ban_opening: str | None
    """The first caster's first action then (player 0 begins)."""


class PlainActionFigures(Figures):
    """One action that is no spell."""

    action: str
    uses: float
    """Expected uses per duel of perfect players, both together, as `SpellFigures.casts`."""
    uses_by_player: Pair


class AnswerFigures(Figures):
    """How perfect play answers a first action."""

    roll: Literal["hit", "missed", "none"]
    """What is known of the first caster's die."""
    answer: str
    """The first of the best actions."""
    score: float
    """Of the first caster from there."""


class OpeningFigures(Figures):
    """One way to open the duel."""

    action: str
    score: float
    """Of the first caster if it opens like this and both go on perfectly."""
    loss: float
    """Points that it gives away compared with the best opening."""
    is_best: bool
    answers: tuple[AnswerFigures, ...]
    """In each case that may follow with positive probability."""


class SpellsFigures(Figures):
    """All spells."""

    spells: tuple[SpellFigures, ...]
    """In the order of the list."""
    plain_actions: tuple[PlainActionFigures, ...]
    all_casts: float
    """Expected casts of spells per duel, both players together."""
    all_real_casts: float
    """Those of them at decisions where not all actions are equally good."""
    counted_rounds: int | None
    """Casts are those of so many first rounds; None: of whole duels."""
    effective_spells: float | None
    """exp(entropy) of the shares of the casts that matter: as many equally popular spells would be as varied. None without casts."""
    openings_by_start: tuple[tuple[OpeningFigures, ...], tuple[OpeningFigures, ...]]
    """Legal first actions of the first caster, when it is player 0 and when it is player 1."""


# ---- 3. dominant strategies ---------------------------------------------------------------------------------------------------


class StrategyFigures(Figures):
    """A plain strategy against perfect play that knows it."""

    spells: tuple[str, ...]
    """What it casts: over and over in this order, or (`one_spell_per_role`) the first one as the first of a round and the second one as
    the answer; empty for a policy that is not so simple."""
    score: float
    """Averaged over seats and ways to begin."""
    score_by_seat: Pair
    """Score of the player who plays it: player 0, player 1; averaged over who begins."""
    score_by_order: Pair
    """Its score as the first caster, and as the second; averaged over seats."""
    loss: float
    """Points that it gives away compared with perfect play in the same seats."""


class BlindRule(Figures):
    """What the blind policy does in one kind of situation."""

    situation: dict[str, Any]
    """What it sees, as the names and values of the features of the observation that are not 0, without hit points."""
    action: str
    visits: float
    """How often per duel it comes to decide there, in one way to begin, against perfect play that knows it; averaged."""


class BlindFigures(Figures):
    """The best policy found that sees everything but hit points: a lower bound of the best there is, found by search."""

    strategy: StrategyFigures
    is_lower_bound: Literal[True]
    situations: int
    """Kinds of situations with more than one legal action that it can tell apart."""
    policies_tried: int
    start: str
    """Which starting policy the best one came from: `majority_of_visits`, `majority_of_states`, or two spells, `FIRST/ANSWER`."""
    rules: tuple[BlindRule, ...]
    """Of player 0: situations that are met at least once in 1000 duels and leave a choice, the most frequent first."""


class StrategiesFigures(Figures):
    """Whether something plain is nearly as good as perfect play."""

    one_spell: tuple[StrategyFigures, ...]
    """Always the same spell, in the order of the list. All plain strategies seize a wand when they can and retrieve theirs when they
    must; that does not count as a cast."""
    one_spell_per_role: tuple[StrategyFigures, ...]
    """One spell whenever it acts first in a round, another whenever it answers; the best of all pairs, best first."""
    sequences: tuple[StrategyFigures, ...]
    """The best cycles of two or more spells, best first. A cycle moves on with each cast, whether it succeeds or not."""
    sequence_length: int
    """Longest that were tried."""
    sequences_tried: int
    """How many, those of one spell included."""
    blind: BlindFigures | None
    """None if the rules have only one spell."""


# ---- 4. decisions -------------------------------------------------------------------------------------------------------------


class KindsOfDecisions(Figures):
    """Shares of decisions; the four sum to 1."""

    forced: float
    """One legal action."""
    pointless: float
    """Several legal actions, all of them equally good."""
    clear: float
    """Not pointless, and only the best action is within `ReportSettings.close` of the best."""
    close: float
    """Not pointless, and two or more actions are within `close` of the best, ties included."""


class QuantalFigures(Figures):
    """Play that errs the more, the less it costs: an action's probability falls by e for each `temperature` that it gives away."""

    temperature: float
    """In points."""
    effective_options: float | None
    """exp(entropy) of the action, averaged over the real decisions met in perfect play."""


class DecisionFigures(Figures):
    """How rich decisions are. *Real* ones are neither forced nor pointless. Weighted by how often perfect play meets them."""

    role: Role | None
    """None: both."""
    decisions: float
    """Met per duel by both players together, as `SpellFigures.casts`."""
    states: int
    """States in which somebody chooses, that any play can reach."""
    kinds: KindsOfDecisions | None
    """Shares of the decisions met; None if there are none."""
    kinds_of_states: KindsOfDecisions | None
    """Shares of `states`, not weighted."""
    real_share: float | None
    """Share of the decisions met that are real."""
    two_close_share: float | None
    """Of the real decisions met: share with two or more actions within `close` of the best, ties included."""
    two_close_states: float | None
    """The same of the real decisions among `states`, not weighted."""
    mean_gap: float | None
    """Points between the best and the second best action, averaged over the real decisions met; 0 for ties."""
    mean_loss_random: float | None
    """Points that a uniformly random action gives away there on average."""
    mean_loss_worst: float | None
    """Points that the worst action gives away there on average."""
    loss_bins: tuple[float, ...]
    """Edges of `loss_shares`."""
    loss_shares: tuple[float, ...]
    """Histogram: share of random actions at real decisions met that give away so many points; a bin includes its lower edge, the first
    one also the losses of 0, the last one its upper edge. Empty if there are no real decisions."""
    quantal: tuple[QuantalFigures, ...]


class DecisionsFigures(Figures):
    """All decisions, then those of first casters and those of answers."""

    all: DecisionFigures
    first: DecisionFigures
    answer: DecisionFigures


# ---- 5. comebacks -------------------------------------------------------------------------------------------------------------


class DifferenceFigures(Figures):
    """Positions at the beginning of a round by lead in hit points."""

    difference: int
    """Hit points of a player less those of the opponent."""
    visits: float
    """How often a duel comes there, at the beginnings of rounds; each is counted for both players."""
    score: float | None
    """Average score of the player; None where play never comes."""


class EventCode(StrEnum):
    """What can happen to the target of a spell."""

    HIT = "hit"
    """It loses hit points and the duel goes on or ends."""
    DISARM = "disarm"
    """It loses its wand to a disarming spell."""
    PETRIFY = "petrify"
    """It will lose a turn, or has just lost it."""
    HEX = "hex"
    """It is hexed."""
    HEX_STRIKES = "hex_strikes"
    """It misses while hexed and loses its wand."""


class EventFigures(Figures):
    """Turning points. Scores are those of the attacker, the opponent of whom it happens to."""

    event: EventCode
    per_duel: float
    """Expected number per duel, both players together."""
    before: float | None
    """Average score at the beginning of the round in which it happens; None if it never happens."""
    after: float | None
    """Average score right after."""
    swing: float | None
    """`after` - `before`, points."""


class TempoFigures(Figures):
    """What it is worth that the opponent loses a turn, both with all hit points, both wands in hand, nothing else pending."""

    opponent: Role
    """Which turn of the round the opponent loses; `first`: the opponent would have begun the round."""
    score: float | None
    """Of the player who acts twice running then; None if the rules never come to such a position."""
    score_without: float
    """Of the same player if the opponent may act."""
    gain: float | None
    """Points."""


class ComebacksFigures(Figures):
    """Comebacks and snowballing, in one kind of play. Scores are those of going on in the same kind of play."""

    temperature: float | None
    """None: perfect play. Else quantal play of both, as `StrengthFigures`: it also comes where perfect play never does."""

    by_difference: tuple[DifferenceFigures, ...]
    """From the greatest deficit to the greatest lead."""
    score_by_hit_points: Matrix
    """Score of the first caster of a round with nothing pending (wands in hand, no petrification, no hex), averaged over which
    player it is. Row: own hit points 1, 2, ..; column: those of the opponent. None for positions that no play reaches."""
    first_hit_score: float | None
    """Score of whoever deals the first damage, after that round; None if nobody ever does. If both do in the same round, the first
    caster of the round is the first, unless both count together (`resolution` = `simultaneous`): such rounds are left out."""
    first_hit_by_order: tuple[float | None, float | None]
    """The same if that is the first caster of the duel, and if it is the second."""
    first_hit_share_of_first_caster: float | None
    """How often the first damage is dealt by the first caster of the duel."""
    lead_changes: float
    """How often per duel the lead in hit points passes from one player to the other."""
    favourite_changes: float
    """How often per duel the player with the better score changes, compared at the beginnings of rounds and at the end."""
    won_from_behind: float | None
    """Share of the decided duels whose winner was once behind in hit points; None if none is decided."""
    events: tuple[EventFigures, ...]
    tempo: tuple[TempoFigures, ...]


# ---- 6. sensitivity -----------------------------------------------------------------------------------------------------------


class ChangedNumber(Figures):
    """The game with one number changed."""

    value: int
    """Of the number."""
    first_caster_score: float
    first_caster_change: float
    """Points, compared with the game as it is."""
    player_0_change: float
    """Of player 0's score averaged over who begins, points."""
    opening: str
    """First action of the first caster (player 0 begins)."""
    opening_changes: bool
    """Whether the opening of the game as it is would now give something away."""
    opening_loss: float | None
    """Points that it would give away."""


class ParameterFigures(Figures):
    """One bar of the tornado chart."""

    parameter: str
    """`hit_points`, `SPELL.penalty`, `SPELL.damage` or `skill.0`, `skill.1`."""
    kind: Literal["hit_points", "penalty", "damage", "skill"]
    subject: str | None
    """The spell; None for hit points and skills."""
    value: int
    """As it is."""
    step: int
    down: ChangedNumber | None
    """One step less; None if the rules do not accept that, or cannot be solved then."""
    up: ChangedNumber | None
    swing: float
    """Greatest difference of the first caster's score between down, as it is, and up; the length of the bar."""


class OpeningMap(Figures):
    """Openings over pairs of skills. Row: the first caster's skill; column: the other's; both in `skills`."""

    skills: tuple[int, ...]
    openings: tuple[tuple[str, ...], ...]
    """The first of the best first actions."""
    also_best: tuple[tuple[int, ...], ...]
    """How many other first actions are equally good."""
    score: Matrix
    """Of the first caster."""
    first_turn_worth: Matrix
    """Points that beginning is worth to the player of the row: its score when it begins, less that when the other begins."""


class SensitivityFigures(Figures):
    """What each number is worth."""

    parameters: tuple[ParameterFigures, ...]
    """The longest bar first."""
    opening_map: OpeningMap


# ---- 7. readings --------------------------------------------------------------------------------------------------------------


class FlipFigures(Figures):
    """A pair of skills at which the other reading favours the other player."""

    skills: tuple[int, int]
    """Of the first and of the second caster."""
    score: float
    """Of the first caster in the game as it is."""
    other_score: float
    """Under the other reading."""


class ReadingFigures(Figures):
    """An ambiguous rule read otherwise, all else being as it is."""

    option: str
    value: str
    """As it is: `true`, `false` or a name."""
    other: str
    """The other reading."""
    first_caster_score: float
    """Under the other reading, at the skills of the report."""
    first_caster_change: float
    """Points."""
    player_0_change: float
    """Of player 0's score averaged over who begins, points."""
    mean_rounds: float | None
    """Of perfect play under the other reading; None if it may never end."""
    opening: str
    opening_changes: bool
    """Whether the opening of the game as it is would give something away under the other reading."""
    skills: tuple[int, ...]
    """Grid of the map below."""
    change: Matrix
    """Points by which the first caster's score changes. Row: the first caster's skill; column: the other's."""
    largest_change: float
    """Greatest absolute value in `change`."""
    largest_change_at: tuple[int, int]
    """Skills of the first and of the second caster there."""
    flips: tuple[FlipFigures, ...]
    """Points of the grid at which the advantage passes from one player to the other."""


class ReadingsFigures(Figures):
    """All ambiguous rules."""

    readings: tuple[ReadingFigures, ...]


# ---- 8. method ----------------------------------------------------------------------------------------------------------------


class MethodFigures(Figures):
    """How the figures were made."""

    versions: dict[str, str]
    """Of duel-env, Python, NumPy and Numba."""
    seeds: tuple[int, ...]
    """None were used: everything is exact."""
    states: int
    """Nodes of the state graph."""
    decisions: int
    """Those at which a player chooses."""
    merged_states: int
    """Nodes that were solved, after equivalent ones were merged."""
    solutions: int
    """How many games were solved for this report."""
    search_results: tuple[str, ...]
    """Paths of the figures that a search found, which are bounds only."""
    limits: tuple[Limit, ...]
    settings: ReportSettings


class Report(Figures):
    """Everything."""

    format: Literal["duel-report"]
    version: Literal[1]
    about: AboutFigures
    verdicts: tuple[Verdict, ...]
    """In the order of `VerdictCode`; one for each spell, strategy, reading or event where the code is about these."""
    level: Level
    """The worst level of the verdicts."""
    headline: HeadlineFigures
    spells: SpellsFigures
    strategies: StrategiesFigures
    decisions: DecisionsFigures
    comebacks: tuple[ComebacksFigures, ...]
    """In perfect play, then in quantal play with the greatest of `ReportSettings.temperatures`."""
    sensitivity: SensitivityFigures
    readings: ReadingsFigures
    method: MethodFigures

    def to_json(self) -> dict[str, Any]:
        """As JSON values, described by `evaluation/schemas/report.schema.json`; `Report.model_validate(this)` gives the report again."""
        return self.model_dump(mode="json")
