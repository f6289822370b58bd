"""Turn-based stochastic games on plain arrays: value iteration, optimal strategies, and bounds that certify both.

A game is a graph. At a MAX node player 0 picks an edge, at a MIN node player 1, at an AVERAGE node chance does (a die, or a player
whose policy is fixed), and an ENDED node pays player 0 a payoff. Play that never ends pays 0, a draw.

    offsets   int32 (N + 1,): node n has the edges offsets[n] .. offsets[n + 1] - 1
    targets   int32 (E,): where an edge leads
    weights   float64 (E,): probability of an edge of an AVERAGE node; 1.0 for a player's; an edge of weight 0.0 is not there
    roles     int8 (N,)
    blocks    int32 (M + 1,): nodes are numbered so that those of a strongly connected component follow each other, and no edge
              leads from a block to a later one

Bounds. Fix one player's strategy. What the other can reach then is an MDP, in which a vector L with L <= T L (T: one step of
look-ahead) is a lower bound of its value, provided that L <= 0 wherever the other can stay for ever (on the end components): along
any play L is a submartingale, and what remains of it in the limit is at most the 0 that endless play pays. `certify` finds such
an L, and checks it with room for the rounding of floating-point sums. So a bound does not rest on how the values were found.

Sources: value iteration does not bound its error by itself: Kelmendi, Kramer, Kretinsky, Weininger, CAV 2018. End components:
de Alfaro, Formal Verification of Probabilistic Systems, 1997.
"""

import numpy as np

from duel_env.rules.jit import kernel

MAX, MIN, AVERAGE, ENDED = range(4)
"""Roles of nodes."""

TIE = 1e-11
"""Actions whose values differ by less count as equally good."""
SLACK = 2.0**-46
"""By so much a certified bound gets worse at each step; half of it is room for rounding, enough for sums of 50 terms."""


@kernel
def _look_ahead(node, offsets, targets, weights, roles, values):
    """One step of look-ahead from a node that is not ENDED."""
    role = roles[node]
    if role == AVERAGE:
        total = 0.0
        for edge in range(offsets[node], offsets[node + 1]):
            total += weights[edge] * values[targets[edge]]
        return total
    best = -2.0
    for edge in range(offsets[node], offsets[node + 1]):
        if weights[edge] > 0.0:
            after = values[targets[edge]]
            if role == MIN:
                after = -after
            best = max(best, after)
    return -best if role == MIN else best


@kernel
def iterate_values(offsets, targets, weights, roles, blocks, values, tolerance, max_sweeps):
    """Gauss-Seidel value iteration, one block after the other; `values` holds the payoffs of ENDED nodes, and a start elsewhere.

    Returns:
        whether every block came to rest: no value changed by more than `tolerance` in its last sweep.
    """
    at_rest = True
    for block in range(blocks.shape[0] - 1):
        sweep = 0
        while True:
            change = 0.0
            for node in range(blocks[block], blocks[block + 1]):
                if roles[node] == ENDED:
                    continue
                value = _look_ahead(node, offsets, targets, weights, roles, values)
                change = max(change, abs(value - values[node]))
                values[node] = value
            if change <= tolerance:
                break
            sweep += 1
            if sweep >= max_sweeps:
                at_rest = False
                break
    return at_rest


@kernel
def _is_best(edge, node, weights, targets, roles, values):
    """Whether an edge is one of a player's best, up to `TIE`, where `values[node]` is the value of the node."""
    if weights[edge] <= 0.0:
        return False
    if roles[node] == MAX:
        return values[targets[edge]] >= values[node] - TIE
    return values[targets[edge]] <= values[node] + TIE


@kernel
def _joins(node, player, offsets, targets, weights, roles, values, settled, chosen):
    """Whether `player` makes progress from a node; picks the edge if the player chooses there."""
    role = roles[node]
    all_settled = True
    for edge in range(offsets[node], offsets[node + 1]):
        is_settled = settled[targets[edge]] != 0
        if role == AVERAGE:
            if weights[edge] > 0.0 and is_settled:
                return True
        elif _is_best(edge, node, weights, targets, roles, values):
            if role == player and is_settled:
                chosen[node] = edge
                return True
            all_settled = all_settled and is_settled
    return role != AVERAGE and role != player and all_settled


@kernel
def choose_edges(offsets, targets, weights, roles, values, settled, chosen):
    """Write an optimal strategy of both players: `chosen` int32 (N,), an edge for each MAX and MIN node.

    An edge to the best value is not enough: who only stays at a value of 0.9 draws in the end. Where the value is good for a player
    the edge is therefore chosen on a path out; where it is not, endless play does no harm. Among equals the first counts.

    Args:
        settled: int8 (N,), scratch.
    """
    for player in range(2):
        sign = 1.0 if player == MAX else -1.0
        for node in range(roles.shape[0]):
            settled[node] = roles[node] == ENDED or sign * values[node] <= TIE
            if roles[node] == player:
                for edge in range(offsets[node], offsets[node + 1]):
                    if _is_best(edge, node, weights, targets, roles, values):
                        chosen[node] = edge
                        break
        changed = True
        while changed:
            changed = False
            for node in range(roles.shape[0]):
                if settled[node] == 0 and _joins(node, player, offsets, targets, weights, roles, values, settled, chosen):
                    settled[node] = 1
                    changed = True


# ---- components ---------------------------------------------------------------------------------------------------------------


@kernel
def _is_there(edge, node, weights, roles, keeper, chosen):
    """Whether an edge can be taken when `keeper` sticks to the chosen edges."""
    if roles[node] == keeper:
        return chosen[node] == edge
    return weights[edge] > 0.0


@kernel
def _close_component(root, component, stack, stack_size, position, order, emitted):
    """Move the nodes above and at `root` from the stack to `order`; returns how many remain on it."""
    while True:
        stack_size -= 1
        member = stack[stack_size]
        position[member] = -1 - component
        order[emitted] = member
        emitted += 1
        if member == root:
            return stack_size


@kernel
def connected_components(offsets, targets, weights, roles, keeper, chosen, group, order, scratch):
    """Strongly connected components within each group, by Tarjan's algorithm without recursion.

    Args:
        keeper: a player who sticks to `chosen`; -1: nobody does.
        group: int32 (N,); edges between groups are not followed, nodes of a negative group are left out. Overwritten by the number
            of the component, -1 for nodes left out.
        order: int32 (N,), overwritten: nodes by component; no edge leads from one to a later one.
        scratch: int32 (6, N); the last row is overwritten by the time at which the search left each node.

    Returns:
        number of components
    """
    index, low, stack, path, position, finished = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4], scratch[5]
    index[:] = -1
    component = np.int32(0)
    numbered, left, emitted, stack_size, depth = 0, 0, 0, 0, 0
    for root in range(roles.shape[0]):
        if group[root] < 0 or index[root] >= 0:
            continue
        entered = root
        while True:
            if entered >= 0:
                path[depth], stack[stack_size] = entered, entered
                index[entered], low[entered], position[entered] = numbered, numbered, offsets[entered]
                numbered, depth, stack_size = numbered + 1, depth + 1, stack_size + 1
                entered = -1
            node = path[depth - 1]
            if position[node] < offsets[node + 1]:
                edge = position[node]
                position[node] += 1
                target = targets[edge]
                if group[target] == group[node] and _is_there(edge, node, weights, roles, keeper, chosen):
                    if index[target] < 0:
                        entered = target
                    elif position[target] >= 0:  # on the stack
                        low[node] = min(low[node], index[target])
                continue
            depth, finished[node], left = depth - 1, left, left + 1
            if low[node] == index[node]:
                remaining = _close_component(node, component, stack, stack_size, position, order, emitted)
                emitted, stack_size, component = emitted + stack_size - remaining, remaining, component + 1
            if depth == 0:
                break
            low[path[depth - 1]] = min(low[path[depth - 1]], low[node])
    for node in range(roles.shape[0]):
        group[node] = -1 if group[node] < 0 else -1 - position[node]
    return component


@kernel
def _can_stay(node, offsets, targets, weights, roles, keeper, chosen, group):
    """Whether play at a node can be kept within its group for one step, whatever the dice show."""
    if roles[node] == ENDED:
        return False
    stays = False
    for edge in range(offsets[node], offsets[node + 1]):
        if not _is_there(edge, node, weights, roles, keeper, chosen):
            continue
        inside = group[targets[edge]] == group[node]
        if roles[node] == AVERAGE and not inside:
            return False
        stays = stays or inside
    return stays


@kernel
def find_end_components(offsets, targets, weights, roles, blocks, keeper, chosen, group, order, scratch):
    """Maximal end components when `keeper` sticks to `chosen`: where the other player can stay for ever.

    Args:
        group: int32 (N,), overwritten: number of the end component, -1 outside.
        order: int32 (N,), overwritten.
        scratch: int32 (6, N).

    Returns:
        how many nodes are in one; `order` holds them.
    """
    for block in range(blocks.shape[0] - 1):
        group[blocks[block] : blocks[block + 1]] = block
    components, before = -1, -1
    while True:
        remaining = 0
        changed = True
        while changed:
            changed = False
            remaining = 0
            for node in range(roles.shape[0]):
                if group[node] < 0:
                    continue
                if _can_stay(node, offsets, targets, weights, roles, keeper, chosen, group):
                    remaining += 1
                else:
                    group[node] = -1
                    changed = True
        if remaining == 0:
            return 0
        previous = components
        components = connected_components(offsets, targets, weights, roles, keeper, chosen, group, order, scratch)
        if remaining == before and components == previous:  # no node has left, no component has split
            return remaining
        before = remaining


# ---- bounds -------------------------------------------------------------------------------------------------------------------


@kernel
def _best_way_out(first, last, sign, offsets, targets, weights, roles, keeper, group, order, bound):
    """Value of an end component for the player who can stay in it: 0 for staying, or the best edge out."""
    best = 0.0
    for place in range(first, last):
        node = order[place]
        if roles[node] == AVERAGE or roles[node] == keeper:
            continue
        for edge in range(offsets[node], offsets[node + 1]):
            if weights[edge] > 0.0 and group[targets[edge]] != group[node]:
                best = min(best, sign * bound[targets[edge]])
    return best


@kernel
def _improve_block(start, stop, sign, offsets, targets, weights, roles, keeper, chosen, group, order, first, last, bound):
    """One sweep of look-ahead, made worse by `SLACK` at each node; returns the greatest change."""
    change = 0.0
    for node in range(start, stop):
        number = group[node]
        if roles[node] == ENDED or (number >= 0 and order[first[number]] != node):
            continue
        if number >= 0:  # once for the whole component, at its first node
            value = _best_way_out(
                first[number], last[number], sign, offsets, targets, weights, roles, keeper, group, order, bound
            )
        elif roles[node] == keeper:
            value = sign * bound[targets[chosen[node]]]
        else:
            value = sign * _look_ahead(node, offsets, targets, weights, roles, bound)
        value = sign * (value - SLACK)
        change = max(change, abs(value - bound[node]))
        bound[node] = value
        if number >= 0:
            for place in range(first[number], last[number]):
                bound[order[place]] = value
    return change


@kernel
def certify(offsets, targets, weights, roles, blocks, keeper, chosen, group, order, scratch, bound, max_sweeps):
    """Turn `bound`, near the value, into a bound of what `keeper` is sure of with the strategy `chosen`.

    It is a lower bound of the value of the game if `keeper` is MAX, an upper one if it is MIN.

    Args:
        group, order, scratch: int32 (N,), (N,), (6, N); overwritten.
        bound: float64 (N,), payoffs at ENDED nodes, any values elsewhere; overwritten.
        max_sweeps: of a block.

    Returns:
        whether the bound holds; it does not if a block needs more sweeps than `max_sweeps`.
    """
    inside = find_end_components(offsets, targets, weights, roles, blocks, keeper, chosen, group, order, scratch)
    sign = 1.0 if keeper == MAX else -1.0
    first, last = scratch[0], scratch[1]  # by component: its place in `order`
    for place in range(inside):
        number = group[order[place]]
        if place == 0 or group[order[place - 1]] != number:
            first[number] = place
        last[number] = place + 1
    for block in range(blocks.shape[0] - 1):
        start, stop = blocks[block], blocks[block + 1]
        sweep = 0
        # At rest L = T(L) - SLACK up to half of SLACK, so that L <= T(L) holds with room for rounding.
        while (
            _improve_block(start, stop, sign, offsets, targets, weights, roles, keeper, chosen, group, order, first, last, bound)
            > 0.5 * SLACK
        ):
            sweep += 1
            if sweep >= max_sweeps:
                return False
    return True
