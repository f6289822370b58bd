import json

import numpy as np
import pytest
from safetensors.numpy import save

from duel_env.errors import ConfigError, SchemaError
from tests.training.settings import tiny_config
from training import checkpoint
from training.checkpoint import read_checkpoint, write_checkpoint

RECORD = np.dtype([("key", np.uint64), ("flags", np.int8, 2)])


def arrays():
    rng = np.random.default_rng(0)
    records = np.zeros(5, RECORD)
    records["key"] = rng.integers(0, 2**63, 5)
    records["flags"] = rng.integers(-5, 5, (5, 2))
    return {
        "weights": rng.standard_normal((3, 4)).astype(np.float32),
        "records": records,
        "empty": np.zeros((5, 0, 3), np.int32),
        "bytes": rng.integers(0, 255, 7).astype(np.uint8),
        "scalar": np.array(2.5, np.float32),
    }


@pytest.fixture
def path(tmp_path):
    return tmp_path / "update-000001.safetensors"


def write(path, content=None, config=None, game="rules"):
    write_checkpoint(path, content or arrays(), {"update": 7}, config or tiny_config(), game)


def read(path, expected=None, counters=("update",), config=None, game="rules"):
    return read_checkpoint(path, expected or arrays(), counters, config or tiny_config(), game)


def test_what_is_written_is_read_bit_for_bit(path):
    write(path)
    found = read(path)
    assert found.counters == {"update": 7}
    for name, array in arrays().items():
        assert found.arrays[name].dtype == array.dtype
        assert found.arrays[name].shape == array.shape
        assert found.arrays[name].tobytes() == array.tobytes()
        assert found.arrays[name].flags.writeable


def test_equal_states_give_equal_files(path, tmp_path):
    write(path)
    write(tmp_path / "again")
    assert path.read_bytes() == (tmp_path / "again").read_bytes()


@pytest.mark.parametrize("kept", [0, 4, 8, 100, -100, -1])
def test_a_file_that_was_cut_off_is_refused(path, kept):
    write(path)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(SchemaError, match="damaged, or no safetensors file"):
        read(path)


def test_every_flipped_byte_is_noticed(path):
    write(path)
    content = path.read_bytes()
    for at in np.random.default_rng(1).choice(len(content), 60, replace=False):
        damaged = bytearray(content)
        damaged[at] ^= 0x41
        path.write_bytes(bytes(damaged))
        # A space of the header's padding, or the way a number is written, may change without any effect.
        try:
            found = read(path)
        except (SchemaError, ConfigError):
            continue
        for name, array in arrays().items():
            assert found.arrays[name].tobytes() == array.tobytes(), at


def test_a_missing_file_and_a_folder_are_named(path, tmp_path):
    with pytest.raises(SchemaError, match="cannot read"):
        read(path)
    with pytest.raises(SchemaError):
        read(tmp_path)


def test_a_file_that_is_too_large_is_not_read(path, monkeypatch):
    write(path)
    monkeypatch.setattr(checkpoint, "MAX_BYTES", 100)
    with pytest.raises(SchemaError, match="larger than 100 bytes"):
        read(path)


def test_other_settings_are_refused_by_name(path):
    write(path)
    with pytest.raises(ConfigError, match=r"other settings: ppo\.gae_lambda, seed differ"):
        read(path, config=tiny_config(seed=4, ppo__gae_lambda=0.5))


def test_other_rules_are_refused(path):
    write(path)
    with pytest.raises(SchemaError, match="of rules 'rules'; the game now has 'other'"):
        read(path, game="other")


def changed(name, array):
    return {**arrays(), name: array}


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("weights", np.zeros((3, 5), np.float32)),
        ("weights", np.zeros((3, 4), np.float64)),
        ("weights", np.zeros((3, 4), np.int32)),
        ("records", np.zeros(4, RECORD)),
        ("records", np.zeros(5, [("key", np.uint64), ("flag", np.int8, 2)])),
        ("bytes", np.zeros(7, np.int8)),
    ],
)
def test_arrays_of_another_shape_or_kind_are_refused_by_name(path, name, array):
    write(path, changed(name, array))
    with pytest.raises(SchemaError, match=f"{name} is .*; expected"):
        read(path)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused_by_name(path, value):
    weights = arrays()["weights"]
    weights[1, 2] = value
    write(path, changed("weights", weights))
    with pytest.raises(SchemaError, match="weights has values that are not finite"):
        read(path)


def test_missing_and_unknown_arrays_are_refused(path):
    write(path)
    with pytest.raises(SchemaError, match="expected exactly the arrays"):
        read(path, changed("more", np.zeros(1)))
    less = arrays()
    del less["bytes"]
    with pytest.raises(SchemaError, match="expected exactly the arrays"):
        read(path, less)


@pytest.mark.parametrize(
    "counters", [{"update": 1, "more": 2}, {}, {"update": -1}, {"update": 1.5}, {"update": True}, {"update": None}]
)
def test_counters_that_are_not_accepted_are_refused(path, counters):
    write_checkpoint(path, arrays(), counters, tiny_config(), "rules")
    with pytest.raises(SchemaError, match="counter"):
        read(path)


@pytest.mark.parametrize(
    "header", [None, {}, {"checkpoint": "[]"}, {"checkpoint": "{"}, {"checkpoint": json.dumps({"format": "other", "version": 1})}]
)
def test_other_files_of_tensors_are_refused(path, header):
    path.write_bytes(save({"weights": np.zeros(3, np.float32)}, header))
    with pytest.raises(SchemaError):
        read(path)


def test_another_version_is_refused(path, monkeypatch):
    monkeypatch.setattr(checkpoint, "FORMAT_VERSION", 2)
    write(path)
    monkeypatch.undo()
    with pytest.raises(SchemaError, match="version 2; expected 'duel_env/checkpoint' version 1"):
        read(path)


def test_writing_leaves_no_other_file(path):
    write(path)
    write(path)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
