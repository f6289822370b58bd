"""Comebacks and snowballing: what a lead is worth, how often it changes hands, and what the turning points do."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duel_env.game import NUM_PLAYERS
from duel_env.rules.hogwarts.dice import SUCCESS
from duel_env.rules.hogwarts.state import CHANCE, HIT, LOST_TO_DISARM, LOST_TO_HEX, NO_ACTION, SECOND_ROLL, WAND_HELD
from evaluation.exact.occupancy import Chain, Occupancy
from evaluation.report.context import Context, Progress, matrix, mean_of, ratio
from evaluation.report.figures import ComebacksFigures, DifferenceFigures, EventCode, EventFigures, Role, TempoFigures


def comebacks(context: Context, progress: Progress) -> tuple[ComebacksFigures, ...]:
    """The fifth part of the report: perfect play, then quantal play at the highest temperature."""
    temperature = max(context.settings.temperatures)
    progress("comebacks", 0, 2)
    perfect = _comebacks(context, context.perfect_chain, context.by_start, context.solution.values, None)
    progress("comebacks", 1, 2)
    chain, duels = context.quantal_play(temperature)
    values = context.solve((chain.policy, chain.policy)).values
    quantal = _comebacks(context, chain, duels, values, temperature)
    progress("comebacks", 2, 2)
    return perfect, quantal


class Play(NamedTuple):
    """One kind of play.

    Attributes:
        context: the game.
        chain: what both do.
        scores: float64 (2, N), of each player at each node if both go on like this.
        duels: from both ways to begin.
        visits: float64 (N,) for each of them, see `Context.counted_visits`.
        sources, targets: int64 (E,), nodes that the edges of `chain` join.
        before, after: STATE (E,), those of `sources` and `targets`.
        advances: bool (E,), whether an edge begins a new round.
    """

    context: Context
    chain: Chain
    scores: NDArray[np.float64]
    duels: list[Occupancy]
    visits: list[NDArray[np.float64]]
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    before: NDArray[np.void]
    after: NDArray[np.void]
    advances: NDArray[np.bool_]

    def flows(self, start: int) -> NDArray[np.float64]:
        """How often each edge is taken in a duel that begins in this way, float64 (E,)."""
        return self.chain.flows(self.visits[start])


def _comebacks(
    context: Context, chain: Chain, duels: list[Occupancy], values: NDArray[np.float64], temperature: float | None
) -> ComebacksFigures:
    layout = context.model.full
    sources = layout.node_of[layout.sources].astype(np.int64)
    advances = (context.game.graph.edges[sources, layout.choices] & 1).astype(np.bool_)
    scores = np.stack([(1.0 + values) / 2.0, (1.0 - values) / 2.0])
    targets = layout.node_of[layout.targets].astype(np.int64)
    before, after = context.states[sources], context.states[targets]
    play = Play(context, chain, scores, duels, context.counted_visits(duels), sources, targets, before, after, advances)
    first_hit = _first_hits(play)
    decided = mean_of([found.win + found.loss for found in duels])
    return ComebacksFigures(
        temperature=temperature,
        by_difference=_by_difference(play),
        score_by_hit_points=_by_hit_points(play),
        first_hit_score=ratio(first_hit[:, 1].sum(), first_hit[:, 0].sum()),
        first_hit_by_order=(ratio(first_hit[0, 1], first_hit[0, 0]), ratio(first_hit[1, 1], first_hit[1, 0])),
        first_hit_share_of_first_caster=ratio(first_hit[0, 0], first_hit[:, 0].sum()),
        lead_changes=mean_of([_lead_changes(play, start) for start in range(NUM_PLAYERS)]),
        favourite_changes=mean_of([_favourite_changes(play, start) for start in range(NUM_PLAYERS)]),
        won_from_behind=ratio(mean_of([_won_from_behind(play, start) for start in range(NUM_PLAYERS)]), decided),
        events=_events(play),
        tempo=_tempo(play),
    )


# ---- positions ----------------------------------------------------------------------------------------------------------------


def _by_difference(play: Play) -> tuple[DifferenceFigures, ...]:
    context, size = play.context, play.context.options.hit_points
    begins, visits = context.begins_round, np.mean(play.visits, axis=0)
    hit_points = context.states["hit_points"].astype(np.int64)
    visited, scored = np.zeros(2 * size - 1), np.zeros(2 * size - 1)
    for player in range(NUM_PLAYERS):
        lead = (hit_points[:, player] - hit_points[:, 1 - player])[begins] + size - 1
        np.add.at(visited, lead, visits[begins])
        np.add.at(scored, lead, visits[begins] * play.scores[player, begins])
    return tuple(
        DifferenceFigures(difference=place - size + 1, visits=float(visited[place]), score=ratio(scored[place], visited[place]))
        for place in range(2 * size - 1)
    )


def _by_hit_points(play: Play) -> tuple[tuple[float | None, ...], ...]:
    size = play.context.options.hit_points
    cells = np.full((size, size), np.nan)
    for own in range(1, size + 1):
        for opponent in range(1, size + 1):
            found = []
            for player in range(NUM_PLAYERS):
                node = play.context.clean_node((own, opponent) if player == 0 else (opponent, own), player)
                if node is not None:
                    found.append(play.scores[player, node])
            if found:
                cells[own - 1, opponent - 1] = np.mean(found)
    return matrix(cells)


def _tempo(play: Play) -> tuple[TempoFigures, ...]:
    """The worth of the opponent's losing a turn at the outset."""
    context = play.context
    full = (context.options.hit_points,) * 2
    found = []
    for role in Role:
        with_loss, without = [], []
        for player in range(NUM_PLAYERS):
            opponent = 1 - player
            first_caster = opponent if role is Role.FIRST else player
            usual = context.clean_node(full, first_caster)
            assert usual is not None, "it is a way to begin"
            without.append(play.scores[player, usual])
            node = context.clean_node(full, first_caster, petrified=opponent)
            if node is not None:
                with_loss.append(play.scores[player, node])
        score = mean_of(with_loss) if len(with_loss) == NUM_PLAYERS else None
        usual_score = mean_of(without)
        gain = None if score is None else score - usual_score
        found.append(TempoFigures(opponent=role, score=score, score_without=usual_score, gain=gain))
    return tuple(found)


# ---- events -------------------------------------------------------------------------------------------------------------------


def _happens(play: Play, event: EventCode, target: int) -> NDArray[np.bool_]:
    """Edges at which an event happens to a player, bool (E,)."""
    before, after = play.before, play.after

    def starts(field: str) -> NDArray[np.bool_]:
        began: NDArray[np.bool_] = (before[field][:, target] == 0) & (after[field][:, target] == 1)
        return began

    def loses_wand(cause: int) -> NDArray[np.bool_]:
        lost: NDArray[np.bool_] = (before["wand"][:, target] == WAND_HELD) & (after["wand"][:, target] == cause)
        return lost

    if event is EventCode.HIT:
        hit: NDArray[np.bool_] = after["hit_points"][:, target] < before["hit_points"][:, target]
        return hit
    if event is EventCode.DISARM:
        return loses_wand(LOST_TO_DISARM)
    if event is EventCode.HEX_STRIKES:
        return loses_wand(LOST_TO_HEX)
    if event is EventCode.HEX:
        return starts("hexed")
    # With a new round what was due in the next one is due now.
    later = np.where(play.advances, after["petrified"][:, target], after["petrified_next"][:, target])
    petrified: NDArray[np.bool_] = (before["petrified_next"][:, target] == 0) & (later == 1)
    return petrified | _voids_by_petrifying(play, target)


def _voids_by_petrifying(play: Play, target: int) -> NDArray[np.bool_]:
    """Edges at which a first caster's petrification makes the answer void (`petrificus_timing` = `riposte`), bool (E,)."""
    rules, before = play.context.game.rules[0], play.before
    first = before["action"][:, 0]
    is_spell = (first != NO_ACTION) & (first < rules["num_spells"])
    petrifies = is_spell & (rules["petrify"][np.where(is_spell, first, 0)] == 1) & (rules["petrify_voids_riposte"] == 1)
    answer = before["action"][:, 1]
    thrown = (before["node"] == CHANCE) & (before["die"] == SECOND_ROLL) & (play.context.model.full.choices == SUCCESS)
    blocked = thrown & (rules["block"][np.where(thrown, answer, 0)] == 1)
    happens: NDArray[np.bool_] = (
        petrifies & (before["first_roll"] == HIT) & (before["first_caster"] != target) & play.advances & ~blocked
    )
    return happens


def _events(play: Play) -> tuple[EventFigures, ...]:
    """Each kind of event: how often, and the attacker's score at the beginning of its round and right after."""
    flow = np.mean([play.flows(start) for start in range(NUM_PLAYERS)], axis=0)
    found = []
    earlier = [_score_at_round_start(play, attacker, flow) for attacker in range(NUM_PLAYERS)]
    for event in EventCode:
        totals = np.zeros(3)
        for target in range(NUM_PLAYERS):
            attacker, happens = 1 - target, _happens(play, event, target) & (flow > 0.0)
            share = flow[happens]
            totals += (
                share.sum(),
                share @ earlier[attacker][play.sources[happens]],
                share @ play.scores[attacker, play.targets[happens]],
            )
        before, after = ratio(totals[1], totals[0]), ratio(totals[2], totals[0])
        swing = None if before is None or after is None else after - before
        found.append(EventFigures(event=event, per_duel=float(totals[0]), before=before, after=after, swing=swing))
    return tuple(found)


def _score_at_round_start(play: Play, player: int, flow: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each node the average score that a player had when the current round began, float64 (N,); 0 where play never comes."""
    size = play.context.model.num_nodes
    begins = play.context.begins_round
    known = np.where(begins, play.scores[player], 0.0)
    reached = begins.copy()
    within = (flow > 0.0) & ~play.advances
    sources, targets, weight = play.sources[within], play.targets[within], flow[within]
    inflow = np.bincount(targets, weight, size)
    # Each pass carries the scores one step further into the round, in which nobody acts more than once.
    while True:
        carried = np.bincount(targets, weight * known[sources], size)
        arrived = np.bincount(targets, weight * reached[sources], size)
        complete = (inflow > 0.0) & (arrived >= inflow * (1.0 - 1e-9)) & ~reached
        if not complete.any():
            return known
        known[complete] = carried[complete] / arrived[complete]
        reached |= complete


def _first_hits(play: Play) -> NDArray[np.float64]:
    """First damage of a duel: how often, and with what score after for who dealt it, summed; rows: first caster of the duel, second."""
    context = play.context
    full = context.options.hit_points
    untouched = (context.states["hit_points"] == full).all(axis=1)[play.sources]
    hits = [_happens(play, EventCode.HIT, target) & untouched for target in range(NUM_PLAYERS)]
    both = hits[0] & hits[1]
    first_of_round = context.states["first_caster"][play.sources]
    found = np.zeros((NUM_PLAYERS, 2))
    for start in range(NUM_PLAYERS):
        flow = play.flows(start)
        for attacker in range(NUM_PLAYERS):
            mine = hits[1 - attacker] & ~both
            if context.options.resolution == "ordered":
                mine |= both & (first_of_round == attacker)
            mine &= flow > 0.0
            order = 0 if attacker == start else 1
            found[order] += flow[mine].sum(), flow[mine] @ play.scores[attacker, play.targets[mine]]
    return found


# ---- what passes from one to the other ----------------------------------------------------------------------------------------


def _source(play: Play, start: int) -> NDArray[np.float64]:
    source = np.zeros(play.context.model.num_nodes)
    source[play.duels[start].start] = 1.0
    return source


def _changes(play: Play, start: int, holder: NDArray[np.int8]) -> float:
    """How often something passes from one player to the other.

    Args:
        play: the kind of play.
        start: way to begin.
        holder: int8 (N,): at such a node this player has it from then on; -1: whoever had it last.
    """
    chain, duel = play.chain, play.duels[start]
    visits = np.where(np.isfinite(duel.visits), duel.visits, 0.0)
    keeps = (holder < 0) & (visits > 0.0)
    changes = 0.0
    for owner in range(NUM_PLAYERS):
        takes = visits * (holder == owner)
        inflow = np.where(keeps, np.bincount(play.targets, chain.flows(takes), len(visits)), 0.0)
        flow = chain.flows(takes + chain.visits_from(inflow, keeps))
        changes += float(flow[holder[play.targets] == 1 - owner].sum())
    return changes


def _lead_changes(play: Play, start: int) -> float:
    hit_points = play.context.states["hit_points"].astype(np.int64)
    lead = hit_points[:, 0] - hit_points[:, 1]
    return _changes(play, start, np.where(lead > 0, 0, np.where(lead < 0, 1, -1)).astype(np.int8))


def _favourite_changes(play: Play, start: int) -> float:
    model = play.context.model
    margin = play.scores[0] - 0.5
    counts = play.context.begins_round.copy()
    counts[model.num_player : model.num_visible] = True
    counts &= np.abs(margin) > play.context.settings.tie
    return _changes(play, start, np.where(counts, (margin < 0.0).astype(np.int8), np.int8(-1)).astype(np.int8))


def _won_from_behind(play: Play, start: int) -> float:
    """Probability that the duel is won by a player who was once behind in hit points."""
    context, duel = play.context, play.duels[start]
    hit_points = context.states["hit_points"].astype(np.int64)
    never = 0.0
    for player in range(NUM_PLAYERS):
        not_behind = (hit_points[:, player] >= hit_points[:, 1 - player]) & (duel.visits > 0.0)
        visits = play.chain.visits_from(_source(play, start), not_behind)
        wins = context.states["winner"] == player
        never += float(visits[wins].sum())
    return max(duel.win + duel.loss - never, 0.0)
