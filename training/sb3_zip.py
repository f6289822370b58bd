"""Models saved by Stable-Baselines3, read as weights only.

The archive that `model.save` writes holds pickles within JSON, and unpickling runs whatever code they name. Nothing of that is
touched here: one member is read, `policy.pth`, by torch's reader for weights, after the archive itself was checked.
"""

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.network import NetworkAgent, PolicyNetwork
from duel_env.errors import SchemaError
from duel_env.game import Game
from training.config import Activation
from training.printable import printable

MAX_ARCHIVE_BYTES = 1024**3
MAX_MEMBERS = 64
MAX_POLICY_BYTES = 256 * 1024**2
"""Limits of what is read: of the archive, of its number of members, and of `policy.pth` when unpacked."""

_POLICY_MEMBER = "policy.pth"
_CHUNK = 1024**2

_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    KeyError,
    ValueError,
)
"""What Python's readers of archives raise for content that they did not expect."""

Layers = list[tuple[NDArray[np.float32], NDArray[np.float32]]]


def read_sb3_zip(path: Path, activation: Activation = "tanh") -> PolicyNetwork:
    """The networks of a PPO or MaskablePPO model with an `MlpPolicy`, saved by `model.save`.

    Args:
        path: the archive.
        activation: of the hidden layers. The archive says it only in a pickle, which is not read; SB3's default is tanh.

    Raises:
        SchemaError: it is no such model, or is larger than the limits above; the message says what was found.
    """
    content = _policy_member(path)
    try:
        state = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except Exception as error:  # torch names no common class for what may be wrong with a file
        raise SchemaError(
            f"{path}: {_POLICY_MEMBER} does not hold weights, and nothing else: {printable(str(error))[:300]}"
        ) from error
    if not isinstance(state, Mapping) or not all(isinstance(value, torch.Tensor) for value in state.values()):
        raise SchemaError(f"{path}: {_POLICY_MEMBER} is no table of tensors")
    try:
        return policy_network_of(state, activation)
    except SchemaError as error:
        raise SchemaError(f"{path}: {error}") from error


def load_zip_agent(path: Path, game: Game) -> NetworkAgent:
    """An agent that plays a model saved by Stable-Baselines3, with tanh as its activation, SB3's default.

    It fits `agents.registry.register_loader`. For the most likely action it is greedy where both players see everything.

    Raises:
        SchemaError: see `read_sb3_zip`; also if the model's sizes are not the game's.
    """
    greedy = game.ruleset.perfect_information(game.options)
    return NetworkAgent(read_sb3_zip(path), game, greedy, str(path))


def policy_network_of(state: Mapping[str, Any], activation: Activation) -> PolicyNetwork:
    """The networks in the `state_dict` of an SB3 `MlpPolicy`.

    Args:
        state: name -> tensor.
        activation: of the hidden layers.

    Raises:
        SchemaError: other tensors than those of linear layers, after a shared part or separate.
    """
    rest = dict(state)
    shared = _take_layers(rest, "mlp_extractor.shared_net")
    actor = [*shared, *_take_layers(rest, "mlp_extractor.policy_net"), _take_layer(rest, "action_net")]
    critic = [*shared, *_take_layers(rest, "mlp_extractor.value_net"), _take_layer(rest, "value_net")]
    if rest:
        raise SchemaError(
            f"a policy with {printable(', '.join(sorted(map(str, rest))))[:300]} is no MlpPolicy for a list of actions"
        )
    return PolicyNetwork(actor, critic, activation)


def _take_layers(rest: dict[str, Any], prefix: str) -> Layers:
    """Linear layers of a `Sequential` in their order; activations between them take a number, but have no tensors."""
    numbers = {name.removeprefix(prefix + ".").partition(".")[0] for name in rest if name.startswith(prefix + ".")}
    if not all(number.isascii() and number.isdigit() for number in numbers):
        raise SchemaError(f"{prefix} has parts that are no layers: {printable(', '.join(sorted(numbers)))[:300]}")
    return [_take_layer(rest, f"{prefix}.{number}") for number in sorted(numbers, key=int)]


def _take_layer(rest: dict[str, Any], name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    parts = []
    for kind, dimensions in (("weight", 2), ("bias", 1)):
        tensor = rest.pop(f"{name}.{kind}", None)
        if tensor is None or tensor.dtype != torch.float32 or tensor.dim() != dimensions:
            found = "nothing" if tensor is None else f"{tensor.dtype} {tuple(tensor.shape)}"
            raise SchemaError(f"{name}.{kind}: expected torch.float32 with {dimensions} dimensions, found {found}")
        parts.append(tensor.detach().cpu().numpy().copy())
    return parts[0], parts[1]


def _policy_member(path: Path) -> bytes:
    """The bytes of `policy.pth`, unpacked with a limit."""
    try:
        if path.stat().st_size > MAX_ARCHIVE_BYTES:
            raise SchemaError(f"{path} is larger than {MAX_ARCHIVE_BYTES:,} bytes")
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            _check_members(path, members)
            with archive.open(_POLICY_MEMBER) as member:
                return _read_limited(path, member)
    except OSError as error:
        raise SchemaError(f"cannot read {path}: {error.strerror or error}") from error
    except SchemaError:
        raise
    except _DAMAGED as error:
        raise SchemaError(f"{path} is damaged, or no zip archive: {printable(str(error))[:300]}") from error


def _check_members(path: Path, members: list[zipfile.ZipInfo]) -> None:
    names = [member.filename for member in members]
    if len(names) > MAX_MEMBERS:
        raise SchemaError(f"{path} has {len(names)} members; a saved model has at most {MAX_MEMBERS}")
    for name in names:
        if "/" in name or "\\" in name or ":" in name or name.startswith("."):
            raise SchemaError(f"{path} has a member called {name!r:.100}: a saved model has no folders")
    if names.count(_POLICY_MEMBER) != 1:
        raise SchemaError(
            f"{path} is no saved model: expected one {_POLICY_MEMBER}, among {printable(', '.join(names))[:300] or 'nothing'}"
        )


def _read_limited(path: Path, member: Any) -> bytes:
    """What the archive says of sizes may be a lie: count while unpacking."""
    content = bytearray()
    while chunk := member.read(_CHUNK):
        content += chunk
        if len(content) > MAX_POLICY_BYTES:
            raise SchemaError(f"{path}: {_POLICY_MEMBER} is larger than {MAX_POLICY_BYTES:,} bytes when unpacked")
    return bytes(content)
