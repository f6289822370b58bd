"""Intervals: against SciPy's own, their coverage, and their ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duel_env.errors import ConfigError
from evaluation.intervals import mean_interval, wilson


@given(trials=st.integers(1, 5000), share=st.floats(0.0, 1.0), confidence=st.sampled_from([0.8, 0.95, 0.999]))
def test_wilson_is_that_of_scipy(trials: int, share: float, confidence: float) -> None:
    from scipy.stats import binomtest

    successes = round(share * trials)
    expected = binomtest(successes, trials).proportion_ci(confidence, "wilson")
    found = wilson(successes, trials, confidence)
    assert found == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert 0.0 <= found.low <= successes / trials <= found.high <= 1.0


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=2, max_size=60))
def test_the_interval_of_a_mean_is_that_of_scipy(means: list[float]) -> None:
    from scipy import stats

    found = mean_interval(means)
    assert 0.0 <= found.low <= np.mean(means) + 1e-12
    assert np.mean(means) - 1e-12 <= found.high <= 1.0
    if len(set(means)) > 1:
        expected = stats.t.interval(0.95, len(means) - 1, loc=np.mean(means), scale=stats.sem(means))
        assert found == pytest.approx(np.clip(expected, 0.0, 1.0), abs=1e-9)


def test_intervals_contain_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(8)
    truth, repeats = 0.7, 2_000
    blocks = rng.binomial(2, truth, (repeats, 200)) / 2
    hits = sum(low <= truth <= high for low, high in (mean_interval(row) for row in blocks))
    # 95 % of 2,000, give or take five standard deviations of 9.7.
    assert abs(hits - 1900) < 50
    hits = sum(low <= truth <= high for low, high in (wilson(int(n), 400) for n in rng.binomial(400, truth, repeats)))
    assert abs(hits - 1900) < 50


def test_without_spread_the_interval_still_has_a_length() -> None:
    assert mean_interval([1.0] * 50) == wilson(50, 50)
    assert mean_interval([0.0] * 50) == wilson(0, 50)
    low, high = mean_interval([0.5] * 50)
    assert low < 0.5 < high
    assert mean_interval([0.3]).low < 0.3 < mean_interval([0.3]).high


def test_nothing_is_known_without_data() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert mean_interval([]) == (0.0, 1.0)


@pytest.mark.parametrize(
    "call", [lambda: wilson(3, 2), lambda: wilson(-1, 2), lambda: wilson(1, 2, 1.0), lambda: mean_interval([1.5])]
)
def test_impossible_numbers_are_refused(call: object) -> None:
    with pytest.raises(ConfigError, match="expected"):
        call()  # type: ignore[operator]


def test_a_mean_that_is_no_number_is_refused() -> None:
    with pytest.raises(ConfigError):
        mean_interval([0.5, float("nan")])
