"""Files are written whole or not at all; what is no file stays what it is."""

import os
import stat
from pathlib import Path

import pytest

from duel_env.errors import ConfigError
from duel_env.files import write_atomically
from duel_env.game import make_game
from duel_env.rules_file import write_rules


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "some" / "file"
    for content in (b"old", b"new"):
        write_atomically(path, content)
        assert path.read_bytes() == content
    assert [found.name for found in path.parent.iterdir()] == ["file"]


def test_a_pipe_is_not_replaced_whoever_writes(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(ConfigError, match="it is there, and is not a regular file"):
            write_atomically(path, b"content")
        with pytest.raises(ConfigError, match="it is there, and is not a regular file"):
            write_rules(path, make_game("hogwarts"))
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert link.is_symlink()
    assert sorted(found.name for found in tmp_path.iterdir()) == ["link", "pipe"]


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_atomically(tmp_path / "folder", b"content")
    assert [found.name for found in tmp_path.iterdir()] == ["folder"]
