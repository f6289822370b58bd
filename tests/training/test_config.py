import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duel_env.config import load
from duel_env.errors import ConfigError
from duel_env.game import make_game
from duel_env.rules_file import write_rules
from tests.training.settings import tiny_config, tiny_settings
from training.config import TrainConfig, differing_keys, load_train_config
from training.toml_text import to_toml

CONFIGS = sorted((Path(__file__).parents[2] / "configs" / "train").glob("*.toml"))

numbers = st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False)
keys = st.text(min_size=1, max_size=8)
scalars = numbers | st.booleans() | st.text(max_size=12)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=12
)


@given(table=st.dictionaries(keys, values, max_size=5))
def test_toml_text_is_read_back_as_the_same_table(table):
    assert tomllib.loads(to_toml(table)) == table


def test_what_toml_does_not_know_is_refused():
    with pytest.raises(TypeError, match="NoneType"):
        to_toml({"a": None})


def written(tmp_path: Path, **changes) -> Path:
    path = tmp_path / "some.toml"
    path.write_text(to_toml(tiny_settings(**changes)), encoding="utf-8")
    return path


def test_a_file_and_its_resolved_settings_are_the_same_run(tmp_path):
    config = load_train_config(written(tmp_path))
    assert config == tiny_config()
    (tmp_path / "again.toml").write_text(to_toml(config.to_dict()), encoding="utf-8")
    again = load_train_config(tmp_path / "again.toml")
    assert again == config
    assert again.digest == config.digest
    assert tiny_config(seed=4).digest != config.digest
    assert config.num_updates == 6


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ppo__learning_rat": 1.0}, r"unknown key ppo\.learning_rat \(did you mean learning_rate\?\); allowed: .*clip_coef"),
        ({"sede": 1}, r"unknown key sede \(did you mean seed\?\)"),
        ({"game__skils": [1, 2]}, r"\[game\]: unknown key skils; allowed: .*skills"),
        ({"game__skills": [1, 200]}, r"skills"),
        ({"ruleset": "hogwartz"}, "unknown ruleset 'hogwartz'; available: hogwarts"),
        ({"algorithm": "dqn"}, r"algorithm = 'dqn'.*ppo.*maskable_ppo"),
        ({"seed": -1}, "seed = -1"),
        ({"seed": 1.5}, r"seed = 1\.5"),
        ({"ppo__gamma": 1.5}, r"ppo\.gamma = 1\.5"),
        ({"ppo__learning_rate": float("inf")}, r"ppo\.learning_rate = inf"),
        ({"ppo__learning_rate": "fast"}, r"ppo\.learning_rate = 'fast'"),
        ({"ppo__normalize_advantages": 1}, r"ppo\.normalize_advantages = 1"),
        ({"network__hidden": []}, r"network\.hidden"),
        ({"network__activation": "gelu"}, r"network\.activation = 'gelu'"),
        ({"ppo__entropy_end_at": 0.0}, r"ppo\.entropy_end_at = 0\.0"),
        ({"run__exploitability_pairs": [[60]]}, r"run\.exploitability_pairs\.0"),
        (
            {"run__exploitability_pairs": [[60, 50], [50, 60], [60, 50]]},
            r"run\.exploitability_pairs = .*a pair of skills is there twice",
        ),
        ({"run__exploitability_pairs": [60, 60]}, r"run\.exploitability_pairs\.0 = 60"),
        ({"run__exploitability_pairs": [[60.5, 60]]}, r"run\.exploitability_pairs\.0\.0 = 60\.5"),
        ({"run__evaluation_duels": 7}, r"run\.evaluation_duels = 7"),
        ({"run__threads": 3}, r"run\.threads = 3"),
        ({"ppo__num_envs": 10**15}, r"ppo\.num_envs = 10+.*1048576"),
        ({"ppo__num_envs": 2**20, "ppo__num_steps": 17, "total_steps": 10**9}, "at most 16,777,216 decisions in a batch"),
        ({"ppo__num_steps": 2**21}, r"ppo\.num_steps = 2097152.*1048576"),
        ({"ppo__epochs": 10**9}, r"ppo\.epochs"),
        ({"network__hidden": [8193]}, r"network\.hidden\.0 = 8193.*8192"),
        ({"network__hidden": [8] * 33}, r"network\.hidden.*32"),
        ({"network__hidden": [8192] * 3}, "network.hidden means 134,217,728 weights: at most 16,777,216"),
        (
            {"ppo__num_envs": 2**16, "network__hidden": [8192], "total_steps": 10**9},
            "262,144 decisions at once .* with 8,192 hidden units: their product is at most 268,435,456",
        ),
        ({"run__evaluation_duels": 4 * 10**9}, r"run\.evaluation_duels"),
        ({"total_steps": 10**16}, "total_steps"),
        (
            {
                "algorithm": "maskable_ppo",
                "network__hidden": [4096, 4096],
                "ppo__skip_forced_moves": False,
                "ppo__random_opening": 0,
                "self_play": {"latest_share": 1.0, "pool_size": 100, "snapshot_every": 1, "refresh_every": 1},
            },
            "a pool of 100 such networks: at most 268,435,456 weights in all",
        ),
        ({"total_steps": 100}, r"less than one batch: num_envs \* num_steps = 128"),
        ({"ppo__minibatches": 129}, "129 minibatches of a batch of 128"),
        ({"self_play": {"latest_share": 1.0, "pool_size": 1, "snapshot_every": 1, "refresh_every": 1}}, r"table \[self_play\]"),
        ({"algorithm": "maskable_ppo", "ppo__random_opening": 1}, "cannot leave out decisions"),
    ],
)
def test_settings_that_are_not_accepted_are_named(tmp_path, changes, message):
    with pytest.raises(ConfigError, match=message):
        load_train_config(written(tmp_path, **changes))


@pytest.mark.parametrize("path", ["seed", "ppo", "ppo.clip_coef", "network.hidden", "run.opponents", "game"])
def test_no_setting_has_a_hidden_default(path):
    settings = tiny_settings()
    *tables, key = path.split(".")
    table = settings
    for name in tables:
        table = table[name]
    del table[key]
    with pytest.raises(ConfigError, match=f"missing key {path}"):
        load(TrainConfig, settings, "test")


def test_every_setting_has_a_description():
    models = [TrainConfig]
    while models:
        for name, field in models.pop().model_fields.items():
            nested = [field.annotation, *getattr(field.annotation, "__args__", ())]
            models += [part for part in nested if isinstance(part, type) and hasattr(part, "model_fields")]
            assert field.description or hasattr(field.annotation, "model_fields"), name


def test_a_file_of_rules_becomes_part_of_the_settings(tmp_path):
    """The run does not depend on the file: what is resolved holds the rules, and is the same run."""
    spells = [{"id": "zap", "en": "Zap", "fr": "Zap", "penalty": 0, "damage": 1}]
    write_rules(tmp_path / "rules.toml", make_game("hogwarts", {"hit_points": 4, "spells": spells}))
    (tmp_path / "run.toml").write_text(to_toml(tiny_settings(game__skills=[70, 60])), encoding="utf-8")
    config = load_train_config(tmp_path / "run.toml", rules=tmp_path / "rules.toml")
    game, setup = config.make_game_and_setup()
    assert game.digest == make_game("hogwarts", {"hit_points": 4, "spells": spells}).digest
    assert setup["skill_low"].tolist() == [[70, 60]]
    (tmp_path / "rules.toml").unlink()
    (tmp_path / "resolved.toml").write_text(to_toml(config.to_dict()), encoding="utf-8")
    assert load_train_config(tmp_path / "resolved.toml").digest == config.digest


def test_a_file_of_rules_does_not_contradict_the_settings(tmp_path):
    (tmp_path / "run.toml").write_text(to_toml(tiny_settings()), encoding="utf-8")
    (tmp_path / "rules.toml").write_text("hit_points = 4\n", encoding="utf-8")
    load_train_config(tmp_path / "run.toml", ["game.hit_points=4"], tmp_path / "rules.toml")
    with pytest.raises(
        ConfigError, match=r"hit_points: the table \[game\] has a value of its own, and .*rules\.toml another one"
    ):
        load_train_config(tmp_path / "run.toml", ["game.hit_points=3"], tmp_path / "rules.toml")
    write_rules(tmp_path / "rules.toml", make_game("hogwarts", {"hit_points": 4}))
    with pytest.raises(ConfigError, match="a whole file of rules is given by --rules FILE"):
        load_train_config(tmp_path / "run.toml", [f'game.spells="{tmp_path / "rules.toml"}"'])
    (tmp_path / "rules.toml").write_text("hit_point = 4\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"rules\.toml: unknown key hit_point"):
        load_train_config(tmp_path / "run.toml", rules=tmp_path / "rules.toml")


def test_overrides_replace_single_settings(tmp_path):
    path = written(tmp_path)
    changes = [
        "ppo.learning_rate=1e-4",
        "seed=7",
        "network.hidden=[4]",
        "game.skills=[[20, 95], 60]",
        "run.opponents=[]",
        "seed = 8",
    ]
    config = load_train_config(path, changes)
    assert config.ppo.learning_rate == 1e-4
    assert config.seed == 8
    assert config.network.hidden == (4,)
    assert config.game["skills"] == [[20, 95], 60]
    assert config.run.opponents == ()
    assert load_train_config(path, ["network.activation=relu"]).network.activation == "relu"  # text needs no quotes


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("seed", "expected KEY=VALUE"),
        ("=1", "expected KEY=VALUE"),
        ("ppo.=1", "expected KEY=VALUE"),
        ("seed=", "expected KEY=VALUE"),
        ("seed.x=1", "seed is a value, not a table"),
        ("ppo.lambda=1", r"unknown key ppo\.lambda"),
        ("ppo.learning_rate=1e-", r"ppo\.learning_rate = '1e-'"),
        ("ppo=3", "ppo = 3"),
        ("seed=1\nruleset=2", "seed"),
        ("seed=" + "9" * 5000, r"--set seed = 9{80}\.\.\. \(5,000 characters\): expected integers of at most 64 bits"),
        ("seed=0x" + "f" * 5000, r"--set seed = 0xf+\.\.\. .*: expected integers of at most 64 bits"),
        ("game.skills=[60, [2, " + "9" * 500 + "]]", "expected integers of at most 64 bits"),
        ("game.skills=" + "[" * 3000 + "]" * 3000, "nested at most 32 deep"),
        ("game.skills=" + "[" * 40 + "]" * 40, "nested at most 32 deep"),
        ("game.skills={" + "a." * 3000 + "a = 1}", "nested at most 32 deep"),
        ("a." * 3000 + "a=1", "no setting lies deeper than 8 names"),
    ],
)
def test_overrides_that_are_not_accepted_are_named(tmp_path, override, message):
    with pytest.raises(ConfigError, match=message):
        load_train_config(written(tmp_path), [override])


def test_files_that_are_no_toml_are_named(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot read .*none\.toml"):
        load_train_config(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("seed = = 1", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"bad\.toml is not valid TOML"):
        load_train_config(tmp_path / "bad.toml")


@pytest.mark.parametrize("value", ["9" * 5000, "0x" + "f" * 5000, "[" * 3000 + "]" * 3000, "[" * 40 + "]" * 40])
def test_files_beyond_all_limits_are_named(tmp_path, value):
    path = tmp_path / "some.toml"
    path.write_text(f"seed = {value}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"some\.toml"):
        load_train_config(path)


def test_differing_keys_are_found_in_nested_tables():
    assert differing_keys({"a": 1, "b": {"c": 2, "d": 3}}, {"a": 1, "b": {"c": 4}, "e": 5}) == ["b.c", "b.d", "e"]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_shipped_settings_load_and_say_what_to_expect(path):
    config = load_train_config(path)
    assert config.num_updates > config.run.checkpoint_every
    assert config.num_updates > config.run.evaluate_every
    assert path.read_text(encoding="utf-8").startswith("# ")
    readme = (path.parents[1] / "README.md").read_text(encoding="utf-8")
    assert f"`train/{path.name}`" in readme


def test_there_are_shipped_settings():
    assert len(CONFIGS) >= 4
