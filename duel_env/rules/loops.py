"""Loops over rows of duels, written once for every ruleset and both stores; rules and randomness are in what they call.

Functions named `..._rows` treat the rows whose numbers are given; the others treat all rows of the store. Views are written in a
loop of their own, as actions are picked in one: the branches that dice make unpredictable then hold up nothing else.
"""

from numba import prange

from duel_env.rules import cup_store, kernel_store, table_store  # noqa: F401  (they register what the loops call)
from duel_env.rules.jit import inline_kernel, kernel, parallel_kernel
from duel_env.rules.rng import unit
from duel_env.rules.stores import (
    begin_row,
    clear_report,
    next_policy_bits,
    pick_legal,
    play_row,
    report_row,
    write_view,
)

NEXT_STEP, SAME_STEP, DISABLED = range(3)
"""What happens to a row whose duel is over: begun anew by the next step, by the same step, or by the caller."""


@kernel
def begin_rows(store, index):
    """Begin new episodes in rows `index` (int64)."""
    for k in range(index.shape[0]):
        store.rows[index[k]]["num_events"] = 0
        begin_row(store, index[k])
        clear_report(store, index[k])


@kernel
def play_rows(store, index, actions):
    """Play actions[k] in row index[k] (int64, int64), unless that duel is over."""
    for k in range(index.shape[0]):
        if store.rows[index[k]]["over"] == 0:
            play_row(store, index[k], actions[k])


@kernel
def begin_rows_keeping_reports(store, index):
    """As `begin_rows`, but the reports of the duels that ended stay readable."""
    for k in range(index.shape[0]):
        begin_row(store, index[k])


@kernel
def report_rows(store, index):
    """Write the reports of rows `index`."""
    for k in range(index.shape[0]):
        report_row(store, index[k])


@kernel
def view_rows(store, index, players):
    """Write what players[k] (int8) sees in row index[k] (int64)."""
    for k in range(index.shape[0]):
        write_view(store, index[k], players[k])


@kernel
def sample_rows(store, index, probabilities, actions):
    """Sample actions[k] (int64) from probabilities[k] (float64 (K, A)) with the random stream of row index[k]."""
    for k in range(index.shape[0]):
        left = unit(next_policy_bits(store, index[k]))
        actions[k] = -1
        for action in range(probabilities.shape[1]):
            if probabilities[k, action] > 0.0:
                actions[k] = action
                left -= probabilities[k, action]
                if left < 0.0:
                    break


@inline_kernel
def play_random_opponent(store, i):
    """Let uniformly random moves be made in row i until the learner is to choose or the duel is over."""
    row = store.rows[i]
    while row["over"] == 0 and row["current_player"] != row["seat"]:
        play_row(store, i, pick_legal(store, i, next_policy_bits(store, i)))


@kernel
def play_random_opponents(store, index):
    """Let a random opponent play in rows `index` until the learner is to choose or the duel is over."""
    for k in range(index.shape[0]):
        play_random_opponent(store, index[k])


@inline_kernel
def _view_learner(store, i):
    """The learner's view; where the duel is over every action is marked, since any will be ignored."""
    write_view(store, i, store.rows[i]["seat"])
    if store.rows[i]["over"] == 1:
        for action in range(store.action_mask.shape[1]):
            store.action_mask[i, action] = 1


@kernel
def view_learner_rows(store, index):
    """Write the learner's view of rows `index`."""
    for k in range(index.shape[0]):
        _view_learner(store, index[k])


@inline_kernel
def _count_ended(store):
    ended = 0
    for i in range(store.rows.shape[0]):
        ended += store.rows[i]["terminated"] + store.rows[i]["truncated"]
    return ended


@inline_kernel
def _learner_row(store, i, action, autoreset, final_observation):
    row = store.rows[i]
    row["num_events"] = 0
    if autoreset == NEXT_STEP and row["reported"] == 1:
        begin_row(store, i)
        clear_report(store, i)
        play_random_opponent(store, i)
    else:
        if row["over"] == 0:
            play_row(store, i, action)
            play_random_opponent(store, i)
        report_row(store, i)
        if autoreset == SAME_STEP and row["over"] == 1:
            write_view(store, i, row["seat"])
            for j in range(final_observation.shape[1]):
                final_observation[i, j] = store.observation[i, j]
            begin_row(store, i)
            play_random_opponent(store, i)
    return row["terminated"] + row["truncated"]


@kernel
def learner_step(store, actions, autoreset, final_observation):
    """One step of the learner in every row against a uniformly random opponent.

    Args:
        store: a store of B rows.
        actions: int64 (B,).
        autoreset: NEXT_STEP, SAME_STEP or DISABLED.
        final_observation: float32 (B, D), written where a duel ended, with SAME_STEP only.

    Returns:
        how many duels the step ended.

    Mutates:
        store, final_observation.
    """
    ended = 0
    for i in range(actions.shape[0]):
        ended += _learner_row(store, i, actions[i], autoreset, final_observation)
    for i in range(actions.shape[0]):
        _view_learner(store, i)
    return ended


@parallel_kernel
def learner_step_parallel(store, actions, autoreset, final_observation):
    """As `learner_step`, on several threads."""
    for i in prange(actions.shape[0]):
        _learner_row(store, i, actions[i], autoreset, final_observation)
    for i in prange(actions.shape[0]):
        _view_learner(store, i)
    return _count_ended(store)


@inline_kernel
def _duel_row(store, i, action, autoreset):
    row = store.rows[i]
    row["num_events"] = 0
    if autoreset == NEXT_STEP and row["reported"] == 1:
        begin_row(store, i)
        clear_report(store, i)
    else:
        if row["over"] == 0:
            play_row(store, i, action)
        report_row(store, i)
        if autoreset == SAME_STEP and row["over"] == 1:
            begin_row(store, i)
    return row["terminated"] + row["truncated"]


@inline_kernel
def _view_current(store, i):
    write_view(store, i, max(store.rows[i]["current_player"], 0))


@kernel
def duel_step(store, actions, autoreset):
    """One decision of whoever is to choose in every row; the view written is that of whoever chooses next.

    Args:
        store: a store of B rows.
        actions: int64 (B,).
        autoreset: NEXT_STEP, SAME_STEP or DISABLED.

    Returns:
        how many duels the step ended.

    Mutates:
        store.
    """
    ended = 0
    for i in range(actions.shape[0]):
        ended += _duel_row(store, i, actions[i], autoreset)
    for i in range(actions.shape[0]):
        _view_current(store, i)
    return ended


@parallel_kernel
def duel_step_parallel(store, actions, autoreset):
    """As `duel_step`, on several threads."""
    for i in prange(actions.shape[0]):
        _duel_row(store, i, actions[i], autoreset)
    for i in prange(actions.shape[0]):
        _view_current(store, i)
    return _count_ended(store)


@kernel
def random_play(store, actions, num_steps):
    """`num_steps` decisions in every row, uniform over the legal actions, with every view written; duels follow each other.

    Args:
        store: a store of B rows.
        actions: int64 (B,), overwritten.
        num_steps: decisions per row.

    Mutates:
        store, actions.
    """
    for _ in range(num_steps):
        for i in range(actions.shape[0]):
            actions[i] = pick_legal(store, i, next_policy_bits(store, i))
        for i in range(actions.shape[0]):
            _duel_row(store, i, actions[i], SAME_STEP)
        for i in range(actions.shape[0]):
            _view_current(store, i)
