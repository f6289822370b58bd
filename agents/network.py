"""Trained policies: a small network in NumPy, the file it is kept in, and the agent that plays with it.

A policy file is one `.safetensors` file: numbers and text, nothing that could run. It names the rules it was trained for, and
is refused for any others.
"""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Literal, get_args

import numpy as np
import safetensors
from numpy.typing import NDArray
from safetensors.numpy import save

from agents.base import Agent, best_legal, check_positions, one_hot
from duel_env.errors import SchemaError
from duel_env.files import write_atomically
from duel_env.game import Game

Activation = Literal["tanh", "relu"]
Layer = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Weight (out, in) and bias (out,) of a linear layer, as Torch stores them."""

FORMAT: Final = "duel_env/policy"
FORMAT_VERSION: Final = "1"
MAX_BYTES: Final = 256 * 2**20
"""Largest policy file that is read."""

_TENSOR = re.compile(r"(actor|critic)\.(0|[1-9][0-9]{0,3})\.(weight|bias)")
_KEYS = ("format", "version", "ruleset", "ruleset_version", "digest", "options", "observation_version", "activation")
_BLOCK_ROWS = 64


class PolicyNetwork:
    """An actor and a critic, two multilayer perceptrons without a common part.

    Attributes:
        actor: Layer per layer, from D features to A logits.
        critic: Layer per layer, from D features to 1 value.
        activation: what stands between the layers; there is none after the last.
    """

    def __init__(self, actor: Sequence[Layer], critic: Sequence[Layer], activation: Activation) -> None:
        """Put the layers together.

        Raises:
            SchemaError: tensors that are not float32, not finite, or do not fit each other; the message names the tensor as a
                policy file does.
        """
        if activation not in get_args(Activation):
            raise SchemaError(f"activation = {activation!r:.100}: expected {' or '.join(map(repr, get_args(Activation)))}")
        _check_layers("actor", actor)
        _check_layers("critic", critic)
        if critic[-1][0].shape[0] != 1 or critic[0][0].shape[1] != actor[0][0].shape[1]:
            raise SchemaError(
                f"the critic maps {critic[0][0].shape[1]} features to {critic[-1][0].shape[0]} values:"
                f" expected {actor[0][0].shape[1]}, as many as the actor, to 1"
            )
        self.actor = tuple(actor)
        self.critic = tuple(critic)
        self.activation: Activation = activation

    @property
    def observation_size(self) -> int:
        """D."""
        return int(self.actor[0][0].shape[1])

    @property
    def num_actions(self) -> int:
        """A."""
        return int(self.actor[-1][0].shape[0])

    def logits(self, observation: NDArray[np.float32]) -> NDArray[np.float32]:
        """Unmasked logits of the actions: (B, D) -> float32 (B, A). A row's result does not depend on the other rows."""
        return _forward(self.actor, self.activation, observation)

    def values(self, observation: NDArray[np.float32]) -> NDArray[np.float32]:
        """Expected return, from -1 to 1 if well trained, of the player who sees this: (B, D) -> float32 (B,)."""
        return _forward(self.critic, self.activation, observation)[:, 0]

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """All tensors by their name in a policy file."""
        return {
            f"{part}.{number}.{kind}": tensor
            for part, layers in (("actor", self.actor), ("critic", self.critic))
            for number, layer in enumerate(layers)
            for kind, tensor in zip(("weight", "bias"), layer, strict=True)
        }


def _forward(layers: Sequence[Layer], activation: Activation, observation: NDArray[np.float32]) -> NDArray[np.float32]:
    # Matrix products round differently for different numbers of rows. Rows are therefore computed in blocks of one size, so that
    # what an agent does in a position never depends on which other positions it is asked about.
    num_rows = len(observation)
    num_blocks = -(-num_rows // _BLOCK_ROWS)
    padded = np.zeros((num_blocks * _BLOCK_ROWS, observation.shape[1]), np.float32)
    padded[:num_rows] = observation
    hidden: NDArray[np.float32] = padded.reshape(num_blocks, _BLOCK_ROWS, observation.shape[1])
    for number, (weight, bias) in enumerate(layers):
        with np.errstate(over="ignore", invalid="ignore"):  # the agent refuses what is not finite in the end
            hidden = np.matmul(hidden, weight.T)
            hidden += bias
        if number + 1 < len(layers):
            if activation == "tanh":
                np.tanh(hidden, out=hidden)
            else:
                np.maximum(hidden, np.float32(0.0), out=hidden)
    return hidden.reshape(len(padded), hidden.shape[2])[:num_rows]


def _check_layers(part: str, layers: Sequence[Layer]) -> None:
    if not layers:
        raise SchemaError(f"{part}: expected at least one layer")
    inputs: int | None = None
    for number, (weight, bias) in enumerate(layers):
        for kind, tensor in (("weight", weight), ("bias", bias)):
            if tensor.dtype != np.float32:
                raise SchemaError(f"tensor {part}.{number}.{kind} is of {tensor.dtype}: expected float32")
            if not np.isfinite(tensor).all():
                raise SchemaError(f"tensor {part}.{number}.{kind} has numbers that are not finite")
        if weight.ndim != 2 or 0 in weight.shape or (inputs is not None and weight.shape[1] != inputs):
            columns = "any number" if inputs is None else str(inputs)
            raise SchemaError(
                f"tensor {part}.{number}.weight has shape {weight.shape}: expected (outputs, inputs) with {columns} of inputs"
            )
        inputs = weight.shape[0]
        if bias.shape != (inputs,):
            raise SchemaError(
                f"tensor {part}.{number}.bias has shape {bias.shape}: expected ({inputs},), as {part}.{number}.weight"
            )


# ---- files --------------------------------------------------------------------------------------------------------------------


def save_policy(path: Path, network: PolicyNetwork, game: Game, notes: dict[str, str]) -> None:
    """Write a policy file, whole or not at all; equal policies give equal bytes.

    Args:
        path: the file to write, `.safetensors` by custom.
        network: what to write.
        game: what it plays.
        notes: more text for the file's metadata, such as where the policy comes from.

    Raises:
        SchemaError: the network does not fit the game, or a note has the name of a field of the format.
        OSError: the file cannot be written.
    """
    _check_fit(network, game)
    taken = sorted(set(notes) & set(_KEYS))
    if taken:
        raise SchemaError(f"notes: {', '.join(taken)} {'is a field' if len(taken) == 1 else 'are fields'} of the format itself")
    ruleset = game.ruleset
    metadata = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "ruleset": ruleset.name,
        "ruleset_version": str(ruleset.version),
        "digest": game.digest,
        "options": json.dumps(game.options_json(), ensure_ascii=False, sort_keys=True),
        "observation_version": str(ruleset.observation_version),
        "activation": network.activation,
        **notes,
    }
    tensors = {name: np.ascontiguousarray(tensor) for name, tensor in network.tensors().items()}
    write_atomically(path, _sort_header(save(tensors, metadata)))


def _sort_header(content: bytes) -> bytes:
    """The same safetensors file with its header in alphabetical order; the library writes the metadata in a random one."""
    end = 8 + int.from_bytes(content[:8], "little")
    header = json.dumps(json.loads(content[8:end]), ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + content[end:]


def load_policy(path: Path, game: Game) -> PolicyNetwork:
    """Read a policy file, trusting nothing in it.

    Args:
        path: the file.
        game: what the policy is to play.

    Raises:
        SchemaError: names the file, and the field or tensor that is not as expected, found and expected: no policy file,
            larger than `MAX_BYTES`, cut off or damaged, of another version, for other rules, or with tensors that are
            missing, unknown, of another type or shape, or not finite.
    """
    content = _read(path)
    metadata = _metadata(path, content)
    try:
        _check_rules(metadata, game)
        _options(metadata)
        network = PolicyNetwork(*_layers(content), metadata["activation"])  # type: ignore[arg-type]  # checked there
        _check_fit(network, game)
    except SchemaError as error:
        raise SchemaError(f"{path}: {error}") from error
    return network


def read_policy_game(path: Path) -> tuple[str, dict[str, Any]]:
    """What a policy file is for: the name of the ruleset and its options, as `make_game` takes them.

    Raises:
        SchemaError: no policy file, one of another version, or one whose options name a file instead of holding the spells.
    """
    metadata = read_policy_metadata(path)
    try:
        return metadata["ruleset"], _options(metadata)
    except SchemaError as error:
        raise SchemaError(f"{path}: {error}") from error


def read_policy_metadata(path: Path) -> dict[str, str]:
    """The text in a policy file: the fields of the format and the notes of whoever wrote it.

    Raises:
        SchemaError: as `read_policy_game`.
    """
    return _metadata(path, _read(path))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise SchemaError(f"cannot read {path}: {error.strerror or error}") from error
    if len(content) > MAX_BYTES:
        raise SchemaError(f"{path} is larger than {MAX_BYTES // 2**20} MiB: expected a policy file")
    return content


def _metadata(path: Path, content: bytes) -> dict[str, str]:
    end = 8 + int.from_bytes(content[:8], "little")
    try:
        if not 8 < end <= len(content):
            raise ValueError("its header is cut off")
        header = json.loads(content[8:end])
        metadata = header.get("__metadata__", {}) if isinstance(header, dict) else {}
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"{path} is no safetensors file, or a damaged one: {error}") from error
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
        raise SchemaError(f"{path} is no policy file: expected metadata with format {FORMAT!r}")
    if metadata.get("version") != FORMAT_VERSION:
        raise SchemaError(f"{path}: version {metadata.get('version')!r:.100}: this program reads version {FORMAT_VERSION!r}")
    missing = [key for key in _KEYS if key not in metadata]
    if missing or not all(isinstance(value, str) for value in metadata.values()):
        raise SchemaError(f"{path}: metadata: {'missing ' + ', '.join(missing) if missing else 'expected nothing but text'}")
    return metadata


def _options(metadata: dict[str, str]) -> dict[str, Any]:
    try:
        options = json.loads(metadata["options"])
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"metadata: options are not JSON: {error}") from error
    if not isinstance(options, dict):
        raise SchemaError("metadata: options: expected a JSON object")
    # As a text it would be the name of a file to open: people may name one, a file may not.
    if not isinstance(options.get("spells", []), list):
        raise SchemaError("metadata: options: spells: expected the list of spells itself")
    return options


def _check_rules(metadata: dict[str, str], game: Game) -> None:
    ruleset = game.ruleset
    for key, expected in (
        ("ruleset", ruleset.name),
        ("ruleset_version", str(ruleset.version)),
        ("observation_version", str(ruleset.observation_version)),
    ):
        if metadata[key] != expected:
            raise SchemaError(f"the policy is for {key} {_shown(metadata[key])}; this game has {expected!r}")
    if metadata["digest"] != game.digest:
        differences = _differences(metadata["options"], game)
        raise SchemaError(f"the policy is for rules {_shown(metadata['digest'])}, this game has {game.digest!r}{differences}")


def _differences(options_text: str, game: Game) -> str:
    """Which options differ, for a message; nothing if they cannot be read."""
    try:
        theirs = json.loads(options_text)
    except (ValueError, RecursionError):
        return ""
    ours = game.options_json()
    if not isinstance(theirs, dict):
        return ""
    differing = sorted(key if key in ours else _shown(key) for key in set(ours) | set(theirs) if ours.get(key) != theirs.get(key))
    return f"; they differ in {', '.join(differing)[:1000]}" if differing else ""


def _shown(value: str) -> str:
    """A text from a file for a message: quoted, without control characters, and not too long."""
    return repr(value[:100]) + ("..." if len(value) > 100 else "")


def _layers(content: bytes) -> tuple[list[Layer], list[Layer]]:
    deserialize: Callable[[bytes], list[tuple[str, dict[str, Any]]]] = safetensors.deserialize
    try:
        entries = deserialize(content)
    except safetensors.SafetensorError as error:
        raise SchemaError(f"the file is cut off or damaged: {_shown(str(error))}") from error
    tensors: dict[str, NDArray[np.float32]] = {}
    for name, entry in entries:
        if _TENSOR.fullmatch(name) is None:
            raise SchemaError(f"tensor {_shown(name)} is unknown: expected names like actor.0.weight and critic.0.bias")
        if entry["dtype"] != "F32":
            raise SchemaError(f"tensor {name} is of {entry['dtype']}: expected F32")
        tensors[name] = np.frombuffer(entry["data"], np.dtype("<f4")).reshape(entry["shape"]).astype(np.float32)
    return _part("actor", tensors), _part("critic", tensors)


def _part(part: str, tensors: dict[str, NDArray[np.float32]]) -> list[Layer]:
    numbers = {int(name.split(".")[1]) for name in tensors if name.startswith(part + ".")}
    depth = max(numbers, default=0) + 1
    expected = [f"{part}.{number}.{kind}" for number in range(depth) for kind in ("weight", "bias")]
    missing = [name for name in expected if name not in tensors]
    if missing:
        raise SchemaError(f"tensor {missing[0]} is missing")
    return [(tensors[f"{part}.{number}.weight"], tensors[f"{part}.{number}.bias"]) for number in range(depth)]


def _check_fit(network: PolicyNetwork, game: Game) -> None:
    found = (network.observation_size, network.num_actions)
    expected = (game.observation_size, game.num_actions)
    if found != expected:
        last = len(network.actor) - 1
        raise SchemaError(
            f"tensors actor.0.weight to actor.{last}.weight map {found[0]} features to {found[1]} actions;"
            f" expected {expected[0]} to {expected[1]}, as the game has"
        )


# ---- playing ------------------------------------------------------------------------------------------------------------------


class NetworkAgent(Agent):
    """Plays with a network: its most likely legal action, or one sampled from its probabilities."""

    def __init__(self, network: PolicyNetwork, game: Game, greedy: bool, name: str = "network") -> None:
        """Make the agent.

        Args:
            network: the policy.
            game: the rules.
            greedy: True: the legal action of the highest logit, the first in the list among equals; False: masked softmax.
            name: of the agent.

        Raises:
            SchemaError: the network does not fit the game.
        """
        _check_fit(network, game)
        self.network = network
        self.game = game
        self.greedy = greedy
        self.name = name

    def policy(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:
        """As `Agent.policy`.

        Raises:
            SchemaError: also when the network's logits are not finite.
        """
        seen, legal = check_positions(self.game, observation, action_mask)
        logits = self.network.logits(seen).astype(np.float64)
        if not np.isfinite(logits).all():
            raise SchemaError(f"{self.name}: the network's logits are not finite, its weights are too large")
        if self.greedy:
            return one_hot(best_legal(logits, legal), self.game.num_actions)
        masked = np.where(legal, logits, -np.inf)
        weights = np.exp(masked - masked.max(axis=1, keepdims=True))
        probabilities: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
        return probabilities
