"""The atlas of all skills."""

import io

import numpy as np
import pytest

from duel_env.errors import ConfigError, SchemaError
from duel_env.game import make_game
from evaluation.atlas import Atlas, solve_atlas
from evaluation.exact import FIRST, SECOND, solve
from tests.evaluation.exact.duelists import sheets_of

GAME = make_game("hogwarts", {"hit_points": 2})
SKILLS = np.array([0, 30, 60, 100])


def complete(path, skills=SKILLS):
    atlas = Atlas(GAME, skills)
    assert solve_atlas(atlas, path, 2, lambda done, total: None, lambda: False)
    return atlas


def test_every_entry_is_that_of_the_solver(tmp_path):
    atlas = complete(tmp_path / "atlas.npz")
    for i, a in enumerate(SKILLS):
        for j, b in enumerate(SKILLS):
            solution = solve(GAME, sheets_of(GAME, a, b))
            for start in (FIRST, SECOND):
                assert atlas.value[i, j, start] == pytest.approx(solution.win_probability(start), abs=1e-9)
                assert atlas.low[i, j, start] - 1e-9 <= solution.win_probability(start) <= atlas.high[i, j, start] + 1e-9
                opening = atlas.opening[i, j, start]
                node = solution.start(start)
                values = solution.action_values[node]
                assert values[opening] == pytest.approx(solution.values[node], abs=1e-9)


def test_the_same_file_however_it_came_about(tmp_path):
    whole = complete(tmp_path / "whole.npz")
    asked = iter([False, True])
    part = Atlas(GAME, SKILLS)
    many = Atlas(GAME, np.arange(0, 101, 20))
    assert not solve_atlas(many, tmp_path / "many.npz", 1, lambda done, total: None, lambda: next(asked))
    assert 0 < Atlas.read(tmp_path / "many.npz", GAME).num_solved < many.num_pairs
    part.solve_pair(1, 2)
    (tmp_path / "part.npz").write_bytes(part.to_bytes())
    resumed = Atlas.read(tmp_path / "part.npz", GAME)
    assert resumed.num_solved == 2
    assert solve_atlas(resumed, tmp_path / "part.npz", 1, lambda done, total: None, lambda: False)
    assert (tmp_path / "part.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes() == whole.to_bytes()


def altered(atlas, **arrays):
    """An atlas file in which some arrays are others."""
    with np.load(io.BytesIO(atlas.to_bytes())) as file:
        content = {name: file[name] for name in file.files} | arrays
    buffer = io.BytesIO()
    np.savez(buffer, **content)
    return buffer.getvalue()


def test_files_that_are_none(tmp_path):
    path = tmp_path / "atlas.npz"
    atlas = complete(path)
    whole = path.read_bytes()
    wrong = {
        "damaged": [b"", b"PK", whole[:-100], b"\x80\x04K\x01."],
        "expected": [
            altered(atlas, value=atlas.value[:1]),
            altered(atlas, value=atlas.value + 0.5),
            altered(atlas, opening=np.full_like(atlas.opening, 99)),
            altered(atlas, skills=np.array([0, 30, 60, 101])),
            altered(atlas, about=np.array("{}")),
        ],
        "rules": [altered(atlas, about=np.array(str(np.load(io.BytesIO(whole))["about"]).replace(GAME.digest, "0" * 16)))],
    }
    for words, contents in wrong.items():
        for content in contents:
            path.write_bytes(content)
            with pytest.raises(SchemaError, match=words):
                Atlas.read(path, GAME)
    objects = io.BytesIO()
    np.savez(objects, about=np.array([{}], object), skills=SKILLS)
    path.write_bytes(objects.getvalue())
    with pytest.raises(SchemaError, match="damaged"):
        Atlas.read(path, GAME)


def test_skills_that_are_none():
    for skills in ([], [-1], [101], [5, 5], [[1]], [1.5]):
        with pytest.raises(ConfigError, match="skills"):
            Atlas(GAME, np.array(skills))


def test_pictures_are_the_same_bytes_and_name_the_openings(tmp_path):
    from evaluation.atlas_pictures import draw_atlas

    atlas = complete(tmp_path / "atlas.npz")
    pictures = draw_atlas(atlas, "fr")
    assert pictures == draw_atlas(atlas, "fr")
    assert set(pictures) == {"value.svg", "first_move.svg", "opening.svg"}
    assert "Stupéfix" in pictures["opening.svg"].decode()
