"""The figures of the designer's report: laws, the solver's own numbers, and walks over the state graph that count for themselves."""

import csv
import itertools
import json
from io import StringIO
from typing import Any

import jsonschema
import numpy as np
import pytest

from agents.registry import make_agent
from duel_env.errors import ConfigError
from duel_env.game import Game, make_game, make_game_and_setup
from evaluation.exact.model import exact_model
from evaluation.exact.occupancy import Chain, solution_policies
from evaluation.exact.policies import policy_table
from evaluation.exact.solution import FIRST, SECOND, solve
from evaluation.report import Limits, Report, ReportSettings, Thresholds, build_report, sheets_of
from evaluation.report.blind import BlindSearch, Situations, role_actions
from evaluation.report.comebacks import comebacks
from evaluation.report.context import STARTS, Context, silent
from evaluation.report.decisions import decisions
from evaluation.report.figures import Dominance, EventCode, Level, Limit, SpellFigures, Verdict, VerdictCode
from evaluation.report.headline import headline
from evaluation.report.readings import other_readings, readings
from evaluation.report.responses import PlainGame
from evaluation.report.schema import SCHEMA_FILE, report_schema, schema_text
from evaluation.report.sensitivity import grid
from evaluation.report.strategies import strategies
from evaluation.report.tables import tables
from evaluation.report.verdicts import Parts, judge, verdicts, worst
from tests.evaluation.test_occupancy import chances

QUICK: dict[str, Any] = {"grid_step": 50, "readings_grid_step": 50, "sequence_length": 2, "blind_solves": 60}
PUBLISHED = {  # best response to it, equilibrium play against it: docs/agents.md, "The truth at (60, 60)"
    "random": (0.9382, 0.9244),
    "greedy": (0.6867, 0.6780),
    "expectimax": (0.5, 0.5),
    "stupefy": (0.8723, 0.8318),
    "stupefy_strong": (0.7106, 0.7080),
    "expelliarmus": (0.6048, 0.6048),
}
OTHER: dict[str, Any] = {
    "hit_points": 2,
    "resolution": "simultaneous",
    "petrificus_timing": "riposte",
    "seize_after": "any_disarm",
}


def context_of(skills: tuple[int, int], options: dict[str, Any] | None = None, **settings: Any) -> Context:
    game = make_game("hogwarts", options)
    return Context(game, Context.sheets_of(game, skills), ReportSettings(**(QUICK | settings)))


def report_of(skills: tuple[int, int], options: dict[str, Any] | None = None, **settings: Any) -> Report:
    game = make_game("hogwarts", options)
    return build_report(game, Context.sheets_of(game, skills), ReportSettings(**(QUICK | settings)))


@pytest.fixture(scope="module")
def default() -> Report:
    return report_of((60, 60))


@pytest.fixture(scope="module")
def uneven() -> Report:
    return report_of((75, 50), OTHER)


@pytest.fixture(scope="module")
def even() -> Report:
    return report_of((45, 45), {"hit_points": 3})


@pytest.fixture(params=["default", "uneven", "even"])
def report(request: pytest.FixtureRequest) -> Report:
    found: Report = request.getfixturevalue(request.param)
    return found


def again(report: Report) -> tuple[Game, np.ndarray]:
    """Game and sheets of a report, from what it says about itself."""
    game = make_game(report.about.ruleset, report.about.options)
    assert game.digest == report.about.digest
    return game, Context.sheets_of(game, report.about.skills)


def scores(solution: Any) -> np.ndarray:
    return np.array([solution.win_probability(start) for start in STARTS])


# ---- headline -----------------------------------------------------------------------------------------------------------------


def test_the_published_values_are_the_headline(default: Report) -> None:
    said = default.headline
    assert said.score_by_start == pytest.approx((0.4681, 0.5319), abs=5e-5)
    assert said.first_caster_score == pytest.approx(0.4681, abs=5e-5)
    assert said.player_0_score == pytest.approx(0.5, abs=1e-9)
    assert said.max_error < 1e-11
    assert said.decided == pytest.approx(1.0)
    for skill in said.skill:
        found = (skill.best_response_score, skill.perfect_score)
        assert found == pytest.approx(PUBLISHED[skill.opponent], abs=5e-5)
    assert [skill.opponent for skill in said.skill] == ["random", "greedy", "expectimax"]


def test_the_headline_is_what_the_solver_says(report: Report) -> None:
    game, sheets = again(report)
    solution, found = solve(game, sheets), report.headline
    assert found.score_by_start == pytest.approx(tuple(scores(solution)), abs=1e-9)
    for start, (low, high) in enumerate(found.bounds_by_start):
        assert (low, high) == tuple(solution.win_bounds(start))
    assert found.first_caster_score + found.second_caster_score == pytest.approx(1.0)
    for outcome, score in zip(found.outcome_by_start, found.score_by_start, strict=True):
        assert outcome.win + outcome.draw + outcome.loss + outcome.endless == pytest.approx(1.0)
        assert outcome.win + (outcome.draw + outcome.endless) / 2 == pytest.approx(score, abs=1e-9)
    assert found.decided + found.drawn + found.endless == pytest.approx(1.0)
    length = found.length
    assert length.mean == pytest.approx(np.mean([each.mean for each in found.length_by_start]))
    assert sum(length.distribution) == pytest.approx(1.0, abs=2e-6)
    assert np.arange(1, len(length.distribution) + 1) @ length.distribution == pytest.approx(length.mean, abs=1e-3)
    assert length.p5 is not None
    assert length.p95 is not None
    assert sum(length.distribution[: length.p5 - 1]) < 0.05 <= sum(length.distribution[: length.p5])
    assert sum(length.distribution[: length.p95 - 1]) < 0.95 <= sum(length.distribution[: length.p95])


def test_skill_in_both_seats(uneven: Report) -> None:
    game, sheets = again(uneven)
    perfect = solution_policies(solve(game, sheets))[0]
    for skill in uneven.headline.skill:
        theirs = policy_table(make_agent(skill.opponent, game), game, sheets)
        ours = [scores(solve(game, sheets, (perfect, theirs))).mean(), 1 - scores(solve(game, sheets, (theirs, perfect))).mean()]
        best = [scores(solve(game, sheets, (None, theirs))).mean(), 1 - scores(solve(game, sheets, (theirs, None))).mean()]
        assert skill.perfect_by_seat == pytest.approx(tuple(ours), abs=1e-9)
        assert skill.best_response_by_seat == pytest.approx(tuple(best), abs=1e-9)
        assert skill.skill_share == pytest.approx(2 * np.mean(ours) - 1, abs=1e-9)


def test_weak_players_play_like_perfect_ones_when_it_is_cold(even: Report) -> None:
    game, sheets = again(even)
    settings = ReportSettings(temperatures=(1e-4, 10.0), opponents=())
    cold = headline(Context(game, sheets, settings), silent).by_strength
    assert cold[0].first_caster_score == pytest.approx(even.headline.first_caster_score, abs=1e-4)
    random = policy_table(make_agent("random", game), game, sheets)
    hot = scores(solve(game, sheets, (random, random)))
    assert cold[1].first_caster_score == pytest.approx((hot[0] + 1 - hot[1]) / 2, abs=1e-2)
    for strength in cold:
        assert sum(share or 0.0 for share in strength.shares.values()) == pytest.approx(1.0)


# ---- spells -------------------------------------------------------------------------------------------------------------------


def test_uses_add_up(report: Report) -> None:
    spells = report.spells
    assert sum(spell.casts for spell in spells.spells) == pytest.approx(spells.all_casts)
    assert sum(spell.real_casts for spell in spells.spells) == pytest.approx(spells.all_real_casts)
    assert sum(spell.share or 0.0 for spell in spells.spells) == pytest.approx(1.0)
    plain = sum(action.uses for action in spells.plain_actions)
    assert spells.all_casts + plain == pytest.approx(report.decisions.all.decisions)
    for spell in spells.spells:
        assert sum(spell.casts_by_player) == pytest.approx(spell.casts)
        assert sum(spell.casts_by_role) == pytest.approx(spell.casts)
        assert spell.real_casts <= spell.casts + 1e-9
        assert (spell.only_optimal_share or 0.0) <= (spell.legal_share or 0.0) + 1e-9 <= (spell.optimal_share or 0.0) + 2e-9
        maps = [np.array(heat.casts, float) for heat in spell.heat_maps]
        assert sum(cells.sum() for cells in maps) == pytest.approx(spell.casts)
        for heat in spell.heat_maps:
            shares, met = np.array(heat.share, float), np.array(heat.decisions, float)
            assert np.array_equal(np.isnan(shares), met == 0.0)
            np.testing.assert_allclose(np.nan_to_num(shares) * met, np.array(heat.casts, float), atol=1e-9)
            assert np.all(np.nan_to_num(shares) <= np.nan_to_num(np.array(heat.optimal_share, float)) + 1e-9)
    assert len(spells.spells[0].heat_maps) == (2 if report.about.equal_players else 4)


def test_what_perfect_play_casts_at_60(default: Report) -> None:
    """Protego until it misses with .4, then Expelliarmus hits with .3, and the wand is seized: .12 a round."""
    casts = {spell.spell: spell for spell in default.spells.spells}
    assert casts["protego"].casts == pytest.approx(1 / 0.12)
    assert casts["expelliarmus"].casts == pytest.approx(1 / 0.3)
    assert casts["protego"].real_share == pytest.approx((1 / 0.12) / (1 / 0.12 + 1 / 0.3))
    # Nothing can be done against a Protego that succeeded; what is cast then is the first of the list.
    assert casts["stupefy"].casts == pytest.approx(0.6 / 0.12)
    assert casts["stupefy"].real_casts == 0.0
    assert {name: spell.dominance for name, spell in casts.items()} == {
        "stupefy": Dominance.NEVER_REACHED,
        "stupefy_strong": Dominance.NEVER_REACHED,
        "expelliarmus": Dominance.NEEDED,
        "petrificus_totalus": Dominance.NEVER_REACHED,
        "levicorpus": Dominance.NEVER_OPTIMAL,
        "protego": Dominance.NEEDED,
    }


def test_banning_never_helps_and_owning_never_hurts(report: Report) -> None:
    for spell in report.spells.spells:
        assert [each.player for each in spell.ban] == [each.player for each in spell.own_alone] == [0, 1]
        for each in spell.ban:
            assert max(each.change, *each.change_by_start) <= 1e-9
            assert each.change == pytest.approx(np.mean(each.change_by_start), abs=1e-9)
        for each in spell.own_alone:
            assert min(each.change, *each.change_by_start) >= -1e-9


@pytest.mark.parametrize("players", [(0,), (1,), (0, 1)], ids=str)
def test_bans_are_what_the_solver_says(report: Report, players: tuple[int, ...]) -> None:
    game, sheets = again(report)
    model, before = exact_model(game), scores(solve(game, sheets))
    neither = {}
    for number, spell in enumerate(report.spells.spells):
        allowed = model.legal.copy()
        allowed[np.isin(model.chooser, players), number] = False
        after = scores(solve(game, sheets, allowed=allowed))
        if players == (0, 1):
            change = ((after - before) * (1, -1)).mean()
            assert spell.ban_for_both == pytest.approx(change, abs=1e-9)
            continue
        sign = 1 if players == (0,) else -1
        assert spell.ban[players[0]].change_by_start == pytest.approx(tuple(sign * (after - before)), abs=1e-9)
        allowed[:, number] = False
        neither[number] = scores(solve(game, sheets, allowed=allowed))
        owner = 1 - players[0]
        sign = 1 if owner == 0 else -1
        assert spell.own_alone[owner].change_by_start == pytest.approx(tuple(sign * (after - neither[number])), abs=1e-9)


def test_with_equal_skills_a_ban_for_one_mirrors_that_for_the_other(even: Report) -> None:
    for spell in even.spells.spells:
        for ours, theirs in (spell.ban, spell.own_alone):
            assert ours.change_by_start == pytest.approx(theirs.change_by_start[::-1], abs=1e-9)


def test_dominance_by_looking_at_every_state(report: Report) -> None:
    game, sheets = again(report)
    model, solution = exact_model(game), solve(game, sheets)
    own = np.where(model.chooser[:, None] == 0, 1, -1) * solution.action_values / 2
    losses = np.nanmax(own, axis=1, keepdims=True) - own
    reached = walk_everywhere(game, report.about.skills)[: len(losses)]
    for number, spell in enumerate(report.spells.spells):
        optimal, only, states, least = 0, 0, 0, np.inf
        for node in np.flatnonzero(reached & model.legal[:, number]):
            here = losses[node]
            if np.nanmax(here) <= 1e-9:
                continue
            states += 1
            least = min(least, here[number])
            optimal += here[number] <= 1e-9
            only += here[number] <= 1e-9 and np.sum(here <= 1e-9) == 1
        assert (spell.states, spell.optimal_states, spell.only_optimal_states) == (states, optimal, only)
        if states:
            assert spell.least_loss == pytest.approx(least, abs=1e-9)
        assert (spell.dominance is Dominance.NEVER_OPTIMAL) == (states > 0 and optimal == 0)


def walk_everywhere(game: Game, skills: tuple[int, int]) -> np.ndarray:
    """Nodes that some play reaches, bool (N,), by a search in Python."""
    success, graph = chances(game, skills), game.graph
    is_die = np.arange(len(graph.states)) >= graph.num_player + graph.num_terminal
    seen, waiting = set(graph.starts[:2].tolist()), graph.starts[:2].tolist()
    while waiting:
        node = waiting.pop()
        for choice, edge in enumerate(graph.edges[node].tolist()):
            if edge < 0 or (is_die[node] and (success[node] if choice else 1 - success[node]) <= 0):
                continue
            if edge >> 1 not in seen:
                seen.add(edge >> 1)
                waiting.append(edge >> 1)
    found = np.zeros(len(graph.states), np.bool_)
    found[list(seen)] = True
    return found


def test_a_copy_of_a_spell_that_is_harder_is_dominated() -> None:
    spells = make_game("hogwarts", {"hit_points": 2}).options_json()["spells"]
    harder = spells[1] | {"id": "harder", "penalty": 15}
    copy = spells[5] | {"id": "copy"}
    report = report_of((60, 60), {"hit_points": 2, "spells": [*spells, harder, copy]})
    figures = {spell.spell: spell for spell in report.spells.spells}
    assert "stupefy_strong" in {each.action for each in figures["harder"].dominated_by}
    assert figures["harder"].dominance in (Dominance.NEVER_OPTIMAL, Dominance.NEVER_NEEDED)
    for one, other in (("protego", "copy"), ("copy", "protego")):
        twin = next(each for each in figures[one].dominated_by if each.action == other)
        assert not twin.strict
        assert twin.least_margin == twin.mean_margin == 0.0
        assert figures[one].only_optimal_share == 0.0
    verdict = next(v for v in report.verdicts if v.code is VerdictCode.DOMINATED_SPELL and v.subject == "harder")
    assert verdict.level is Level.FAIL


def test_openings(report: Report) -> None:
    game, sheets = again(report)
    solution = solve(game, sheets)
    for start, openings in enumerate(report.spells.openings_by_start):
        assert [opening.action for opening in openings] == list(figures_by_spell(report))
        own = [opening.score for opening in openings]
        value = solution.win_probability(start) if start == 0 else 1 - solution.win_probability(start)
        assert max(own) == pytest.approx(value, abs=1e-9)
        for opening in openings:
            assert opening.loss == pytest.approx(value - opening.score, abs=1e-9)
            assert opening.is_best == (opening.loss <= 1e-9)
            chance = figures_by_spell(report)[opening.action].chance[start]
            rolls = {answer.roll: answer.score for answer in opening.answers}
            if set(rolls) == {"hit", "missed"}:
                assert chance * rolls["hit"] + (1 - chance) * rolls["missed"] == pytest.approx(opening.score, abs=1e-9)


def figures_by_spell(report: Report) -> dict[str, SpellFigures]:
    return {spell.spell: spell for spell in report.spells.spells}


# ---- strategies ---------------------------------------------------------------------------------------------------------------


def test_one_spell_is_what_the_solver_says(report: Report) -> None:
    game, sheets = again(report)
    for each in report.strategies.one_spell:
        policy = policy_table(make_agent(f"spam:{each.spells[0]}", game), game, sheets)
        ours, theirs = scores(solve(game, sheets, (policy, None))), 1 - scores(solve(game, sheets, (None, policy)))
        assert each.score_by_seat == pytest.approx((ours.mean(), theirs.mean()), abs=1e-9)
        order = ((ours[FIRST] + theirs[SECOND]) / 2, (ours[SECOND] + theirs[FIRST]) / 2)
        assert each.score_by_order == pytest.approx(order, abs=1e-9)
        assert each.loss == pytest.approx(0.5 - each.score, abs=1e-9)
        assert each.loss >= -1e-9


def test_the_known_losses_of_one_spell(default: Report) -> None:
    losses = {each.spells[0]: each.score for each in default.strategies.one_spell}
    for name in ("stupefy", "stupefy_strong", "expelliarmus"):
        assert losses[name] == pytest.approx(1 - PUBLISHED[name][0], abs=5e-5)


def test_at_60_one_spell_for_each_role_is_perfect(default: Report) -> None:
    best = default.strategies.one_spell_per_role[0]
    assert best.spells == ("protego", "expelliarmus")
    assert best.loss == pytest.approx(0.0, abs=1e-9)
    levels = {v.code: v.level for v in default.verdicts}
    assert levels[VerdictCode.ONE_SPELL_PER_ROLE] is Level.FAIL
    assert levels[VerdictCode.ONE_SPELL] is Level.PASS


def test_one_spell_per_role_is_what_the_solver_says() -> None:
    context = context_of((75, 50), OTHER)
    plain = PlainGame(context)
    for first, answer in ((5, 2), (1, 0)):
        actions = role_actions(context, plain, first, answer)
        policy = np.eye(context.game.num_actions)[actions]
        assert plain.policy_scores(actions, 0) == pytest.approx(tuple(scores(context.solve((policy, None)))), abs=1e-9)
        assert plain.policy_scores(actions, 1) == pytest.approx(tuple(1 - scores(context.solve((None, policy)))), abs=1e-9)


def cycle_values(game: Game, skills: tuple[int, int], cycle: tuple[int, ...], seat: int) -> list[float]:
    """Score of a cycle of spells in a seat, by start: plain value iteration over (node, position) in dictionaries."""
    graph, success, spells = game.graph, chances(game, skills), len(game.options.spells)  # type: ignore[attr-defined]
    first_die = graph.num_player + graph.num_terminal
    values: dict[tuple[int, int], float] = {}
    nodes = [(node, position) for node in range(len(graph.states)) for position in range(len(cycle))]
    values = dict.fromkeys(nodes, 0.0)
    for node, position in nodes:
        winner = graph.states["winner"][node]
        if graph.num_player <= node < first_die and winner >= 0:
            values[node, position] = 1.0 if winner == seat else -1.0
    chooser, edges = graph.states["current_player"], graph.edges.tolist()
    while True:
        change = 0.0
        for node, position in nodes:
            after = [(choice, edge >> 1) for choice, edge in enumerate(edges[node]) if edge >= 0]
            if not after:
                continue
            if node >= first_die:
                share = (1 - success[node], success[node])
                value = sum(share[choice] * values[to, position] for choice, to in after)
            elif chooser[node] != seat:
                value = min(values[to, position] for _, to in after)
            else:
                legal = dict(after)
                casts = 0 in legal and spells + 1 not in legal
                choice = cycle[position] if casts else next(c for c in (spells + 1, spells, spells + 2) if c in legal)
                value = values[legal[choice], (position + casts) % len(cycle)]
            change = max(change, abs(value - values[node, position]))
            values[node, position] = value
        if change < 1e-12:
            return [(1 + values[int(start), 0]) / 2 for start in graph.starts[:2]]


@pytest.mark.parametrize("cycle", [(0, 1), (1, 2, 1), (2, 0, 0)])
def test_cycles_of_spells_by_a_second_method(cycle: tuple[int, ...]) -> None:
    source = make_game("hogwarts").options_json()["spells"]
    options = {"hit_points": 2, "spells": [source[0], source[2], source[5]]}
    context = context_of((70, 55), options)
    for seat in range(2):
        assert PlainGame(context).cycle_scores(cycle, seat) == pytest.approx(
            tuple(cycle_values(context.game, (70, 55), cycle, seat)), abs=1e-9
        )


def test_a_cycle_that_repeats_itself_is_the_shorter_one() -> None:
    context = context_of((60, 45), {"hit_points": 3})
    plain = PlainGame(context)
    for seat in range(2):
        assert plain.cycle_scores((1, 2, 1, 2), seat) == pytest.approx(plain.cycle_scores((1, 2), seat), abs=1e-12)
    found = strategies(context, silent)
    assert found.sequences_tried == 6 + 36 - 6
    assert len({each.spells for each in found.sequences}) == len(found.sequences)
    assert all(len(set(each.spells)) > 1 for each in found.sequences)
    assert found.sequences[0].score == max(each.score for each in found.sequences)


def test_the_number_of_sequences_is_kept_small() -> None:
    found = strategies(context_of((60, 60), {"hit_points": 1}, sequence_length=4, max_sequences=50), silent)
    assert found.sequence_length == 2
    assert found.sequences_tried == 36


def test_the_blind_policy_is_blind_and_worth_what_it_says() -> None:
    context = context_of((45, 45), {"hit_points": 3})
    search = BlindSearch(context, PlainGame(context), 0, [(1, 0)])
    found = search.run(silent, "blind")
    actions = found.actions[search.situations.of_node]
    states = context.states[: len(actions)].copy()
    assert context.model.legal[np.arange(len(actions)), actions].all()
    for player in range(2):
        mine = np.flatnonzero(context.chooser == player)
        blind = states[mine].copy()
        blind["hit_points"] = 1
        _, groups = np.unique(blind.view(np.void), return_inverse=True)
        for group in range(groups.max() + 1):
            assert len(set(actions[mine[groups.reshape(-1) == group]])) == 1, "nothing but hit points is left out"
    policy = np.eye(context.game.num_actions)[actions]
    assert found.scores == pytest.approx(tuple(scores(context.solve((policy, None)))), abs=1e-9)
    starts = [np.mean(search._score(each)) for _, each in search._starts()]
    assert max(starts) - 1e-7 <= found.score <= np.mean(context.score_by_start) + 1e-9
    assert search.gains(found.actions).shape == (len(search.situations), context.game.num_actions)


def test_a_gain_is_the_slope_of_mixing_the_action_in() -> None:
    """Against a fixed response, the derivative of the score by the weight of another action, all situations alike."""
    context = context_of((45, 45), {"hit_points": 2})
    search = BlindSearch(context, PlainGame(context), 0, [(1, 0)])
    actions = search._starts()[0][1]
    gains = search.gains(actions)
    situation, action = (
        int(place) for place in np.unravel_index(np.nanargmax(np.abs(np.where(np.isinf(gains), 0, gains))), gains.shape)
    )
    policy = np.eye(context.game.num_actions)[actions[search.situations.of_node]]
    response = solution_policies(context.solve((policy, None)))[1]
    shift = 1e-5
    mixed = policy.copy()
    there = search.situations.of_node == situation
    mixed[there] *= 1 - shift
    mixed[there, action] += shift
    before, after = (scores(context.solve((each, response))).mean() for each in (policy, mixed))
    assert (after - before) / shift == pytest.approx(gains[situation, action], rel=1e-3)


def test_situations_keep_everything_but_hit_points() -> None:
    context = context_of((60, 60), {"hit_points": 2})
    situations = Situations(context)
    assert np.array_equal(situations.legal[situations.of_node], context.model.legal)
    names = set(itertools.chain.from_iterable(situations.features))
    assert "own_petrified" in names
    assert not {name for name in names if "hit_points" in name or "skill" in name or "chance" in name}


# ---- decisions ----------------------------------------------------------------------------------------------------------------


def test_kinds_of_decisions_add_up(report: Report) -> None:
    for each in (report.decisions.all, report.decisions.first, report.decisions.answer):
        for kinds in (each.kinds, each.kinds_of_states):
            assert kinds is not None
            assert kinds.forced + kinds.pointless + kinds.clear + kinds.close == pytest.approx(1.0)
        assert each.kinds is not None
        assert each.real_share == pytest.approx(each.kinds.clear + each.kinds.close)
        if each.real_share:
            assert each.two_close_share == pytest.approx(each.kinds.close / each.real_share)
            assert sum(each.loss_shares) == pytest.approx(1.0)
            assert 0 <= each.mean_gap <= each.mean_loss_random * 6  # type: ignore[operator]
            assert each.mean_loss_random <= each.mean_loss_worst  # type: ignore[operator]
            options = [quantal.effective_options or 0.0 for quantal in each.quantal]
            assert options == sorted(options), "the hotter, the more options"
            assert options[0] >= 1.0
            assert options[-1] <= 6.0
    both = report.decisions.first.decisions + report.decisions.answer.decisions
    assert report.decisions.all.decisions == pytest.approx(both)


def test_decisions_at_60_by_hand(default: Report) -> None:
    """In each round a Protego, then an answer: pointless if it succeeded with .6, else Expelliarmus; and one seizure at the end."""
    rounds = 1 / 0.12
    each = default.decisions.all
    assert each.decisions == pytest.approx(2 * rounds + 1)
    assert each.kinds is not None
    assert each.kinds.pointless == pytest.approx(0.6 * rounds / (2 * rounds + 1))
    assert default.decisions.answer.real_share == pytest.approx(0.4)


def test_losses_by_hand() -> None:
    context = context_of((45, 45), {"hit_points": 2})
    found = decisions(context).all
    visits, total, loss, worst_loss, gap = context.visits, 0.0, 0.0, 0.0, 0.0
    for node in range(context.model.num_player):
        own = context.solution.action_values[node][context.model.legal[node]] * (1 if context.chooser[node] == 0 else -1) / 2
        losses = np.sort(own.max() - own)
        if len(losses) > 1 and losses[-1] > 1e-9:
            total += visits[node]
            loss += visits[node] * losses.mean()
            worst_loss += visits[node] * losses[-1]
            gap += visits[node] * losses[1]
    expected = loss / total, worst_loss / total, gap / total
    assert (found.mean_loss_random, found.mean_loss_worst, found.mean_gap) == pytest.approx(expected, abs=1e-9)


# ---- comebacks ----------------------------------------------------------------------------------------------------------------


def walk(context: Context, chain: Chain, values: np.ndarray, start: int, duels: int, rng: np.random.Generator) -> dict[str, Any]:
    """Play duels on the state graph and count what the report counts, with hit points and flags read from the states."""
    graph, success = context.game.graph, chances(context.game, context.skills)
    states, first_die = graph.states, graph.num_player + graph.num_terminal
    cumulative = np.cumsum(chain.policy, axis=1)
    nodes = np.full(duels, graph.starts[start])
    leader, behind = np.full(duels, -1), np.zeros((duels, 2), bool)
    hit_by, lead_changes, disarms, hexes, leads = np.full(duels, -1), 0, 0, 0, np.zeros(2 * context.options.hit_points - 1)
    running = np.arange(duels)
    own = np.stack([(1 + values) / 2, (1 - values) / 2], axis=1)  # (N, 2)
    at_round_start, favourite, favourites = np.zeros((duels, 2)), np.full(duels, -1), 0
    hex_strikes: list[np.ndarray] = []  # the attacker's score before, and after
    while len(running):
        here = nodes[running]
        begins = (states["node"][here] == 0) & (states["action"][here, 0] < 0)
        at_round_start[running[begins]] = own[here[begins]]
        favourites += change_favourite(favourite, running[begins], own[here[begins]])
        lead = states["hit_points"][here, 0].astype(int) - states["hit_points"][here, 1]
        np.add.at(leads, lead[begins] + context.options.hit_points - 1, 1)
        draw = rng.random(len(here))
        choice = np.where(here >= first_die, draw < success[here], 0).astype(int)
        mine = here < graph.num_player
        choice[mine] = (cumulative[here[mine]] <= draw[mine, None] * cumulative[here[mine], -1:]).sum(axis=1)
        there = graph.edges[here, choice] >> 1
        before, after = states["hit_points"][here].astype(int), states["hit_points"][there].astype(int)
        hurt = after < before
        assert not hurt.all(axis=1)[hit_by[running] < 0].any() or context.options.resolution == "ordered"
        first = states["first_caster"][here]
        attacker = np.where(hurt.all(axis=1), first, np.where(hurt[:, 0], 1, 0))
        is_first = hurt.any(axis=1) & (hit_by[running] < 0)
        hit_by[running[is_first]] = attacker[is_first]
        now = np.where(after[:, 0] > after[:, 1], 0, np.where(after[:, 1] > after[:, 0], 1, -1))
        lead_changes += int(np.sum((now >= 0) & (leader[running] >= 0) & (now != leader[running])))
        leader[running] = np.where(now >= 0, now, leader[running])
        behind[running, 0] |= after[:, 0] < after[:, 1]
        behind[running, 1] |= after[:, 1] < after[:, 0]
        disarms += int(np.sum((states["wand"][here] == 0) & (states["wand"][there] == 1)))
        hexes += int(np.sum((states["hexed"][here] == 0) & (states["hexed"][there] == 1)))
        for target in range(2):
            struck = (states["wand"][here, target] == 0) & (states["wand"][there, target] == 2)
            before_and_after = at_round_start[running[struck], 1 - target], own[there[struck], 1 - target]
            hex_strikes.append(np.stack(before_and_after, axis=1))
        nodes[running] = there
        ends = states["node"][there] == 2
        favourites += change_favourite(favourite, running[ends], own[there[ends]])
        running = running[~ends]
    winner = states["winner"][nodes]
    hit = hit_by >= 0
    return {
        "first_hit_score": np.mean(winner[hit] == hit_by[hit]),
        "first_hit_share_of_first_caster": np.mean(hit_by[hit] == start),
        "lead_changes": lead_changes / duels,
        "won_from_behind": np.mean(behind[np.arange(duels), winner]),
        "disarm": disarms / duels,
        "hex": hexes / duels,
        "leads": (leads + leads[::-1]) / duels,
        "favourite_changes": favourites / duels,
        "hex_strikes": np.concatenate(hex_strikes),
    }


def change_favourite(favourite: np.ndarray, duels: np.ndarray, own: np.ndarray) -> int:
    """Note who is ahead in some duels, and count in how many that was the other before; ties change nothing."""
    now = np.where(np.abs(own[:, 0] - 0.5) <= 1e-9, favourite[duels], np.where(own[:, 0] > 0.5, 0, 1))
    changed = int(np.sum((favourite[duels] >= 0) & (now != favourite[duels])))
    favourite[duels] = now
    return changed


@pytest.mark.parametrize("kind", ["perfect", "quantal"])
@pytest.mark.parametrize(("skills", "hit_points"), [((30, 30), 3), ((50, 45), 4)])
def test_comebacks_by_walking(kind: str, skills: tuple[int, int], hit_points: int, rng: np.random.Generator) -> None:
    context, duels = context_of(skills, {"hit_points": hit_points}, temperatures=(0.05,)), 20_000
    found = comebacks(context, silent)[0 if kind == "perfect" else 1]
    chain = context.perfect_chain if kind == "perfect" else context.quantal_play(0.05)[0]
    values = solve(context.game, context.sheets, (chain.policy, chain.policy)).values
    walks = [walk(context, chain, values, start, duels, rng) for start in STARTS]
    for name in ("lead_changes", "won_from_behind"):
        assert getattr(found, name) == pytest.approx(np.mean([each[name] for each in walks]), abs=0.015)
    for name in ("first_hit_score", "first_hit_share_of_first_caster"):
        assert getattr(found, name) == pytest.approx(np.mean([each[name] for each in walks]), abs=0.02)
    events = {each.event: each for each in found.events}
    for name in ("disarm", "hex"):
        assert events[EventCode(name)].per_duel == pytest.approx(np.mean([each[name] for each in walks]), abs=0.02)
    assert found.favourite_changes == pytest.approx(np.mean([each["favourite_changes"] for each in walks]), abs=0.1)
    struck = np.concatenate([each["hex_strikes"] for each in walks])
    assert events[EventCode.HEX_STRIKES].per_duel == pytest.approx(len(struck) / (2 * duels), abs=0.02)
    if kind == "quantal":
        expected = events[EventCode.HEX_STRIKES].before, events[EventCode.HEX_STRIKES].after
        assert struck.mean(axis=0) == pytest.approx(expected, abs=0.01)
    leads = np.mean([each["leads"] for each in walks], axis=0)
    np.testing.assert_allclose([each.visits for each in found.by_difference], leads, atol=0.15)


def test_a_fair_game_is_fair_at_every_lead(even: Report) -> None:
    for play in even.comebacks:
        by_lead = {each.difference: each for each in play.by_difference}
        for lead, each in by_lead.items():
            other = by_lead[-lead]
            assert each.visits == pytest.approx(other.visits, abs=1e-9)
            if each.score is not None and other.score is not None:
                assert each.score + other.score == pytest.approx(1.0, abs=1e-8)
        for event in play.events:
            assert (event.before is None) == (event.per_duel == 0.0)
            if event.swing is not None and event.after is not None and event.before is not None:
                assert event.swing == pytest.approx(event.after - event.before, abs=1e-9)


def test_the_score_before_an_event_averages_to_what_it_was(default: Report) -> None:
    """At 60 whoever disarms has just answered: before, that was the second caster's score; after, the duel is won."""
    events = {each.event: each for each in default.comebacks[0].events}
    disarm = events[EventCode.DISARM]
    assert (disarm.per_duel, disarm.after) == pytest.approx((1.0, 1.0))
    assert disarm.before == pytest.approx(default.headline.second_caster_score)
    assert default.comebacks[0].lead_changes == 0.0
    assert default.comebacks[0].first_hit_score is None
    # The favourite is who answers: it changes with every new round but the last, in which who disarmed begins and wins.
    assert default.comebacks[0].favourite_changes == pytest.approx(1 / 0.12 - 1)


def test_scores_by_hit_points_and_tempo(even: Report) -> None:
    game, sheets = again(even)
    full = even.about.hit_points
    cells = even.comebacks[0].score_by_hit_points
    assert cells[full - 1][full - 1] == pytest.approx(even.headline.first_caster_score, abs=1e-9)
    for row in cells:
        known = [score for score in row if score is not None]
        assert known == sorted(known, reverse=True), "more hit points of the opponent are no better"
    for tempo in even.comebacks[0].tempo:
        assert tempo.gain is not None
        assert tempo.gain > 0.0, "a turn more is worth something"
    solution = solve(game, sheets)
    assert even.comebacks[0].tempo[0].score_without == pytest.approx(1 - scores(solution)[FIRST], abs=1e-9)


# ---- sensitivity and readings -------------------------------------------------------------------------------------------------


def test_numbers_changed_are_what_the_solver_says(report: Report) -> None:
    options, skills = report.about.options, report.about.skills
    for each in report.sensitivity.parameters:
        for step, found in ((-1, each.down), (1, each.up)):
            if found is None:
                assert each.parameter == "hit_points" or each.kind == "damage"
                continue
            assert found.value == each.value + step * each.step
            changed, sheets_skills = dict(options), list(skills)
            if each.kind == "hit_points":
                changed["hit_points"] = found.value
            elif each.kind == "skill":
                sheets_skills[int(each.parameter.removeprefix("skill."))] = found.value
            else:
                changed["spells"] = [
                    spell | ({each.kind: found.value} if spell["id"] == each.subject else {}) for spell in options["spells"]
                ]
            game = make_game("hogwarts", changed)
            solution = solve(game, Context.sheets_of(game, (sheets_skills[0], sheets_skills[1])))
            ours = scores(solution)
            assert found.first_caster_score == pytest.approx((ours[0] + 1 - ours[1]) / 2, abs=1e-9)
            assert found.opening == game.actions[solution.actions[solution.start(FIRST)]].id
            assert found.first_caster_change == pytest.approx(
                found.first_caster_score - report.headline.first_caster_score, abs=1e-9
            )
    swings = [each.swing for each in report.sensitivity.parameters]
    assert swings == sorted(swings, reverse=True)


def test_a_number_is_never_changed_beyond_what_the_rules_accept() -> None:
    found = {each.parameter: each for each in report_of((100, 0), {"hit_points": 1}).sensitivity.parameters}
    assert found["hit_points"].down is None
    assert found["skill.0"].up is None
    assert found["skill.1"].down is None
    assert found["stupefy.damage"].down is not None


def test_the_map_of_openings(report: Report) -> None:
    game, _ = again(report)
    found = report.sensitivity.opening_map
    assert found.skills == (0, 50, 100)
    worth = np.array(found.first_turn_worth, float)
    np.testing.assert_allclose(worth, worth.T, atol=1e-9)
    for row, column in itertools.product(range(3), repeat=2):
        solution = solve(game, Context.sheets_of(game, (found.skills[row], found.skills[column])))
        assert found.score[row][column] == pytest.approx(solution.win_probability(FIRST), abs=1e-9)
        after = solution.action_values[solution.start(FIRST)]
        best = np.flatnonzero(after >= np.nanmax(after) - 2e-9)
        assert found.openings[row][column] in [game.actions[action].id for action in best]
        assert found.also_best[row][column] == len(best) - 1


@pytest.mark.parametrize(("step", "skills"), [(50, (0, 50, 100)), (40, (0, 40, 80, 100)), (100, (0, 100))])
def test_grids_end_at_100(step: int, skills: tuple[int, ...]) -> None:
    assert grid(step) == skills


def test_readings_are_what_the_solver_says(report: Report) -> None:
    options = report.about.options
    expected = {
        "riposte_sees_roll": {"true", "false"},
        "resolution": {"ordered", "simultaneous"},
        "petrificus_timing": {"next_round", "riposte"},
        "levicorpus_hits_riposte": {"true", "false"},
        "seize_after": {"expelliarmus", "any_disarm"},
        "petrified_may_retrieve": {"true", "false"},
    }
    assert {each.option: {each.value, each.other} for each in report.readings.readings} == expected
    for each in report.readings.readings:
        other = not options[each.option] if isinstance(options[each.option], bool) else each.other
        game = make_game("hogwarts", options | {each.option: other})
        ours = scores(solve(game, Context.sheets_of(game, report.about.skills)))
        assert each.first_caster_score == pytest.approx((ours[0] + 1 - ours[1]) / 2, abs=1e-9)
        change = np.array(each.change, float)
        assert each.largest_change == pytest.approx(np.abs(change).max(), abs=1e-9)
        row, column = (each.skills.index(skill) for skill in each.largest_change_at)
        assert abs(change[row, column]) == pytest.approx(each.largest_change, abs=1e-9)
        sheets = Context.sheets_of(game, each.largest_change_at)
        base = make_game("hogwarts", options)
        expected_change = solve(game, sheets).win_probability(FIRST) - solve(base, sheets).win_probability(FIRST)
        assert change[row, column] == pytest.approx(expected_change, abs=1e-9)


def test_a_reading_that_turns_the_advantage_round() -> None:
    """At (90, 90) the first caster is behind, and ahead if the answer does not see the die; both values by `solve`."""
    found = readings(context_of((90, 90), readings_grid_step=90), silent)
    reading = next(each for each in found.readings if each.option == "riposte_sees_roll")
    flip = next(each for each in reading.flips if each.skills == (90, 90))
    assert flip.score < 0.499
    assert flip.other_score > 0.501
    game = make_game("hogwarts", {"riposte_sees_roll": False})
    assert flip.other_score == pytest.approx(solve(game, Context.sheets_of(game, (90, 90))).win_probability(FIRST), abs=1e-9)


def test_every_reading_of_the_rules_is_among_them() -> None:
    numbers = {"max_rounds", "hit_points", "spells", "observe_opponent_skill"}
    context = context_of((60, 60), {"hit_points": 1})
    names = [name for name, _ in other_readings(context)]
    assert sorted({*names, *numbers}) == sorted(type(context.options).model_fields)


# ---- verdicts -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "limits", "more_is_worse", "level"),
    [
        (0.01, (0.03, 0.05), True, Level.PASS),
        (0.03, (0.03, 0.05), True, Level.WARN),
        (0.06, (0.03, 0.05), True, Level.FAIL),
        (0.5, (0.3, 0.1), False, Level.PASS),
        (0.2, (0.3, 0.1), False, Level.WARN),
        (0.1, (0.3, 0.1), False, Level.FAIL),
        (None, (0.3, 0.1), False, Level.PASS),
    ],
)
def test_levels(value: float | None, limits: tuple[float, float], more_is_worse: bool, level: Level) -> None:
    lines = Limits(warn=limits[0], fail=limits[1])
    verdict = judge(VerdictCode.FAIRNESS, value, lines, more_is_worse=more_is_worse, subject="x")
    assert verdict == Verdict(
        code=VerdictCode.FAIRNESS,
        level=level,
        subject="x",
        value=value,
        warn=limits[0],
        fail=limits[1],
        more_is_worse=more_is_worse,
    )


def test_the_worst_level_is_that_of_the_report(report: Report) -> None:
    assert report.level is worst(report.verdicts)
    assert worst(()) is Level.PASS
    codes = [list(VerdictCode).index(verdict.code) for verdict in report.verdicts]
    assert codes == sorted(codes)
    assert set(range(len(VerdictCode))) == set(codes), "each code is judged"


def test_thresholds_change_the_verdicts(default: Report) -> None:
    parts = Parts(**{name: getattr(default, name) for name in Parts._fields})
    for line, level in ((0.4, Level.PASS), (0.031, Level.WARN), (0.0001, Level.FAIL)):
        found = verdicts(Thresholds(fairness=Limits(warn=line, fail=line + 0.005)), parts)
        assert next(verdict.level for verdict in found if verdict.code is VerdictCode.FAIRNESS) is level
    assert verdicts(Thresholds(), parts) == default.verdicts


# ---- the whole ----------------------------------------------------------------------------------------------------------------

ODD: list[tuple[tuple[int, int], dict[str, Any]]] = [
    ((100, 100), {"hit_points": 2}),
    ((0, 0), {"hit_points": 1}),
    ((0, 60), {"hit_points": 2}),
    ((5, 100), {"hit_points": 1, "observe_opponent_skill": False}),
    ((60, 60), {"hit_points": 2, "spells": [{"id": "only", "en": "Only", "fr": "Seul", "penalty": 0, "damage": 1}]}),
    (
        (100, 100),
        {
            "hit_points": 1,
            "spells": [
                {
                    "id": "all",
                    "en": "A",
                    "fr": "A",
                    "penalty": 0,
                    "damage": 1,
                    "block": True,
                    "disarm": True,
                    "hex": True,
                    "petrify": True,
                },
                {"id": "block", "en": "B", "fr": "B", "penalty": 0, "block": True},
            ],
        },
    ),
]


@pytest.mark.parametrize(("skills", "options"), ODD, ids=str)
def test_odd_games_have_a_report(skills: tuple[int, int], options: dict[str, Any]) -> None:
    report = report_of(skills, options)
    text = json.dumps(report.to_json(), allow_nan=False)
    jsonschema.validate(json.loads(text), report_schema())
    assert Report.model_validate_json(text) == report
    for table in tables(report):
        assert table.to_csv().startswith(",".join(table.columns))
    endless = report.headline.endless > 0.0
    assert (report.spells.counted_rounds is not None) == endless
    assert (Limit.COUNTED_ROUNDS in report.method.limits) == endless
    assert (report.headline.length.mean is None) == endless


def test_endless_play_is_counted_in_the_first_rounds() -> None:
    report = report_of((100, 100), {"hit_points": 2}, horizon=30)
    assert report.headline.endless == 1.0
    assert report.decisions.all.decisions == pytest.approx(60.0)
    assert report.spells.counted_rounds == 30


def test_a_report_comes_back_from_json(report: Report) -> None:
    value = report.to_json()
    text = json.dumps(value, allow_nan=False)
    assert Report.model_validate_json(text) == report
    jsonschema.validate(json.loads(text), report_schema())
    assert value["format"] == "duel-report"
    assert value["about"]["digest"] == make_game("hogwarts", value["about"]["options"]).digest


def test_the_kept_schema_is_current() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text(), "run python -m evaluation.report.schema"
    jsonschema.Draft202012Validator.check_schema(report_schema())


def test_the_schema_refuses_what_is_no_report(even: Report) -> None:
    value = even.to_json()
    for broken in (value | {"format": "other"}, value | {"more": 1}, {k: v for k, v in value.items() if k != "about"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, report_schema())


def test_the_same_game_gives_the_same_report() -> None:
    one, other = (report_of((55, 60), {"hit_points": 1}) for _ in range(2))
    assert json.dumps(one.to_json()) == json.dumps(other.to_json())


def test_progress_is_told_part_by_part() -> None:
    told: list[tuple[str, int, int]] = []
    game = make_game("hogwarts", {"hit_points": 1})
    settings = ReportSettings(**QUICK)
    build_report(game, Context.sheets_of(game, (60, 60)), settings, lambda *step: told.append(step))
    labels = [label for label, _ in itertools.groupby(told, key=lambda step: step[0])]
    assert labels == ["headline", "spells", "strategies", "blind", "comebacks", "sensitivity", "openings", "readings"]
    for _, steps in itertools.groupby(told, key=lambda step: step[0]):
        counts = [(done, total) for _, done, total in steps]
        assert counts == sorted(counts)
        assert counts[-1][0] == counts[-1][1]


def test_drawn_skills_and_other_rules_are_refused() -> None:
    game, setup = make_game_and_setup("hogwarts", {"skills": ((20, 95), 60)})
    with pytest.raises(ConfigError, match=r"skills 20\.\.95, 60\.\.60: a report is about two fixed skills"):
        sheets_of(game, setup)
    game, setup = make_game_and_setup("hogwarts", {"skills": (70, 60), "first_caster": 1})
    assert sheets_of(game, setup)["skill"].tolist() == [70, 60]
    with pytest.raises(ConfigError, match="sheets"):
        build_report(game, np.zeros(2))


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="rise from 0 to 1"):
        ReportSettings(loss_bins=(0.0, 0.5, 0.5, 1.0))
    with pytest.raises(ValueError, match="grid_step"):
        ReportSettings(grid_step=0)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_settings_are_finite(number: float) -> None:
    # What is no number in JSON would end up in report.json.
    for line in ({"warn": number, "fail": 1.0}, {"warn": 1.0, "fail": number}):
        with pytest.raises(ValueError, match="finite"):
            Limits(**line)
    for settings in ({"tie": number}, {"close": number}, {"temperatures": (number,)}, {"readings_flip": number}):
        with pytest.raises(ValueError, match=next(iter(settings))):
            ReportSettings(**settings)


def test_opponents_and_temperatures_are_there_once() -> None:
    for settings in ({"opponents": ("random", "random")}, {"temperatures": (0.1, 0.2, 0.1)}):
        with pytest.raises(ValueError, match="more than once"):
            ReportSettings(**settings)


def test_an_opponent_that_nobody_knows_is_no_opponent() -> None:
    with pytest.raises(ConfigError, match=r"opponents: unknown agent randon; expected .*random, "):
        headline(context_of((60, 60), {"hit_points": 1}, opponents=("random", "randon")), silent)
    hidden = {"hit_points": 1, "observe_opponent_skill": False}
    found = headline(context_of((60, 60), hidden, opponents=("random", "optimal"), temperatures=(0.1,)), silent)
    assert [each.opponent for each in found.skill] == ["random"]  # `optimal` needs to see both skills


@pytest.mark.parametrize("temperature", [5e-324, 1e-300, 1e300])
def test_any_temperature_has_its_play(temperature: float) -> None:
    context = context_of((60, 60), {"hit_points": 1})
    policy = context.quantal_policy(temperature)
    assert np.allclose(policy.sum(axis=1), 1.0)
    is_cold = temperature < 1.0
    expected = context.losses == 0.0 if is_cold else context.model.legal
    assert np.array_equal(policy > 0.0, expected)


# ---- tables -------------------------------------------------------------------------------------------------------------------


def read_table(report: Report, name: str) -> list[dict[str, str]]:
    table = next(table for table in tables(report) if table.name == name)
    return list(csv.DictReader(StringIO(table.to_csv())))


def test_tables_hold_the_figures(report: Report) -> None:
    names = [table.name for table in tables(report)]
    assert len(set(names)) == len(names)
    for table in tables(report):
        assert all(len(row) == len(table.columns) for row in table.rows)
    rounds = [float(row["probability"]) for row in read_table(report, "rounds") if row["begins"] == "any"]
    assert tuple(rounds) == report.headline.length.distribution
    casts = {
        row["action"]: row["value"] for row in read_table(report, "spells") if (row["figure"], row["player"]) == ("casts", "any")
    }
    assert {name: float(value) for name, value in casts.items()} == {s.spell: s.casts for s in report.spells.spells}
    heat = read_table(report, "heat")
    assert sum(float(row["casts"]) for row in heat) == pytest.approx(report.spells.all_casts)
    assert {row["player"] for row in heat} == ({"any"} if report.about.equal_players else {"0", "1"})
    assert len(read_table(report, "opening_map")) == 9
    assert len(read_table(report, "reading_map")) == 9 * 6
    assert len(read_table(report, "verdicts")) == len(report.verdicts)
    missing = [row for row in read_table(report, "leads") if row["score"] == ""]
    assert len(missing) == sum(each.score is None for play in report.comebacks for each in play.by_difference)
