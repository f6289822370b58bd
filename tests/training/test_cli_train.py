import pytest

from agents.network import read_policy_metadata
from duel_env.config import read_toml
from tests.training.settings import tiny_settings
from training.cli import main
from training.toml_text import to_toml


@pytest.fixture
def settings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(to_toml(tiny_settings()), encoding="utf-8")
    return "tiny.toml"


def duel(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["train", *arguments])
    return int(stop.value.code or 0)


def test_a_run_goes_where_it_is_named_after_and_says_what_came_of_it(settings, tmp_path, capsys):
    assert duel(settings, "--seed", "12", "--set", "ppo.clip_coef=0.1", "--set", "run.evaluate_every=6") == 0
    folder = tmp_path / "runs" / "tiny-seed12"
    config = read_toml(folder / "config.toml")
    assert config["seed"] == 12
    assert config["ppo"]["clip_coef"] == 0.1
    out = capsys.readouterr().out
    assert "won against random " in out
    assert "(n = 8 each)" in out
    assert "trained for 768 steps; the policy is" in out
    notes = read_policy_metadata(folder / "policy.safetensors")
    assert notes["steps"] == "768"
    assert duel(settings, "--seed", "12", "--set", "ppo.clip_coef=0.1", "--set", "run.evaluate_every=6", "--resume") == 0
    assert "is finished" in capsys.readouterr().out


def test_a_run_with_a_file_of_rules_goes_on_without_it(settings, tmp_path):
    (tmp_path / "rules.toml").write_text("hit_points = 3\n", encoding="utf-8")
    assert duel(settings, "--rules", "rules.toml", "--quiet", "--output", "run") == 0
    assert read_toml(tmp_path / "run" / "config.toml")["game"]["hit_points"] == 3
    (tmp_path / "rules.toml").unlink()
    assert duel("run/config.toml", "--quiet", "--output", "run", "--resume") == 0


def test_quiet_is_quiet(settings, capsys):
    assert duel(settings, "--quiet", "--output", "somewhere") == 0
    assert capsys.readouterr().out == ""


def test_errors_are_one_line_each(settings, capsys):
    for arguments, message in (
        (("none.toml",), "cannot read none.toml"),
        ((settings, "--set", "ppo.clip=1"), "unknown key ppo.clip (did you mean clip_coef?)"),
        ((settings, "--set", "seed"), "expected KEY=VALUE"),
        ((settings, "--output", "."), "exists already"),
        ((settings, "--output", settings, "--resume"), "is no folder"),
        ((settings, "--output", f"{settings}/sub"), "cannot write"),
        ((settings, "--output", "/proc/none"), "cannot write"),
        ((settings, "--set", "seed=" + "9" * 5000), "at most 64 bits"),
        ((settings, "--set", "ppo.num_envs=1000000000000"), "ppo.num_envs"),
        ((settings, "--set", "\x1b]0;title\x07=1"), "unknown key"),
    ):
        assert duel(*arguments) == 2
        err = capsys.readouterr().err
        assert message in err
        assert "Traceback" not in err
        assert err.count("\n") == 1
        assert err.removesuffix("\n").isprintable()


def test_a_missing_extra_is_named(settings, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "training.train", None)
    monkeypatch.setattr("training.cli.train._EXTRA", {"training"})
    assert duel(settings) == 2
    assert "pip install 'duel-env[train]'" in capsys.readouterr().err
