"""Duels as a vector environment of Stable-Baselines3: one learner a row, all rows stepped in one call."""

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from duel_env.batch import IllegalAction
from duel_env.envs.spaces import action_space, observation_space
from duel_env.errors import ConfigError
from duel_env.game import Engine, Game
from duel_env.learner import LearnerBatch, Seat
from duel_env.opponents import RANDOM
from training.opponent_pool import OpponentPool, PoolBatch

Indices = None | int | Iterable[int]


class _NothingToSay(dict[str, Any]):
    """The info of every row in which no duel ended. It is shared, hence read-only; `copy` gives a plain dict."""

    def __setitem__(self, key: str, value: Any) -> NoReturn:
        raise TypeError(f"cannot set {key!r}: this info is shared by all rows in which no duel ended; change a copy")

    def setdefault(self, key: str, default: Any = None) -> NoReturn:
        self[key] = default

    def update(self, *_: Any, **__: Any) -> NoReturn:
        self["..."] = None


_NOTHING_TO_SAY = _NothingToSay()


class DuelSB3VecEnv(VecEnv):  # type: ignore[misc, unused-ignore]  # untyped where SB3 is not installed
    """N duels between a learner and opponents that play inside `step_wait`.

    It can be given to SB3's algorithms as it is. A row seeded with s plays as the Gymnasium environment seeded with s.

    * Observations: float32 (N, D). Rewards: float32 (N,), the learner's, whichever seat it has: +1 won, -1 lost, else 0.
    * Masks: `action_masks()` and `env_method("action_masks")`, int8 (N, A), of the observations returned last. `MaskablePPO` asks
      for them by itself in training; give them to `predict(observation, action_masks=...)` too, which does not.
    * Resets at once: where a duel ended, the observation is the next duel's first, and `infos[i]` has `terminal_observation`
      (float32 (D,)), `TimeLimit.truncated` (the round limit ended it), `disqualified`, and `seat`, the learner's in that duel.
      The infos of all other rows are one shared, empty, read-only dict.

    Attributes:
        game: the rules.
        learner: the duels.
    """

    def __init__(
        self,
        game: Game,
        setup: NDArray[np.void] | None = None,
        num_envs: int = 256,
        *,
        opponent: Any = RANDOM,
        seat: Seat = "random",
        illegal_action: IllegalAction = "forfeit",
        engine: Engine = "auto",
        num_threads: int = 1,
    ) -> None:
        """Make the environment; `reset` begins the duels.

        Args:
            game: the rules.
            setup: SETUP (1,), from `game.setup`; the defaults of the ruleset if left out.
            num_envs: N.
            opponent: an `OpponentPool`, from which each duel draws its opponent, or what the Gymnasium environments accept: a name,
                or an object with `policy(observation, action_mask) -> probabilities`.
            seat: the learner is player 0 (`first`), player 1 (`second`), or either, drawn for each duel (`random`).
            illegal_action: `forfeit` or `raise`, as in `DuelBatch`.
            engine: as in `DuelBatch`.
            num_threads: as in `DuelBatch`.

        Raises:
            ConfigError: a setting that is not accepted.
        """
        self.game = game
        make = PoolBatch if isinstance(opponent, OpponentPool) else LearnerBatch
        self.learner: LearnerBatch = make(
            game,
            num_envs,
            setup,
            opponent=opponent,
            seat=seat,
            autoreset="same_step",
            illegal_action=illegal_action,
            engine=engine,
            num_threads=num_threads,
        )
        self.render_mode: str | None = None
        self.spec: Any = None
        super().__init__(num_envs, observation_space(game), action_space(game))
        self._actions: NDArray[np.int64] = np.zeros(num_envs, np.int64)
        self._has_begun = False

    # ---- playing --------------------------------------------------------------------------------------------------------------

    def reset(self) -> NDArray[np.float32]:
        """Begin new duels: with the seeds given to `seed` since the last reset; else with the next ones of those given before.

        Raises:
            ConfigError: options were set, which duels do not have: their set-up is fixed when the environment is made.
        """
        if any(self._options):
            raise ConfigError("options of reset are not supported: give the set-up to DuelSB3VecEnv")
        if self._seeds[0] is not None:
            self.learner.reset(self._seeds)
        elif not self._has_begun:
            self.learner.reset(int(np.random.SeedSequence().generate_state(1)[0]))
        else:
            self.learner.reset()
        self._has_begun = True
        self._reset_seeds()
        self.reset_infos = [{"seat": seat} for seat in self.learner.seat.tolist()]
        return self.learner.observation.copy()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the learners' actions (N,), to be played by `step_wait`."""
        self._actions = self.learner.batch.check_actions(actions)

    def step_wait(
        self,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play one decision of each learner, and the opponents' until the learners are to choose again.

        Returns:
            observations, rewards, dones and infos; see the class.
        """
        learner = self.learner
        seats = learner.seat.copy()  # of the duels that are under way: the next ones may have others
        learner.step_checked(self._actions)
        dones = learner.terminated | learner.truncated
        infos: list[dict[str, Any]] = [_NOTHING_TO_SAY] * self.num_envs
        ended = np.flatnonzero(dones)
        columns = (array[ended].tolist() for array in (learner.truncated, learner.disqualified, seats))
        for row, last, truncated, disqualified, seat in zip(
            ended.tolist(), learner.final_observation[ended], *columns, strict=True
        ):
            infos[row] = {
                "terminal_observation": last,
                "TimeLimit.truncated": truncated,
                "disqualified": disqualified,
                "seat": seat,
            }
        return learner.observation.copy(), learner.reward.copy(), dones, infos

    def action_masks(self) -> NDArray[np.int8]:
        """The masks of the observations returned last: int8 (N, A), 1 = legal, as in every other interface."""
        return self.learner.action_mask.copy()

    def close(self) -> None:
        """Nothing has to be closed."""

    # ---- the rest of SB3's interface ------------------------------------------------------------------------------------------

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """The attribute, once for each row asked for; rows have no attributes of their own.

        Raises:
            AttributeError: there is none of that name.
        """
        value = getattr(self, attr_name)
        return [value] * len(self._rows(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute for all rows.

        Raises:
            ConfigError: only some rows were meant.
        """
        if len(self._rows(indices)) != self.num_envs:
            raise ConfigError(f"set_attr({attr_name!r}): attributes belong to all rows; leave out the indices")
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any) -> Any:
        """Call a method of this object once.

        Returns:
            for `action_masks`: the masks (n, A) of the rows asked for, as one array; else the result, once for each of them.
        """
        result = getattr(self, method_name)(*method_args, **method_kwargs)
        rows = self._rows(indices)
        return result[rows] if method_name == "action_masks" else [result] * len(rows)

    def env_is_wrapped(self, wrapper_class: type[gym.Wrapper[Any, Any, Any, Any]], indices: Indices = None) -> list[bool]:
        """False for each row asked for."""
        return [False] * len(self._rows(indices))

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """None for each row: there is nothing to see."""
        return [None] * self.num_envs

    def _rows(self, indices: Indices) -> NDArray[np.int64]:
        every = np.arange(self.num_envs)
        if indices is None:
            return every
        return every[[indices] if isinstance(indices, int) else list(indices)]
