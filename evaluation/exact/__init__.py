"""Exact play: perfect values with certified bounds, best responses, and what any policy gives away."""

from evaluation.exact.exploitability import Exploitability, exploitability
from evaluation.exact.model import ExactModel, exact_model, require_enumerable
from evaluation.exact.policies import policy_table
from evaluation.exact.solution import FIRST, NO_ACTION, SECOND, Interval, Solution, solve
from evaluation.exact.truncated import solve_truncated

__all__ = [
    "FIRST",
    "NO_ACTION",
    "SECOND",
    "ExactModel",
    "Exploitability",
    "Interval",
    "Solution",
    "exact_model",
    "exploitability",
    "policy_table",
    "require_enumerable",
    "solve",
    "solve_truncated",
]
