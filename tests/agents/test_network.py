"""Networks in NumPy, and their files: what is written is read again, and nothing else is accepted."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load, save

from agents import network as module
from agents.network import NetworkAgent, PolicyNetwork, load_policy, read_policy_game, read_policy_metadata, save_policy
from duel_env.errors import SchemaError
from duel_env.game import Game, make_game
from tests.agents.positions import play_randomly, random_network

NOTES = {"algorithm": "ppo", "remark": "né à Poudlard"}


@pytest.fixture
def policy_file(game: Game, tmp_path: Path) -> Path:
    path = tmp_path / "policy.safetensors"
    save_policy(path, random_network(game), game, NOTES)
    return path


# ---- the network --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_the_forward_pass_is_the_textbook_one(game: Game, activation: str) -> None:
    network = random_network(game, hidden=(32, 16), activation=activation)
    observation = play_randomly(game, (60, 60), seed=1).observation
    for layers, found in ((network.actor, network.logits(observation)), (network.critic, network.values(observation)[:, None])):
        expected = observation.astype(np.float64)
        for number, (weight, bias) in enumerate(layers):
            expected = expected @ weight.T.astype(np.float64) + bias
            if number + 1 < len(layers):
                expected = np.tanh(expected) if activation == "tanh" else np.maximum(expected, 0.0)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@settings(max_examples=30)
@given(size=st.integers(1, 200), start=st.integers(0, 100))
def test_logits_of_a_row_are_the_same_bits_in_any_batch(size: int, start: int) -> None:
    game = make_game("hogwarts")
    network = random_network(game, hidden=(64, 64))
    observation = np.random.default_rng(1).random((300, game.observation_size), np.float32)
    np.testing.assert_array_equal(
        network.logits(observation[start : start + size]), network.logits(observation)[start : start + size]
    )


def test_probabilities_are_the_softmax_over_legal_actions(game: Game) -> None:
    _, observation, action_mask = play_randomly(game, (60, 60), seed=3)
    network = random_network(game)
    policy = NetworkAgent(network, game, greedy=False).policy(observation, action_mask)
    logits = network.logits(observation).astype(np.float64)
    for row in np.flatnonzero(action_mask.any(axis=1)):
        legal = action_mask[row] == 1
        expected = np.exp(logits[row, legal]) / np.exp(logits[row, legal]).sum()
        np.testing.assert_allclose(policy[row, legal], expected, rtol=1e-12)
    greedy = NetworkAgent(network, game, greedy=True).policy(observation, action_mask)
    np.testing.assert_array_equal(np.argmax(greedy, axis=1), np.argmax(policy, axis=1))


def test_extreme_logits_are_no_trouble_and_infinite_ones_are_named(game: Game) -> None:
    _, observation, action_mask = play_randomly(game, (60, 60), seed=3)
    wide = [(np.full((game.num_actions, game.observation_size), 1e4, np.float32), np.zeros(game.num_actions, np.float32))]
    wide[0][0][0] = -1e4
    critic = random_network(game).critic
    policy = NetworkAgent(PolicyNetwork(wide, critic, "tanh"), game, greedy=False).policy(observation, action_mask)
    np.testing.assert_allclose(policy.sum(axis=1), 1.0)
    wide[0][0][...] = 3e38
    with pytest.raises(SchemaError, match="logits are not finite"):
        NetworkAgent(PolicyNetwork(wide, critic, "tanh"), game, greedy=False).policy(observation, action_mask)


def test_a_network_of_another_game_is_refused(game: Game, tmp_path: Path) -> None:
    bolt = {"id": "bolt", "en": "Bolt", "fr": "Éclair", "penalty": 0, "damage": 1}
    other = make_game("hogwarts", {"spells": [bolt]})
    with pytest.raises(SchemaError, match=r"map 38 features to 9 actions; expected \d+ to 4"):
        NetworkAgent(random_network(game), other, greedy=True)
    with pytest.raises(SchemaError, match="map 38 features"):
        save_policy(tmp_path / "policy.safetensors", random_network(game), other, {})


# ---- files that are accepted --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["tanh", "relu"])
@pytest.mark.parametrize("hidden", [(), (5,), (32, 16, 8)])
def test_what_is_written_is_read_bit_for_bit(game: Game, tmp_path: Path, hidden: tuple[int, ...], activation: str) -> None:
    network = random_network(game, 7, hidden, activation)
    path = tmp_path / "deep" / "folder" / "policy.safetensors"
    save_policy(path, network, game, NOTES)
    again = load_policy(path, game)
    assert again.activation == activation
    assert {name: tensor.tobytes() for name, tensor in again.tensors().items()} == {
        name: tensor.tobytes() for name, tensor in network.tensors().items()
    }


def test_equal_policies_are_equal_files(game: Game, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        save_policy(tmp_path / name, random_network(game), game, NOTES)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == (tmp_path / "c").read_bytes()
    assert set(load((tmp_path / "a").read_bytes())) == set(random_network(game).tensors()), "any safetensors reader reads it"


def test_a_file_says_what_game_it_is_for(tmp_path: Path) -> None:
    options = {"hit_points": 3, "riposte_sees_roll": False}
    game = make_game("hogwarts", options)
    save_policy(tmp_path / "policy.safetensors", random_network(game), game, NOTES)
    ruleset, found = read_policy_game(tmp_path / "policy.safetensors")
    assert make_game(ruleset, found).digest == game.digest
    metadata = read_policy_metadata(tmp_path / "policy.safetensors")
    assert metadata.items() >= NOTES.items()
    assert metadata["format"] == "duel_env/policy"
    assert metadata["version"] == "1"


def test_files_hold_no_pickle(policy_file: Path) -> None:
    assert b"\x80\x04" not in policy_file.read_bytes()[:4096]
    assert not policy_file.read_bytes().startswith(b"PK")


def test_notes_cannot_replace_fields_of_the_format(game: Game, tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="digest"):
        save_policy(tmp_path / "policy.safetensors", random_network(game), game, {"digest": "0"})
    assert list(tmp_path.iterdir()) == []


# ---- files that are refused ---------------------------------------------------------------------------------------------------

Change = Callable[[dict[str, np.ndarray], dict[str, str]], Any]


def rewritten(path: Path, change: Change) -> None:
    """Change tensors and metadata of a policy file in place."""
    tensors = {name: tensor.copy() for name, tensor in load(path.read_bytes()).items()}
    metadata = read_policy_metadata(path)
    change(tensors, metadata)
    path.write_bytes(save(tensors, metadata))


HOSTILE: dict[str, tuple[Change, str]] = {
    "missing tensor": (lambda t, m: t.pop("actor.1.bias"), r"tensor actor\.1\.bias is missing"),
    "missing layer": (lambda t, m: [t.pop(f"actor.1.{kind}") for kind in ("weight", "bias")], r"actor\.1\.weight is missing"),
    "no critic": (lambda t, m: [t.pop(name) for name in list(t) if name.startswith("critic")], r"critic\.0\.weight is missing"),
    "extra tensor": (lambda t, m: t.update(extra=np.zeros(1, np.float32)), "tensor 'extra' is unknown"),
    "strange number": (lambda t, m: t.update({"actor.01.bias": np.zeros(1, np.float32)}), r"'actor\.01\.bias' is unknown"),
    "far layer": (
        lambda t, m: t.update({"actor.9999.bias": np.zeros(1, np.float32)}),
        r"tensor actor\.3\.weight is missing",
    ),
    "double": (lambda t, m: t.update({"actor.0.bias": t["actor.0.bias"].astype(np.float64)}), r"actor\.0\.bias is of F64"),
    "half": (lambda t, m: t.update({"actor.0.bias": t["actor.0.bias"].astype(np.float16)}), r"actor\.0\.bias is of F16"),
    "integers": (lambda t, m: t.update({"critic.0.bias": t["critic.0.bias"].astype(np.int32)}), r"critic\.0\.bias is of I32"),
    "nan": (lambda t, m: t["critic.1.weight"].__setitem__((0, 0), np.nan), r"critic\.1\.weight has numbers that are not finite"),
    "infinite": (lambda t, m: t["actor.2.bias"].__setitem__(0, np.inf), r"actor\.2\.bias has numbers that are not finite"),
    "broken chain": (
        lambda t, m: t.update({"actor.1.weight": np.zeros((7, 11), np.float32)}),
        r"actor\.1\.weight has shape \(7, 11\)",
    ),
    "wrong bias": (
        lambda t, m: t.update({"actor.0.bias": np.zeros(13, np.float32)}),
        r"actor\.0\.bias has shape \(13,\): expected \(12,\)",
    ),
    "flat weight": (lambda t, m: t.update({"actor.0.weight": np.zeros(12, np.float32)}), r"actor\.0\.weight has shape \(12,\)"),
    "empty layer": (
        lambda t, m: t.update({"actor.0.weight": np.zeros((0, 38), np.float32), "actor.0.bias": np.zeros(0, np.float32)}),
        r"actor\.0\.weight has shape \(0, 38\)",
    ),
    "wrong input": (
        lambda t, m: t.update({f"{part}.0.weight": np.zeros((12, 37), np.float32) for part in ("actor", "critic")}),
        "map 37 features to 9 actions; expected 38 to 9",
    ),
    "wrong output": (
        lambda t, m: t.update({"actor.2.weight": np.zeros((8, 7), np.float32), "actor.2.bias": np.zeros(8, np.float32)}),
        "map 38 features to 8 actions; expected 38 to 9",
    ),
    "two values": (
        lambda t, m: t.update({"critic.2.weight": np.zeros((2, 7), np.float32), "critic.2.bias": np.zeros(2, np.float32)}),
        "critic maps 38 features to 2 values",
    ),
    "format": (lambda t, m: m.update(format="duel_env/checkpoint"), "expected metadata with format 'duel_env/policy'"),
    "no metadata": (lambda t, m: m.clear(), "expected metadata with format 'duel_env/policy'"),
    "version": (lambda t, m: m.update(version="2"), "version '2': this program reads version '1'"),
    "missing field": (lambda t, m: m.pop("digest"), "missing digest"),
    "activation": (lambda t, m: m.update(activation="exec"), "activation = 'exec': expected 'tanh' or 'relu'"),
    "ruleset": (lambda t, m: m.update(ruleset="chess"), "for ruleset 'chess'; this game has 'hogwarts'"),
    "ruleset version": (lambda t, m: m.update(ruleset_version="0"), "for ruleset_version '0'"),
    "observation version": (lambda t, m: m.update(observation_version="99"), "for observation_version '99'"),
    "digest": (lambda t, m: m.update(digest="0" * 16), "the policy is for rules '0000000000000000'"),
    "spells of a file": (lambda t, m: m.update(options='{"spells": "/etc/hostname"}'), "expected the list of spells itself"),
    "digest and escapes": (
        lambda t, m: m.update(digest="0\x1b[2J", options=json.dumps({"\x1b]0;x\x07": 1, "hit_points": 9})),
        r"rules '0\\x1b\[2J', .* they differ in '\\x1b\]0;x\\x07'",
    ),
    "escapes in a tensor's name": (lambda t, m: t.update({"\x1b[2J": np.zeros(1, np.float32)}), r"tensor '\\x1b\[2J' is unknown"),
    "digest and nonsense": (lambda t, m: m.update(digest="0" * 16, options="[" * 100_000), "the policy is for rules"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_changed_file_is_refused_by_name(game: Game, policy_file: Path, case: str) -> None:
    change, message = HOSTILE[case]
    rewritten(policy_file, change)
    with pytest.raises(SchemaError, match=message) as caught:
        load_policy(policy_file, game)
    assert str(policy_file) in str(caught.value), "the message names the file"
    assert str(caught.value).isprintable(), "and nothing in it moves the cursor"


def test_other_rules_are_named_by_the_options_that_differ(game: Game, policy_file: Path) -> None:
    other = make_game("hogwarts", {"hit_points": 3, "resolution": "simultaneous"})
    with pytest.raises(SchemaError, match="they differ in hit_points, resolution"):
        load_policy(policy_file, other)


@settings(max_examples=60)
@given(cut=st.floats(0.0, 1.0, exclude_max=True), seed=st.integers(0, 2**16))
def test_a_damaged_file_gives_a_named_error_or_a_sound_network(
    cut: float, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    game = make_game("hogwarts")
    path = tmp_path_factory.mktemp("damaged") / "policy.safetensors"
    save_policy(path, random_network(game), game, NOTES)
    content = path.read_bytes()
    path.write_bytes(content[: int(cut * len(content))])
    with pytest.raises(SchemaError):
        load_policy(path, game)
    rng = np.random.default_rng(seed)
    damaged = bytearray(content)
    for at in rng.integers(0, len(content), 3):
        damaged[at] = rng.integers(256)
    path.write_bytes(damaged)
    try:
        network = load_policy(path, game)
    except SchemaError:
        return
    assert all(np.isfinite(tensor).all() for tensor in network.tensors().values())


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 8, b"\xff" * 64, b"PK\x03\x04 a zip", b"\x02\0\0\0\0\0\0\0[]", b"\x80\x04\x95 a pickle"]
)
def test_other_files_are_refused(game: Game, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "policy.safetensors"
    path.write_bytes(content)
    for read in (lambda: load_policy(path, game), lambda: read_policy_game(path)):
        with pytest.raises(SchemaError, match=r"policy\.safetensors"):
            read()


def test_a_header_that_is_nested_without_end_is_refused(game: Game, tmp_path: Path) -> None:
    header = b'{"a":' * 100_000
    path = tmp_path / "policy.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(SchemaError, match="damaged"):
        load_policy(path, game)


def test_missing_and_huge_files_are_refused(game: Game, policy_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SchemaError, match=r"cannot read .*nowhere"):
        load_policy(policy_file.parent / "nowhere", game)
    with pytest.raises(SchemaError, match="cannot read"):
        load_policy(policy_file.parent, game)
    monkeypatch.setattr(module, "MAX_BYTES", policy_file.stat().st_size - 1)
    with pytest.raises(SchemaError, match="larger than"):
        load_policy(policy_file, game)


@pytest.mark.parametrize("options", ["", "[]", "{", "[" * 100_000])
def test_options_that_are_no_object_are_refused(policy_file: Path, options: str) -> None:
    rewritten(policy_file, lambda t, m: m.update(options=options))
    with pytest.raises(SchemaError, match="options"):
        read_policy_game(policy_file)


@pytest.mark.parametrize("spells", ["/etc/hostname", "", "spells.toml", {"path": "x"}, 3, None])
def test_options_that_name_a_file_instead_of_the_spells_are_refused(policy_file: Path, spells: object) -> None:
    rewritten(policy_file, lambda t, m: m.update(options=json.dumps({"spells": spells})))
    with pytest.raises(SchemaError, match=r"policy\.safetensors: metadata: options: spells: expected the list of spells itself"):
        read_policy_game(policy_file)


def test_a_strange_header_cannot_speak_to_the_terminal(game: Game, tmp_path: Path) -> None:
    entry = {"dtype": "\x1b[2J", "shape": [1], "data_offsets": [0, 4]}
    metadata = read_policy_metadata_of(game, tmp_path)
    header = json.dumps({"__metadata__": metadata, "actor.0.bias": entry}).encode()
    path = tmp_path / "strange.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\0" * 4)
    with pytest.raises(SchemaError) as caught:
        load_policy(path, game)
    assert str(caught.value).isprintable()


def read_policy_metadata_of(game: Game, folder: Path) -> dict[str, str]:
    save_policy(folder / "policy.safetensors", random_network(game), game, NOTES)
    return read_policy_metadata(folder / "policy.safetensors")


def test_options_in_a_file_are_those_of_the_game(game: Game, policy_file: Path) -> None:
    assert json.loads(read_policy_metadata(policy_file)["options"]) == game.options_json()
