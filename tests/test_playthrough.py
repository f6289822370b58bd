"""Playthrough files: golden ones replay line by line, wrong ones fail with the line."""

import json
import os
from pathlib import Path

import pytest

from duel_env.errors import SchemaError
from duel_env.playthrough import Move, Playthrough, final_duel, read_playthrough, replay
from duel_env.rules.hogwarts.story import describe_event, describe_state
from tests.helpers import begin

GOLDEN = Path(__file__).parent / "golden"
HEADER = '{"ruleset": "hogwarts", "skills": [60, 60], "first_caster": 0}'


def write(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "duel.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def told(playthrough: Playthrough, language: str) -> str:
    """The replay as text: every event, and the state after each of the file's lines."""
    lines: list[str] = []
    last = 0
    for step in replay(playthrough):
        if step.line != last and last:
            lines.append(describe_state(step.before, language))
        last = step.line
        lines.append(describe_event(step.before, step.after, step.event, language))
    lines.append(describe_state(final_duel(playthrough), language))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.jsonl")), ids=lambda path: path.stem)
@pytest.mark.parametrize("language", ["en", "fr"])
def test_golden_playthrough(path, language):
    """To change them on purpose: write the new text, read it against the rules page, and say why in the changelog."""
    expected = path.with_suffix(f".{language}.txt").read_text(encoding="utf-8")
    assert told(read_playthrough(path), language) == expected


def test_there_are_golden_playthroughs_for_every_kind_of_end():
    ends = {int(final_duel(read_playthrough(path)).state["end"][0]) for path in GOLDEN.glob("*.jsonl")}
    assert ends >= {1, 2, 3, 4}


def test_what_is_written_is_read_back(tmp_path):
    moves = (Move(0, (34,), 0), Move(5, (61,), 1), Move(42, (), 1, disqualified=True))
    made = Playthrough(begin().game, {"skills": [60, 60], "first_caster": 0}, (), moves)
    path = tmp_path / "made.jsonl"
    made.write(path)
    again = read_playthrough(path)
    assert again.moves == moves
    assert again.game is made.game
    assert final_duel(again) == final_duel(made)
    assert final_duel(again).is_disqualified


def test_coin_stands_in_the_first_line(tmp_path):
    header = '{"ruleset": "hogwarts", "skills": [60, 60], "dice": [2]}'
    assert final_duel(read_playthrough(write(tmp_path, header))).current_player == 1


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([""], "is empty"),
        (["{"], "line 1: not JSON"),
        (["[1]"], "line 1: expected a JSON object"),
        (['{"skills": [60, 60]}'], "line 1: the first line names the ruleset"),
        (['{"ruleset": "chess"}'], "line 1: unknown ruleset 'chess'"),
        (['{"ruleset": "hogwarts", "ruleset": "hogwarts"}'], "line 1: a key stands twice"),
        (['{"ruleset": "hogwarts", "skill": 60}'], "unknown key skill"),
        (['{"ruleset": "hogwarts", "skills": [60, 600]}'], "line 1: set-up: skills"),
        (['{"ruleset": "hogwarts", "options": {"hit_point": 1}}'], "unknown key hit_point"),
        (['{"ruleset": "hogwarts", "format": "x"}'], "expected format"),
        (['{"ruleset": "hogwarts", "digest": "x"}'], "recorded under rules"),
        (['{"ruleset": "hogwarts", "ruleset_version": 9}'], "recorded with version 9"),
        ([HEADER, '{"action": "stupefi", "dice": [1]}'], "line 2: unknown action 'stupefi'"),
        ([HEADER, '{"action": 1.5, "dice": [1]}'], "line 2: action = 1.5"),
        ([HEADER, '{"action": "stupefy", "dice": 1}'], "line 2: dice = 1"),
        ([HEADER, '{"action": "stupefy", "roll": [1]}'], "line 2: unknown key roll"),
        ([HEADER, '{"action": "stupefy", "player": 2}'], "line 2: player = 2"),
        ([HEADER, '{"action": "stupefy", "disqualified": 1}'], "line 2: disqualified = 1"),
        ([HEADER, "[" * 100_000], "line 2: not JSON"),
        ([HEADER, '{"action": 0, "dice": [' + "9" * 5_000 + "]}"], "line 2: not JSON"),
        ([HEADER, '{"action": ' + "9" * 4_000 + ', "disqualified": true}'], "line 2: action = 999"),
        ([HEADER, '{"action": 0, "player": 0.0, "dice": [1]}'], "line 2: player = 0.0"),
        ([HEADER, '{"action": 0, "\\u001b[31mEVIL": 1}'], r"line 2: unknown key '\x1b[31mEVIL'"),
        (['{"ruleset": "hogwarts", "skills": [[20, 95], 60]}'], "line 1: a recorded duel has single numbers"),
        (
            ['{"ruleset": "hogwarts", "options": {"spells": "/etc/hostname"}}'],
            "line 1: options: spells: a data file holds the list",
        ),
        (["", "", HEADER, "", '{"action": "stupefi"}'], "line 5: unknown action"),
        ([HEADER, '{"action": "stupefy", "dice": [1]}\u2028', "7"], "line 2: not JSON"),
    ],
)
def test_files_that_cannot_be_read_name_the_line(tmp_path, lines, message):
    with pytest.raises(SchemaError) as caught:
        read_playthrough(write(tmp_path, *lines))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"action": "pass"}'], "line 2: action 8 (pass) is illegal for player 0; legal: 0 stupefy"),
        (['{"action": "stupefy"}'], "line 2: a die is missing: the d100 of player 0 for stupefy is due"),
        (['{"action": "stupefy", "dice": [1, 2]}'], "line 2: dice are left over: [2]"),
        (['{"action": "stupefy", "dice": [101]}'], "line 2: face 101"),
        (['{"player": 1, "action": "stupefy", "dice": [1]}'], "line 2: player 1 acts, but it is the turn of player 0"),
        (['{"action": "stupefy", "disqualified": true}'], "line 2: stupefy is legal"),
        (['{"action": 99, "disqualified": true}', '{"action": 0}'], "line 3: the duel is over"),
        (['{"action": "expelliarmus", "dice": [1]}', '{"action": "stupefy", "dice": [1]}'], "line 3: dice are left over: [1]"),
    ],
)
def test_replay_fails_naming_the_line(tmp_path, lines, message):
    with pytest.raises(SchemaError) as caught:
        final_duel(read_playthrough(write(tmp_path, HEADER, *lines)))
    assert message in str(caught.value)


def test_replay_counts_blank_lines(tmp_path):
    path = write(tmp_path, "", HEADER, "", '{"action": "pass"}')
    with pytest.raises(SchemaError, match=r"line 4: action 8 \(pass\) is illegal"):
        final_duel(read_playthrough(path))


def test_pipes_and_devices_are_not_read(tmp_path):
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero"), tmp_path):
        with pytest.raises(SchemaError, match="not a regular file"):
            read_playthrough(path)


def test_a_coin_that_is_missing_is_the_first_lines_fault(tmp_path):
    with pytest.raises(SchemaError, match=r"line 1: a die is missing: the coin"):
        final_duel(read_playthrough(write(tmp_path, '{"ruleset": "hogwarts", "skills": [60, 60]}')))


def test_files_too_large_or_not_text_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "binary.jsonl"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SchemaError, match="not UTF-8"):
        read_playthrough(path)
    with pytest.raises(SchemaError, match="cannot read"):
        read_playthrough(tmp_path / "nowhere.jsonl")
    monkeypatch.setattr("duel_env.playthrough.MAX_BYTES", 10)
    with pytest.raises(SchemaError, match="larger than"):
        read_playthrough(write(tmp_path, HEADER))


def test_lines_are_json_objects():
    made = Playthrough(begin().game, {"skills": [60, 60], "first_caster": 0}, (), (Move(0, (34,), 0),))
    header, move = map(json.loads, made.to_lines())
    assert header["ruleset"] == "hogwarts"
    assert header["skills"] == [60, 60]
    assert move == {"player": 0, "action": "stupefy", "dice": [34]}
