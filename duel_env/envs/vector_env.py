"""Many duels for many learners at once: the native Gymnasium vector environment."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from duel_env.batch import Autoreset, IllegalAction
from duel_env.envs.spaces import action_space, observation_space
from duel_env.errors import ConfigError, UsageError
from duel_env.game import Engine, make_game_and_setup
from duel_env.learner import LearnerBatch, Seat
from duel_env.opponents import RANDOM
from duel_env.seeds import check_seeds

_AUTORESET: dict[AutoresetMode, Autoreset] = {
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.DISABLED: "disabled",
}


class DuelVectorEnv(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """N duels in arrays, without a loop over Python environments. Row i seeded with s plays as `DuelEnv` seeded with s, bit for bit.

    * `infos["action_mask"]`: int8 (N, A), the mask of the observation that is returned. After an end, before the next duel begins, every
      entry is 1, since the action will be ignored. `infos["seat"]`: int8 (N,). `infos["disqualified"]`: bool (N,), of the last step.
      As everywhere in Gymnasium, `infos["_key"]` (bool) marks the rows in which a key has a value.
    * Autoreset, as Gymnasium defines it: `NEXT_STEP` (default), `SAME_STEP` (`infos["final_obs"]`, `infos["final_info"]`), or `DISABLED`
      (`reset(options={"reset_mask": bool (N,)})`; a step in a row whose duel is over is an error).
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012  (as the base class has it)

    def __init__(
        self,
        num_envs: int = 1,
        ruleset: str = "hogwarts",
        *,
        opponent: Any = RANDOM,
        seat: Seat = "random",
        illegal_action: IllegalAction = "forfeit",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        engine: Engine = "auto",
        num_threads: int = 1,
        render_mode: None = None,
        **settings: Any,
    ) -> None:
        """Make an environment.

        Args:
            num_envs: N.
            ruleset, opponent, seat, illegal_action, engine, **settings: as in `DuelEnv`.
            autoreset_mode: NEXT_STEP, SAME_STEP or DISABLED.
            num_threads: more than 1 spreads 8,192 rows and more over Numba's threads.
            render_mode: None; single environments can be looked at.

        Raises:
            ConfigError: a setting that is not accepted.
        """
        if render_mode is not None:
            raise ConfigError("the vector environment does not render: use gymnasium.make for a duel to look at")
        try:
            mode = AutoresetMode(autoreset_mode)
        except ValueError as error:
            accepted = ", ".join(repr(member.value) for member in AutoresetMode)
            raise ConfigError(
                f"autoreset_mode = {autoreset_mode!r}: expected a gymnasium AutoresetMode, or {accepted}"
            ) from error
        self.game, setup = make_game_and_setup(ruleset, settings)
        self._learner = LearnerBatch(
            self.game,
            num_envs,
            setup,
            opponent=opponent,
            seat=seat,
            autoreset=_AUTORESET[mode],
            illegal_action=illegal_action,
            engine=engine,
            num_threads=num_threads,
        )
        self.num_envs = num_envs = self._learner.batch.num_envs
        self.metadata = self.metadata | {"autoreset_mode": mode}
        self._mode = mode
        self.single_observation_space = observation_space(self.game)
        self.single_action_space = action_space(self.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._everywhere = np.ones(num_envs, np.bool_)
        self._seeded = False

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin duels.

        Args:
            seed: an integer s seeds row i with s + i; a list gives each row its own; None goes on with the next duel of each row.
            options: `reset_mask`, bool (N,): only these rows are seeded and begin anew.

        Returns:
            observations (N, D) and infos.
        """
        rows = self._reset_mask(options)
        seeds: list[int] | None = None
        if isinstance(seed, list | tuple):
            seeds = check_seeds([self._any_seed() if item is None else item for item in seed], self.num_envs)
        elif seed is not None:
            seeds = check_seeds(seed, self.num_envs)
        elif not self._seeded:
            seeds = check_seeds(self._any_seed(), self.num_envs)
        if seed is not None and seeds is not None:
            super().reset(seed=seeds[0])
        self._learner.reset(seeds, rows)
        self._seeded = True
        return self._learner.observation.copy(), self._infos()

    def _any_seed(self) -> int:
        return int(self.np_random.integers(2**63))

    def _reset_mask(self, options: dict[str, Any] | None) -> NDArray[np.bool_] | None:
        if not options or "reset_mask" not in options:
            return None
        mask = np.asarray(options["reset_mask"])
        if mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
            raise ConfigError(f"reset_mask: expected bool ({self.num_envs},) with at least one True")
        return mask

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One decision of each learner.

        Args:
            actions: integers (N,).

        Returns:
            observations float32 (N, D), rewards float64 (N,), terminations and truncations bool (N,), infos.

        Raises:
            InvalidActionError: not N integers.
            IllegalActionError: with `illegal_action="raise"`; nothing is played then.
            UsageError: with DISABLED, a row whose duel is over; before the first reset.
        """
        learner = self._learner
        if not self._seeded:
            raise UsageError("no duel is under way: call reset first")
        if self._mode is AutoresetMode.DISABLED and learner.batch.is_over.any():
            over = np.flatnonzero(learner.batch.is_over)[:5].tolist()
            raise UsageError(f"the duels of rows {over} are over: reset them with options={{'reset_mask': ...}}")
        seats = learner.seat.copy() if self._mode is AutoresetMode.SAME_STEP else None
        ended = learner.step(actions)
        infos = self._infos()
        if seats is not None and ended:
            self._add_final(infos, seats)
        return (
            learner.observation.copy(),
            learner.reward.astype(np.float64),
            learner.terminated.copy(),
            learner.truncated.copy(),
            infos,
        )

    def _infos(self) -> dict[str, Any]:
        learner = self._learner
        return {
            "action_mask": learner.action_mask.copy(),
            "_action_mask": self._everywhere.copy(),
            "seat": learner.seat.copy(),
            "_seat": self._everywhere.copy(),
            "disqualified": learner.disqualified.copy(),
            "_disqualified": learner.terminated | learner.truncated,
        }

    def _add_final(self, infos: dict[str, Any], seats: NDArray[np.int8]) -> None:
        ended = self._learner.terminated | self._learner.truncated
        observations = self._learner.final_observation.copy()
        final = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(ended).tolist():
            final[i] = observations[i]
        infos["final_obs"], infos["_final_obs"] = final, ended
        infos["final_info"] = {
            "action_mask": np.repeat(ended.astype(np.int8)[:, None], self.game.num_actions, axis=1),
            "_action_mask": ended,
            "seat": seats,
            "_seat": ended,
            "disqualified": self._learner.disqualified & ended,
            "_disqualified": ended,
        }
        infos["_final_info"] = ended

    def action_masks(self) -> NDArray[np.int8]:
        """int8 (N, A): the masks of the current observations."""
        return self._learner.action_mask.copy()

    def render(self) -> None:
        """Nothing: see `render_mode`."""
        gym.logger.warn("the vector environment does not render")

    def close_extras(self, **kwargs: Any) -> None:
        """Nothing has to be closed."""
