"""One duel for one learner: the Gymnasium environment."""

from typing import Any, Final, Literal

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from duel_env.batch import IllegalAction, check_choice
from duel_env.duel import Duel
from duel_env.envs.spaces import action_space, check_action, observation_space
from duel_env.errors import ConfigError, UsageError
from duel_env.game import Engine, make_game_and_setup
from duel_env.learner import LearnerBatch, Seat
from duel_env.opponents import RANDOM
from duel_env.rules.stores import NOBODY
from duel_env.seeds import check_seed
from duel_env.story import Language, Narrator

NUM_EVENTS: Final = 64
"""Room for the events of one step: a step is at most a few decisions and their dice."""


class DuelEnv(gym.Env[Any, Any]):
    """A duel between the learner and an opponent that plays inside `step`.

    * Observation: `Box` (D,) float32, from the learner's perspective; `game.layout` says what each index means.
    * Actions: `Discrete(A)`; `game.actions` names them.
    * `info`, from `reset` and `step`: `action_mask`, int8 (A,), 1 = legal. After the end every entry is 1, since no action counts.
      `seat`: the player (0 or 1) whom the learner is. At the end also `disqualified` (bool: an illegal action ended the duel).
    * Reward: the learner's, 0 until the end, then +1 won, -1 lost, 0 a draw, also when the duel ends on the opponent's move.
    * End: `terminated` by the rules; `truncated` when the round limit cuts the duel short, a draw. The round is not observed.
    * Illegal actions: `forfeit` disqualifies the learner at once, as the source has it; `raise` is an IllegalActionError.
    * A copy of the environment (`copy.deepcopy`) goes on by itself, with the same dice to come; to look ahead without knowing them, use
      `duel()`.
    * Same seed and actions: the same duel, bit for bit, as in the vector environment, the AEC environment and the batch. `reset()` without
      a seed goes on with the next duel of the seed given last.

    Attributes:
        game: the rules: actions, layout, options.
    """

    metadata = {"render_modes": ["ansi", "human"], "render_fps": 4}  # noqa: RUF012  (as the base class has it)

    def __init__(
        self,
        ruleset: str = "hogwarts",
        *,
        opponent: Any = RANDOM,
        seat: Seat = "random",
        illegal_action: IllegalAction = "forfeit",
        engine: Engine = "auto",
        render_mode: Literal["ansi", "human"] | None = None,
        lang: Language = "en",
        **settings: Any,
    ) -> None:
        """Make an environment.

        Args:
            ruleset: name of the ruleset.
            opponent: `random`, another agent's name (`stupefy`, `expectimax`, the path of a saved policy, ...), or an object with
                `policy(observation (K, D), action_mask (K, A)) -> probabilities (K, A)`.
            seat: the learner is player 0 (`first`), player 1 (`second`), or either, drawn for each duel (`random`). Who acts first in
                the duel is another matter: that is initiative.
            illegal_action: `forfeit` or `raise`.
            engine: see `Game.new_store`; both behave alike.
            render_mode: `ansi`: `render` returns text; `human`: each step prints it.
            lang: `en` or `fr`, for the text.
            **settings: options and set-up of the ruleset, such as `skills=(60, 60)`, `first_caster=0`, `hit_points=3`.

        Raises:
            ConfigError: a setting that is not accepted; the message lists what is.
        """
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ConfigError(f"render_mode = {render_mode!r}: expected ansi, human or None")
        check_choice("lang", lang, Language)
        self.game, setup = make_game_and_setup(ruleset, settings)
        self.render_mode = render_mode
        self.observation_space = observation_space(self.game)
        self.action_space = action_space(self.game)
        self._learner = LearnerBatch(
            self.game,
            1,
            setup,
            opponent=opponent,
            seat=seat,
            autoreset="disabled",
            illegal_action=illegal_action,
            engine=engine,
            num_events=NUM_EVENTS,
        )
        self._action = np.zeros(1, np.int64)
        self._narrator = Narrator(self.game, setup, lang) if render_mode else None
        self._seeded = False
        self._running = False
        self._seat = NOBODY

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin a duel and play up to the learner's first decision.

        Args:
            seed: begins the first duel of this seed; None goes on with the next one.
            options: none are known; ignored, as the Gymnasium interface asks for.

        Returns:
            observation and info.
        """
        if seed is not None:
            seed = check_seed(seed)
        super().reset(seed=seed)
        if seed is None and not self._seeded:
            seed = int(self.np_random.integers(2**63))
        self._running = False
        self._learner.reset(seed)
        self._seeded = True
        self._seat = self._learner.seat.item()
        self._running = True
        if self._narrator:
            self._narrate(begins=True)
        return self._learner.observation[0].copy(), self._info()

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play an action, and the opponent's until the learner is to choose again or the duel is over.

        Returns:
            observation, reward, terminated, truncated, info.

        Raises:
            UsageError: no duel is under way.
            InvalidActionError: not an integer.
            IllegalActionError: with `illegal_action="raise"`.
        """
        if not self._running:
            raise UsageError("no duel is under way: call reset first")
        self._action[0] = check_action(action, self.game)
        learner = self._learner
        ended = learner.step_checked(self._action)
        if self._narrator:
            self._narrate()
        info = self._info()
        observation = learner.batch.store.observation[0].copy()
        if not ended:
            return observation, 0.0, False, False, info
        self._running = False
        info["disqualified"] = bool(learner.disqualified[0])
        return observation, float(learner.reward[0]), bool(learner.terminated[0]), bool(learner.truncated[0]), info

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._learner.batch.store.action_mask[0].copy(), "seat": self._seat}

    def action_masks(self) -> NDArray[np.int8]:
        """int8 (A,): the mask of the current observation, as sb3-contrib asks for it."""
        mask: NDArray[np.int8] = self._learner.action_mask[0].copy()
        return mask

    def duel(self) -> Duel:
        """The duel as it stands, for search: a copy. It knows nothing of the dice to come, but both sheets, a hidden skill included."""
        return self._learner.batch.duel(0)

    def _narrate(self, *, begins: bool = False) -> None:
        assert self._narrator is not None
        batch = self._learner.batch
        if begins:
            self._narrator.begin(batch.store.sheets[0], viewer=self._seat)
        self._narrator.tell(batch.events(0))
        if self.render_mode == "human":
            print(self._narrator.text())

    def render(self) -> str | None:
        """The state of the duel and what happened in the last step, as text with `ansi`; with `human` it was printed already."""
        if self._narrator is None:
            gym.logger.warn("render needs a render_mode: gymnasium.make(..., render_mode='ansi')")
            return None
        return self._narrator.text() if self.render_mode == "ansi" else None
