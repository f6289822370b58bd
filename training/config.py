"""What a training run is told: one TOML file, complete and readable alone, checked in full before anything starts."""

import hashlib
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from duel_env.config import Settings, load, read_toml
from duel_env.errors import ConfigError
from duel_env.game import Game, find_ruleset, make_game_and_setup
from duel_env.rules_file import read_rules
from training.toml_text import check_limits, parse_value, shortened

Algorithm = Literal["ppo", "maskable_ppo"]
Activation = Literal["tanh", "relu"]

_Positive = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
_NotNegative = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
_Share = Annotated[float, Field(ge=0.0, le=1.0)]
_Count = Annotated[int, Field(ge=1, le=10**9)]
_SkillPair = Annotated[tuple[int, int], Field(strict=False)]

MAX_BATCH = 2**24
"""Decisions of a batch: several gigabytes."""
MAX_ACTIVATIONS = 2**28
"""Rows that a network sees at once, times its hidden units: 1 GiB."""
MAX_WEIGHTS = 2**24
"""Weights between hidden layers: those of actor and critic fit into a policy file (`agents.network.MAX_BYTES`)."""
MAX_POOL_WEIGHTS = 2**28
"""The same, times the policies of a pool: 1 GiB."""

_MAX_KEY_PARTS = 8


class PPOConfig(Settings):
    """Proximal policy optimisation (Schulman et al. 2017), with linear schedules."""

    learning_rate: _Positive
    """Step size of Adam at the start; falls linearly to 0 at the end."""
    num_envs: Annotated[int, Field(ge=1, le=2**20)]
    """Duels played side by side, up to 1,048,576."""
    num_steps: Annotated[int, Field(ge=1, le=2**20)]
    """Decisions in each of them between two updates; a batch has `num_envs * num_steps`, up to 16,777,216."""
    epochs: Annotated[int, Field(ge=1, le=10_000)]
    """Passes over each batch."""
    minibatches: _Count
    """Gradient steps in each pass."""
    gamma: Annotated[float, Field(gt=0.0, le=1.0)]
    """Discount per decision; 1 for duels, whose only reward is the result."""
    gae_lambda: _Share
    """Weight of long against short returns in the advantages: 0 trusts the critic alone, 1 the result alone."""
    clip_coef: _Positive
    """How far the probability ratio may move from 1 before its gradient is cut."""
    value_coef: _Positive
    """Weight of the critic's loss; with networks of its own it acts through the clipping of the critic's gradient only."""
    max_grad_norm: _Positive
    """Gradients longer than this are shortened to it; for actor and critic separately with `algorithm = "ppo"`."""
    entropy_start: _NotNegative
    """Bonus on the policy's entropy (nats) at the start of the run."""
    entropy_end: _NotNegative
    """What it has fallen to at `entropy_end_at`; linear in between."""
    entropy_end_at: Annotated[float, Field(gt=0.0, le=1.0)]
    """Share of the run after which the bonus stays at `entropy_end`; 1.0: it falls to the end of the run."""
    normalize_advantages: bool
    """Whether each minibatch's advantages are brought to mean 0 and standard deviation 1."""
    skip_forced_moves: bool
    """Whether decisions with a single legal action stay out of the actor's minibatches; the critic learns from them anyway."""

    random_opening: Annotated[int, Field(ge=0, le=1_000)]
    """Every other duel begins with 0 to this many random moves, which nobody learns from; 0: none does."""

    @property
    def batch_size(self) -> int:
        """Decisions per update."""
        return self.num_envs * self.num_steps


class NetworkConfig(Settings):
    """Actor and critic: two networks of the same inner shape, no part shared."""

    hidden: tuple[Annotated[int, Field(ge=1, le=8_192)], ...] = Field(min_length=1, max_length=32, strict=False)
    """Units of each hidden layer, from the observation on: up to 32 layers of up to 8,192."""
    activation: Activation
    """What follows each hidden layer."""


class RunConfig(Settings):
    """What happens besides learning."""

    checkpoint_every: _Count
    """Updates between two checkpoints; one is also written at the end and when the run is interrupted."""
    evaluate_every: _Count
    """Updates between two evaluations; one also takes place at the end."""
    evaluation_duels: Annotated[int, Field(ge=4, le=10_000_000, multiple_of=4)]
    """Duels against each opponent at an evaluation, half of them in each seat, with the same dice every time; a multiple of 4."""
    opponents: tuple[str, ...] = Field(strict=False)
    """Agents to measure win rates against, as `duel` commands name them, such as "random" or "stupefy"."""
    exploitability_pairs: tuple[_SkillPair, ...] = Field(max_length=1_000, strict=False)
    """Skills of both duelists, for each pair of which exploitability is computed at each checkpoint; [] for rules that are too large."""
    threads: Literal[1, 2]
    """2: the critic learns in a thread of its own beside the actor. The results are the same, bit for bit."""

    @field_validator("exploitability_pairs")
    @classmethod
    def _each_once(cls, value: tuple[_SkillPair, ...]) -> tuple[_SkillPair, ...]:
        if len(set(value)) < len(value):
            raise ValueError("a pair of skills is there twice")
        return value


class SelfPlayConfig(Settings):
    """Opponents of a learner that plays one seat (`algorithm = "maskable_ppo"`)."""

    latest_share: _Share
    """Share of duels against the current policy; the others are against the pool."""
    pool_size: Annotated[int, Field(ge=1, le=10_000)]
    """Past policies that are kept; when there are more, the one whose loss leaves the ages best spaced goes."""
    snapshot_every: _Count
    """Updates between two additions to the pool."""
    refresh_every: _Count
    """Updates after which "the current policy" is copied anew for the opponents."""


class TrainConfig(Settings):
    """A training run."""

    seed: Annotated[int, Field(ge=0, lt=2**32)]
    """Decides everything that is random: first weights, dice, sampled actions, the order of minibatches."""
    ruleset: str
    """Which game."""
    algorithm: Algorithm
    """`ppo`: this package's, on the decisions of both seats; `maskable_ppo`: SB3-Contrib's, for one seat against a pool."""
    total_steps: Annotated[int, Field(ge=1, le=10**15)]
    """Decisions to learn from; the run ends with the last whole batch."""
    game: dict[str, Any]
    """Options of the rules and the set-up of the duels (`skills`, `first_caster`, ...)."""
    ppo: PPOConfig
    network: NetworkConfig
    run: RunConfig
    self_play: SelfPlayConfig | None = None
    """With `algorithm = "maskable_ppo"`, and only then."""

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        ppo = self.ppo
        self._check_sizes()
        if ppo.minibatches > ppo.batch_size:
            raise ValueError(f"{ppo.minibatches} minibatches of a batch of {ppo.batch_size} decisions leave some empty")
        if self.total_steps < ppo.batch_size:
            raise ValueError(f"total_steps is less than one batch: num_envs * num_steps = {ppo.batch_size}")
        if (self.algorithm == "maskable_ppo") != (self.self_play is not None):
            raise ValueError('the table [self_play] belongs to algorithm = "maskable_ppo", which needs it, and to no other')
        if self.algorithm == "maskable_ppo" and (ppo.skip_forced_moves or ppo.random_opening):
            raise ValueError(
                'algorithm = "maskable_ppo" cannot leave out decisions: skip_forced_moves = false, random_opening = 0'
            )
        return self

    def _check_sizes(self) -> None:
        """Refuse what would only end for want of memory, hours into the run perhaps."""
        ppo, hidden = self.ppo, self.network.hidden
        if ppo.batch_size > MAX_BATCH:
            raise ValueError(f"num_envs * num_steps = {ppo.batch_size:,}: at most {MAX_BATCH:,} decisions in a batch")
        rows = max(ppo.num_envs, -(-ppo.batch_size // ppo.minibatches))
        if rows * sum(hidden) > MAX_ACTIVATIONS:
            raise ValueError(
                f"{rows:,} decisions at once (num_envs, or a minibatch) with {sum(hidden):,} hidden units:"
                f" their product is at most {MAX_ACTIVATIONS:,}"
            )
        weights = sum(before * after for before, after in pairwise(hidden))
        if weights > MAX_WEIGHTS:
            raise ValueError(f"network.hidden means {weights:,} weights: at most {MAX_WEIGHTS:,}")
        if self.self_play is not None and (self.self_play.pool_size + 1) * (weights + sum(hidden)) > MAX_POOL_WEIGHTS:
            raise ValueError(f"a pool of {self.self_play.pool_size:,} such networks: at most {MAX_POOL_WEIGHTS:,} weights in all")

    @property
    def num_updates(self) -> int:
        """Updates of the whole run."""
        return self.total_steps // self.ppo.batch_size

    def make_game_and_setup(self) -> tuple[Game, NDArray[np.void]]:
        """The game and SETUP (1,).

        Raises:
            ConfigError: an option or set-up that the ruleset does not accept.
        """
        return make_game_and_setup(self.ruleset, self.game, "[game]")

    def setup_settings(self) -> Settings:
        """The set-up of the duels as the ruleset's settings, which matches are played with."""
        model = find_ruleset(self.ruleset).setup_model
        return load(model, {key: value for key, value in self.game.items() if key in model.model_fields}, "[game]")

    def to_dict(self) -> dict[str, Any]:
        """All settings as TOML values."""
        return self.model_dump(mode="json", exclude_none=True)

    @property
    def digest(self) -> str:
        """Names these settings: a hash of all of them."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()[:16]


def load_train_config(path: Path, overrides: Sequence[str] = (), rules: Path | None = None) -> TrainConfig:
    """Read and check a training file.

    Args:
        path: the file.
        overrides: texts like `ppo.learning_rate=1e-4`, with a TOML value or plain text. Later ones win.
        rules: a file of rules, see `duel_env.rules_file`. Its options become a part of the table [game]: the settings hold all of
            them, and do not depend on the file any more.

    Raises:
        ConfigError: every problem, with its key and what is accepted, those of the table [game] included; or an option that the
            table [game] and the file of rules give different values.
        SchemaError: as `read_rules`.
    """
    values = read_toml(path)
    check_limits(values, str(path))
    for override in overrides:
        _apply_override(values, override)
    config = load(TrainConfig, values, str(path))
    if rules is not None:
        config = config.model_copy(update={"game": _with_rules(config, rules)})
    try:
        config.make_game_and_setup()
    except ConfigError as error:
        spells = config.game.get("spells")
        if isinstance(spells, str) and spells in str(error):
            raise ConfigError(f"{error}; spells is a list of spells: a whole file of rules is given by --rules FILE") from error
        raise
    return config


def _with_rules(config: TrainConfig, rules: Path) -> dict[str, Any]:
    options = read_rules(rules, config.ruleset)
    check_limits(options, str(rules))
    for key, value in options.items():
        if key in config.game and config.game[key] != value:
            raise ConfigError(
                f"{key}: the table [game] has a value of its own, and {rules} another one: leave it out of one of them"
                f" (--set game.{key}=... counts as [game])"
            )
    return {**config.game, **options}


def _apply_override(values: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    parts = [part.strip() for part in key.split(".")]
    shown = shortened(override)
    if not equals or not text.strip() or not all(parts):
        raise ConfigError(f"--set {shown}: expected KEY=VALUE, such as ppo.learning_rate=1e-4")
    if len(parts) > _MAX_KEY_PARTS:
        raise ConfigError(f"--set {shown}: no setting lies deeper than {_MAX_KEY_PARTS} names")
    table = values
    for part in parts[:-1]:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise ConfigError(f"--set {shown}: {part} is a value, not a table")
    try:
        table[parts[-1]] = parse_value(text.strip())
    except ConfigError as error:
        raise ConfigError(f"--set {shortened(key.strip())} = {error}") from error


def differing_keys(first: dict[str, Any], second: dict[str, Any], prefix: str = "") -> list[str]:
    """Dotted keys whose values differ between two tables of settings, sorted; a missing key differs from any value."""
    found: list[str] = []
    for key in sorted(set(first) | set(second)):
        left, right = first.get(key), second.get(key)
        if isinstance(left, dict) and isinstance(right, dict):
            found += differing_keys(left, right, f"{prefix}{key}.")
        elif left != right:
            found.append(prefix + key)
    return found
