"""States that no play can tell apart, found once per rules, so that they are solved once.

Two nodes are merged if the same player chooses and the same merged nodes can be reached, if dice of the same kind lead to the same
merged nodes outcome by outcome, or if the same payoff ends the duel: a bisimulation. Merged nodes have the same value for all
sheets, since these only enter through the dice. The partition is refined by hashes and then checked edge by edge.
"""

import numpy as np
from numpy.typing import NDArray

from duel_env.rules.graph import NO_EDGE
from duel_env.rules.jit import kernel
from duel_env.rules.rng import mix


@kernel
def _refine(edges, is_choice, labels, refined):
    """One step: the new label of a node is a hash of its label and of those that its edges lead to."""
    for node in range(edges.shape[0]):
        total = np.uint64(0)
        for choice in range(edges.shape[1]):
            if edges[node, choice] < 0:
                continue
            reached = labels[edges[node, choice] >> 1]
            if not is_choice[node]:
                total += mix(reached ^ mix(np.uint64(choice + 1)))
                continue
            is_new = True
            for earlier in range(choice):
                if edges[node, earlier] >= 0 and labels[edges[node, earlier] >> 1] == reached:
                    is_new = False
                    break
            if is_new:
                total += mix(reached)
        refined[node] = mix(labels[node] ^ mix(total))


@kernel
def _reaches(edges, node, classes, wanted):
    """Whether an edge of a node leads to a class."""
    for choice in range(edges.shape[1]):  # noqa: SIM110  (a generator cannot be compiled)
        if edges[node, choice] >= 0 and classes[edges[node, choice] >> 1] == wanted:
            return True
    return False


@kernel
def _is_bisimulation(edges, is_choice, kinds, classes, representatives):
    """Whether each node does what the representative of its class does."""
    for node in range(edges.shape[0]):
        other = representatives[classes[node]]
        if kinds[node] != kinds[other]:
            return False
        for choice in range(edges.shape[1]):
            here, there = edges[node, choice], edges[other, choice]
            if is_choice[node]:
                if here >= 0 and not _reaches(edges, other, classes, classes[here >> 1]):
                    return False
                if there >= 0 and not _reaches(edges, node, classes, classes[there >> 1]):
                    return False
            elif (here >= 0) != (there >= 0) or (here >= 0 and classes[here >> 1] != classes[there >> 1]):
                return False
    return True


def merge_nodes(
    edges: NDArray[np.int32], is_choice: NDArray[np.bool_], kinds: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The coarsest partition that hashes find.

    Args:
        edges: int32 (N, W), as in a `StateGraph`.
        is_choice: bool (N,), whether the edges are choices of a player, of which it does not matter how they are numbered.
        kinds: int64 (N,); nodes of different kinds stay apart.

    Returns:
        class of each node, int32 (N,), and a node of each class, int32 (n,).
    """
    labels, refined = kinds.astype(np.uint64), np.zeros(len(edges), np.uint64)
    count = 0
    while True:
        _refine(edges, is_choice, labels, refined)
        labels, refined = refined, labels
        distinct = len(np.unique(labels))
        if distinct == count:
            break
        count = distinct
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    representatives, classes = first.astype(np.int32), inverse.astype(np.int32)
    if _is_bisimulation(edges, is_choice, kinds, classes, representatives):
        return classes, representatives
    everyone = np.arange(len(edges), dtype=np.int32)  # two hashes were equal by chance: merge nothing
    return everyone, everyone


def merged_edges(
    edges: NDArray[np.int32], is_choice: NDArray[np.bool_], classes: NDArray[np.int32], representatives: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Edges (n, W) between classes, numbered as `StateGraph.edges`; of a player's equal edges only the first is kept."""
    moved = edges[representatives]
    present = moved != NO_EDGE
    moved[present] = 2 * classes[moved[present] >> 1]  # merged nodes may differ in where a round begins
    for choice in range(1, moved.shape[1]):
        doubled = (moved[:, :choice] == moved[:, choice : choice + 1]).any(axis=1) & is_choice[representatives]
        moved[doubled, choice] = NO_EDGE
    return moved
