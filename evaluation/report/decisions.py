"""How rich decisions are: whether there is one, how close the best actions are, what errors cost."""

import numpy as np
from numpy.typing import NDArray

from evaluation.report.context import Context, ratio
from evaluation.report.figures import DecisionFigures, DecisionsFigures, KindsOfDecisions, QuantalFigures, Role


def decisions(context: Context) -> DecisionsFigures:
    """The fourth part of the report."""
    return DecisionsFigures(
        all=_decisions(context, None), first=_decisions(context, Role.FIRST), answer=_decisions(context, Role.ANSWER)
    )


def num_close(context: Context) -> NDArray[np.int64]:
    """How many actions are within `close` of the best at each node at which a player chooses, the best included, int64 (P,)."""
    slack = context.settings.close + context.settings.tie
    count: NDArray[np.int64] = (np.nan_to_num(context.losses, nan=np.inf) <= slack).sum(axis=1)
    return count


def _decisions(context: Context, role: Role | None) -> DecisionFigures:
    mine = np.ones(context.model.num_player, np.bool_)
    if role is not None:
        mine = context.is_answer == (role is Role.ANSWER)
    met = context.decision_visits * mine
    states = (context.reachable[: len(mine)] & mine).astype(np.float64)
    real, has_two = context.is_real, num_close(context) >= 2
    real_met = float(met[real].sum())
    weights = met * real
    legal = context.model.legal
    losses = np.nan_to_num(context.losses)  # 0 where illegal
    mean_loss = losses.sum(axis=1) / legal.sum(axis=1)
    second = np.sort(np.where(legal, losses, np.inf), axis=1)[:, min(1, legal.shape[1] - 1)]

    def averaged(numbers: NDArray[np.float64]) -> float | None:
        return ratio(float(weights[real] @ numbers[real]), real_met)

    return DecisionFigures(
        role=role,
        decisions=float(met.sum()),
        states=int(states.sum()),
        kinds=_kinds(context, met, has_two),
        kinds_of_states=_kinds(context, states, has_two),
        real_share=ratio(real_met, float(met.sum())),
        two_close_share=ratio(float(weights[has_two].sum()), real_met),
        two_close_states=ratio(float((states * real)[has_two].sum()), float((states * real).sum())),
        mean_gap=averaged(second),
        mean_loss_random=averaged(mean_loss),
        mean_loss_worst=averaged(losses.max(axis=1)),
        loss_bins=context.settings.loss_bins,
        loss_shares=_histogram(context, weights),
        quantal=tuple(
            QuantalFigures(temperature=temperature, effective_options=averaged(_effective_options(context, temperature)))
            for temperature in context.settings.temperatures
        ),
    )


def _kinds(context: Context, weights: NDArray[np.float64], has_two: NDArray[np.bool_]) -> KindsOfDecisions | None:
    total = float(weights.sum())
    if total <= 0.0:
        return None
    forced, real = context.is_forced, context.is_real

    def share(which: NDArray[np.bool_]) -> float:
        return float(weights[which].sum()) / total

    return KindsOfDecisions(
        forced=share(forced), pointless=share(~forced & ~real), clear=share(real & ~has_two), close=share(real & has_two)
    )


def _histogram(context: Context, weights: NDArray[np.float64]) -> tuple[float, ...]:
    """Share of uniformly random actions by what they give away, at decisions weighted by `weights` (P,)."""
    total = float(weights.sum())
    if total <= 0.0:
        return ()
    legal = context.model.legal
    each = (weights / legal.sum(axis=1))[:, None] * legal
    losses = np.where(context.is_best, 0.0, context.losses)  # ties count as 0
    shares, _ = np.histogram(losses[legal], bins=np.array(context.settings.loss_bins), weights=each[legal])
    return tuple((shares / total).tolist())


def _effective_options(context: Context, temperature: float) -> NDArray[np.float64]:
    """exp(entropy) of quantal play at each node, float64 (P,)."""
    policy = context.quantal_policy(temperature)
    logs = np.log(np.where(policy > 0.0, policy, 1.0))
    effective: NDArray[np.float64] = np.exp(-(policy * logs).sum(axis=1))
    return effective
