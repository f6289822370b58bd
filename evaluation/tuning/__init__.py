"""Search for rules: what may change and what is wanted, exact figures of each candidate, the best ones found."""

from evaluation.tuning.figures import Figures, measure
from evaluation.tuning.search import Candidate, Progress, Search
from evaluation.tuning.settings import TuneConfig, load_tune_config
from evaluation.tuning.space import Space
from evaluation.tuning.wants import Check, Verdict, judge

__all__ = [
    "Candidate",
    "Check",
    "Figures",
    "Progress",
    "Search",
    "Space",
    "TuneConfig",
    "Verdict",
    "judge",
    "load_tune_config",
    "measure",
]
