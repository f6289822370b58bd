"""Both seats of a duel, one after the other: the PettingZoo AEC environment."""

from typing import Any, ClassVar, Final, Literal

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from duel_env.batch import DuelBatch, IllegalAction, check_choice
from duel_env.duel import Duel
from duel_env.envs.spaces import action_space, check_action, observation_space
from duel_env.errors import ConfigError, UsageError
from duel_env.game import NUM_PLAYERS, Engine, make_game_and_setup
from duel_env.rules import loops
from duel_env.seeds import check_seed
from duel_env.story import Language, Narrator

AGENTS: Final = ("player_0", "player_1")
MaskPlace = Literal["observation", "info"]
_NUM_EVENTS: Final = 64


class DuelAECEnv(AECEnv):  # type: ignore[misc]  # PettingZoo ships no types
    """A duel in which the caller plays both seats. A duelist may act twice running: the one who answers begins the next round.

    * Observations: with `mask_in="observation"` (default) `Dict(observation=Box (D,), action_mask=Box int8 (A,))`; with `mask_in="info"`
      the plain `Box`, and the mask in `infos[agent]["action_mask"]`. The mask of an agent who is not to act is all 0.
    * Rewards: for both agents in the same step, +1 / -1 / 0 at the end, else 0.
    * An illegal action disqualifies its agent (`forfeit`: -1, the other +1, and `infos[agent]["disqualified"]` of the one who did it),
      or raises.
    * `reset(seed=s)` plays the duels that every other interface plays for s.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "hogwarts_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 4,
    }

    def __init__(
        self,
        ruleset: str = "hogwarts",
        *,
        illegal_action: IllegalAction = "forfeit",
        mask_in: MaskPlace = "observation",
        engine: Engine = "auto",
        render_mode: Literal["ansi", "human"] | None = None,
        lang: Language = "en",
        **settings: Any,
    ) -> None:
        """Make an environment.

        Args:
            ruleset, illegal_action, engine, render_mode, lang, **settings: as in `DuelEnv`.
            mask_in: where the mask is given, `observation` or `info`.

        Raises:
            ConfigError: a setting that is not accepted.
        """
        super().__init__()
        check_choice("mask_in", mask_in, MaskPlace)
        check_choice("lang", lang, Language)
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ConfigError(f"render_mode = {render_mode!r}: expected ansi, human or None")
        self.game, setup = make_game_and_setup(ruleset, settings)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self._mask_in_observation = mask_in == "observation"
        box = observation_space(self.game)
        mask_space = spaces.Box(0, 1, (self.game.num_actions,), np.int8)
        dict_space = spaces.Dict({"observation": box, "action_mask": mask_space})
        self.observation_spaces = {agent: dict_space if self._mask_in_observation else box for agent in AGENTS}
        self.action_spaces = {agent: action_space(self.game) for agent in AGENTS}
        self._batch = DuelBatch(
            self.game,
            1,
            setup,
            autoreset="disabled",
            illegal_action=illegal_action,
            engine=engine,
            num_events=_NUM_EVENTS,
        )
        self._narrator = Narrator(self.game, setup, lang) if render_mode else None
        self._row = np.zeros(1, np.int64)
        self._player = np.zeros(1, np.int8)
        self._action = np.zeros(1, np.int64)
        self._seeded = False
        self._np_random: np.random.Generator | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a duel.

        Args:
            seed: begins the first duel of this seed; None goes on with the next one.
            options: none are known; ignored, as the PettingZoo interface asks for.
        """
        if seed is not None:
            seed = check_seed(seed)
        elif not self._seeded:
            seed = int(np.random.default_rng().integers(2**63))
        self._seeded = True
        self._batch.reset(seed)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._select()
        self._write_infos()
        if self._narrator:
            self._narrator.begin(self._batch.store.sheets[0])
            self._narrate()

    def _select(self) -> None:
        player = int(self._batch.current_player[0])
        self.agent_selection = AGENTS[max(player, 0)]

    def _write_infos(self) -> None:
        if self._mask_in_observation:
            self.infos: dict[str, dict[str, Any]] = {AGENTS[0]: {}, AGENTS[1]: {}}
            return
        mask = self._batch.action_mask[0].copy()
        to_act = int(self._batch.current_player[0])
        self.infos = {
            AGENTS[player]: {"action_mask": mask if player == to_act else np.zeros_like(mask)} for player in range(NUM_PLAYERS)
        }

    def observe(self, agent: str) -> Any:
        """What an agent may know now, whether or not it is to act."""
        self._require_duel()
        if agent not in AGENTS:
            raise ConfigError(f"agent = {agent!r}: expected {' or '.join(AGENTS)}")
        batch = self._batch
        self._player[0] = AGENTS.index(agent)
        loops.view_rows(batch.store, self._row, self._player)
        observation = batch.observation[0].copy()
        if not self._mask_in_observation:
            return observation
        return {"observation": observation, "action_mask": batch.action_mask[0].copy()}

    def step(self, action: int | None) -> None:
        """Play an action of `agent_selection`; None for an agent whose duel is over.

        Raises:
            UsageError: before the first reset.
            InvalidActionError: not an integer.
            IllegalActionError: with `illegal_action="raise"`; nothing is played then.
        """
        self._require_duel()
        if not self.agents:
            raise UsageError("the duel is over and both agents know it: call reset first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._action[0] = check_action(action, self.game)
        batch = self._batch
        if batch.illegal_action == "raise":
            batch.view(self._row)
        over = batch.step(self._action) > 0
        self._cumulative_rewards[agent] = 0.0
        if over:
            for player, name in enumerate(AGENTS):
                self.rewards[name] = float(batch.rewards[0, player])
                self._cumulative_rewards[name] += self.rewards[name]
                self.terminations[name] = bool(batch.terminated[0])
                self.truncations[name] = bool(batch.truncated[0])
        self._write_infos()
        if over:
            self.infos[agent]["disqualified"] = bool(batch.disqualified[0])
        else:
            self._select()
        if self._narrator:
            self._narrate()

    def _require_duel(self) -> None:
        if not self._seeded:
            raise UsageError("no duel is under way: call reset first")

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """PettingZoo's loop over whoever is to act."""
        self._require_duel()
        return super().agent_iter(max_iter)

    def duel(self) -> Duel:
        """The duel as it stands, for search: a copy. It knows nothing of the dice to come, but both sheets, a hidden skill included."""
        return self._batch.duel(0)

    def _narrate(self) -> None:
        assert self._narrator is not None
        self._narrator.tell(self._batch.events(0))
        if self.render_mode == "human":
            print(self._narrator.text())

    def render(self) -> str | None:
        """The state of the duel and what happened in the last step, for an onlooker who may know both sheets.

        Returns:
            text with `ansi`; None with `human`, where it was printed already.
        """
        if self._narrator is None:
            gym.logger.warn("render needs a render_mode, ansi or human")
            return None
        return self._narrator.text() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing has to be closed."""

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, cumulative reward, terminated, truncated and info of `agent_selection`."""
        self._require_duel()
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )


def env(**settings: Any) -> DuelAECEnv:
    """The environment, ready for use: it checks actions and the order of calls by itself, so that no wrapper has to."""
    return DuelAECEnv(**settings)


raw_env = DuelAECEnv
