"""The atlas of all skills."""

import contextlib
import io
from xml.etree import ElementTree

import numpy as np
import pytest

from duel_env.errors import ConfigError, SchemaError
from duel_env.game import make_game
from evaluation.atlas import Atlas, solve_atlas
from evaluation.atlas_pictures import draw_atlas
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


def test_pictures_use_the_words_of_the_other_commands(tmp_path):
    atlas = complete(tmp_path / "atlas.npz")
    english, french = draw_atlas(atlas, "en"), draw_atlas(atlas, "fr")
    assert "in points of the chance to win" in english["first_move.svg"].decode(), "a picture stands alone"
    assert all("Sortilèges du duelliste 1" in picture.decode() for picture in french.values())


def test_a_damaged_file_is_named_wherever_the_damage_is(tmp_path):
    atlas = Atlas(GAME, np.array([0, 100]))
    for pair in atlas.unsolved_pairs():
        atlas.solve_pair(*pair)
    content, path = atlas.to_bytes(), tmp_path / "atlas.npz"
    rng = np.random.default_rng(5)
    for _ in range(1_000):
        damaged = bytearray(content)
        for place in rng.integers(len(content), size=rng.integers(1, 4)):
            damaged[place] = rng.integers(256)
        path.write_bytes(damaged)
        with contextlib.suppress(SchemaError):  # some bytes do not matter
            assert Atlas.read(path, GAME).to_bytes() == content


@pytest.mark.parametrize(("i", "j", "start"), [(0, 1, slice(1, 2)), (1, 0, slice(None)), (0, 0, slice(1, 2))])
def test_half_a_pair_is_no_pair(tmp_path, i, j, start):
    atlas, path = complete(tmp_path / "atlas.npz"), tmp_path / "half.npz"
    atlas.opening[i, j, start] = -1
    path.write_bytes(atlas.to_bytes())
    with pytest.raises(SchemaError, match=r"half\.npz: opening: .* both starts and both seats"):
        Atlas.read(path, GAME)


@pytest.mark.parametrize("name", ["Fire $\\frac$", "a $ b $ c", "^_{}\\", "<b>&"])
def test_names_of_spells_are_drawn_as_they_are(name):
    spell = {"id": "fire", "en": name, "fr": name, "penalty": 0, "damage": 1}
    atlas = Atlas(make_game("hogwarts", {"hit_points": 1, "spells": [spell]}), np.array([60]))
    atlas.solve_pair(0, 0)
    picture = ElementTree.fromstring(draw_atlas(atlas, "en")["opening.svg"])
    assert name in ["".join(element.itertext()).strip() for element in picture.iter("{http://www.w3.org/2000/svg}text")]
