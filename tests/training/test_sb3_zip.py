import contextlib
import io
import pickle
import zipfile

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from torch import nn

from duel_env.errors import DuelError, SchemaError
from training import sb3_zip
from training.sb3_vec_env import DuelSB3VecEnv
from training.sb3_zip import load_zip_agent, policy_network_of, read_sb3_zip


@pytest.fixture(scope="module")
def env():
    from duel_env.game import make_game

    game = make_game("hogwarts")
    return DuelSB3VecEnv(game, game.setup(), 8)


def saved(env, path, algorithm=MaskablePPO, **policy):
    model = algorithm("MlpPolicy", env, n_steps=8, batch_size=64, policy_kwargs=policy, seed=0, device="cpu")
    model.save(path)
    return model


@pytest.mark.parametrize("algorithm", [MaskablePPO, PPO])
@pytest.mark.parametrize(
    ("activation", "module", "shape"),
    [("tanh", nn.Tanh, [16, 12]), ("relu", nn.ReLU, {"pi": [16], "vf": [24, 8]}), ("tanh", nn.Tanh, [])],
)
def test_a_saved_model_has_the_same_logits_and_values(env, tmp_path, algorithm, activation, module, shape):
    model = saved(env, tmp_path / "model.zip", algorithm, activation_fn=module, net_arch=shape)
    network = read_sb3_zip(tmp_path / "model.zip", activation)
    observation = np.random.default_rng(0).random((30, env.game.observation_size), np.float32)
    with torch.no_grad():
        tensor = torch.from_numpy(observation)
        values = model.policy.predict_values(tensor).numpy()[:, 0]
        logits = model.policy.action_net(model.policy.mlp_extractor.forward_actor(tensor)).numpy()
    np.testing.assert_allclose(network.logits(observation), logits, atol=1e-5)
    np.testing.assert_allclose(network.values(observation), values, atol=1e-5)


def test_a_model_is_an_agent(env, tmp_path):
    saved(env, tmp_path / "model.zip")
    agent = load_zip_agent(tmp_path / "model.zip", env.game)
    env.seed(0)
    observation = env.reset()
    mask = env.action_masks().astype(np.int8)
    probabilities = agent.policy(observation, mask)
    assert probabilities.shape == (8, env.game.num_actions)
    assert (probabilities[mask == 0] == 0.0).all()


def test_a_part_that_both_networks_share_is_in_both():
    generator = torch.Generator().manual_seed(0)

    def layer(name, outputs, inputs):
        weight, bias = (torch.randn(shape, generator=generator) for shape in ((outputs, inputs), (outputs,)))
        return {f"{name}.weight": weight, f"{name}.bias": bias}

    state = {
        **layer("mlp_extractor.shared_net.0", 5, 7),
        **layer("mlp_extractor.policy_net.0", 4, 5),
        **layer("action_net", 3, 4),
        **layer("value_net", 1, 5),
    }
    network = policy_network_of(state, "relu")
    assert [weight.shape for weight, _ in network.actor] == [(5, 7), (4, 5), (3, 4)]
    assert [weight.shape for weight, _ in network.critic] == [(5, 7), (1, 5)]


class Bomb:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return (open, (self.path, "w"))


def archive(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def as_torch(value):
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def test_code_in_a_model_is_not_run(tmp_path):
    mark = tmp_path / "mark"
    for content in (as_torch(Bomb(mark)), pickle.dumps(Bomb(mark)), as_torch({"action_net.weight": Bomb(mark)})):
        path = archive(tmp_path / "bomb.zip", {"policy.pth": content, "data": pickle.dumps(Bomb(mark))})
        with pytest.raises(SchemaError, match="does not hold weights, and nothing else"):
            read_sb3_zip(path)
    assert not mark.exists()


def good_state():
    shapes = {
        "mlp_extractor.policy_net.0": (4, 7),
        "mlp_extractor.value_net.0": (4, 7),
        "action_net": (3, 4),
        "value_net": (1, 4),
    }
    return {f"{name}.weight": torch.zeros(shape) for name, shape in shapes.items()} | {
        f"{name}.bias": torch.zeros(shape[0]) for name, shape in shapes.items()
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"action_net.weight": None}, "action_net.weight: expected .* found nothing"),
        ({"action_net.weight": torch.zeros(3, 4, dtype=torch.float64)}, "found torch.float64"),
        ({"action_net.weight": torch.zeros(3, 5)}, "actor.1.weight has shape"),
        ({"action_net.bias": torch.full((3,), torch.nan)}, "not finite"),
        ({"value_net.weight": torch.zeros(2, 4), "value_net.bias": torch.zeros(2)}, "critic"),
        ({"log_std": torch.zeros(3)}, "a policy with log_std is no MlpPolicy"),
        ({"features_extractor.cnn.0.weight": torch.zeros(3)}, "is no MlpPolicy"),
        ({"mlp_extractor.policy_net.x.weight": torch.zeros(3, 3)}, "parts that are no layers"),
    ],
)
def test_other_tensors_are_refused_by_name(tmp_path, change, message):
    state = {name: value for name, value in {**good_state(), **change}.items() if value is not None}
    path = archive(tmp_path / "model.zip", {"policy.pth": as_torch(state)})
    with pytest.raises(SchemaError, match=message):
        read_sb3_zip(path)


@pytest.mark.parametrize("content", [as_torch([1, 2]), as_torch({"a": 1}), as_torch(torch.zeros(3)), b"", b"not a file of torch"])
def test_what_is_no_table_of_tensors_is_refused(tmp_path, content):
    with pytest.raises(SchemaError):
        read_sb3_zip(archive(tmp_path / "model.zip", {"policy.pth": content}))


@pytest.mark.parametrize("name", ["../evil", "a/b", "/abs", "c:\\x", ".hidden"])
def test_an_archive_with_folders_is_refused(tmp_path, name):
    path = archive(tmp_path / "model.zip", {"policy.pth": as_torch(good_state()), name: b"x"})
    with pytest.raises(SchemaError, match="a saved model has no folders"):
        read_sb3_zip(path)


def test_archives_without_a_policy_or_with_two_are_refused(tmp_path):
    with pytest.raises(SchemaError, match=r"expected one policy\.pth, among data"):
        read_sb3_zip(archive(tmp_path / "model.zip", {"data": b"{}"}))
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as file:
        file.writestr("policy.pth", as_torch(good_state()))
        with pytest.warns(UserWarning, match="Duplicate name"):
            file.writestr("policy.pth", as_torch(good_state()))
    with pytest.raises(SchemaError, match=r"expected one policy\.pth"):
        read_sb3_zip(tmp_path / "two.zip")


def test_limits_of_size_hold_while_unpacking(tmp_path, monkeypatch):
    path = archive(tmp_path / "model.zip", {"policy.pth": b"\0" * 5_000_000})
    monkeypatch.setattr(sb3_zip, "MAX_POLICY_BYTES", 1_000_000)
    with pytest.raises(SchemaError, match="larger than 1,000,000 bytes when unpacked"):
        read_sb3_zip(path)
    monkeypatch.setattr(sb3_zip, "MAX_ARCHIVE_BYTES", 100)
    with pytest.raises(SchemaError, match="larger than 100 bytes"):
        read_sb3_zip(path)
    many = archive(tmp_path / "many.zip", {f"m{number}": b"" for number in range(100)})
    monkeypatch.undo()
    with pytest.raises(SchemaError, match="has 100 members"):
        read_sb3_zip(many)


def test_damaged_archives_are_refused_whatever_is_wrong_with_them(tmp_path):
    path = archive(tmp_path / "model.zip", {"policy.pth": as_torch(good_state())})
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(150):
        damaged = bytearray(content)
        for at in rng.choice(len(content), 3):
            damaged[at] = rng.integers(256)
        path.write_bytes(bytes(damaged[: rng.integers(1, len(content) + 1)] if rng.random() < 0.3 else damaged))
        with contextlib.suppress(DuelError):  # whatever else is raised fails the test
            read_sb3_zip(path)
    with pytest.raises(SchemaError, match="cannot read"):
        read_sb3_zip(tmp_path / "none.zip")
    with pytest.raises(SchemaError):
        read_sb3_zip(tmp_path)
