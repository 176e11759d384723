"""Scenes from objects, dictionaries and texts, and what is said of bad ones."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT, box, drop

import granule
from granule import Scene, SceneError, parts

TEXT = """# a comment
[scene]
name = "a"
[time]
step = 1e-3
end = 1
[[bodies]]
sphere = { radius = 0.1 }
position = [0, 0, 0]
"""


def test_objects_dictionaries_and_texts_make_the_same_scene():
    of_objects = Scene(
        scene=parts.General(name="a"),
        time=parts.Time(step=1e-3, end=1),
        bodies=[parts.Body(sphere=parts.SphereShape(radius=0.1), position=np.zeros(3))],
    )
    of_numbers = {"scene": {"name": "a"}, "time": {"step": np.float64(1e-3), "end": np.int32(1)}}
    of_dictionary = Scene.from_dict(
        {**of_numbers, "bodies": [{"sphere": {"radius": 0.1}, "position": (0, 0, 0), "name": None}]}
    )
    of_text = Scene.from_toml(TEXT)
    assert of_objects == of_dictionary == of_text
    assert hash(of_objects) == hash(of_text)
    assert of_text != of_text.changed({"time.end": 2})
    assert of_text.name == "a" and "Scene('a'" in repr(of_text)


@pytest.mark.parametrize("path", sorted((ROOT / "scenes").glob("*.toml")), ids=lambda path: path.stem)
def test_scenes_go_through_a_dictionary_and_back(path):
    scene = Scene.load(path)
    again = Scene.from_dict(scene.to_dict(), origin=path)
    assert again == scene
    assert again.to_toml() == scene.to_toml()


def test_keys_that_need_quotes_and_empty_parts_are_written():
    words = 'a "b" \\ é'
    sections = {"scene": {"name": "a", "description": words}, "time": {"step": 0.1, "end": 1.0}, "materials": {"a b": {"density": 7}}}
    scene = Scene.from_dict({**sections, "bodies": [{"sphere": {"radius": 0.1}, "position": [0, 0, 0], "material": "a b"}]})
    assert scene.to_dict()["scene"]["description"] == words
    assert list(scene.to_dict()["materials"]) == ["a b"]


def test_mistakes_are_told_with_their_line():
    with pytest.raises(SceneError) as caught:
        Scene.from_toml(TEXT.replace("radius = 0.1", "radius = -1"), origin="scenes/a.toml")
    error = caught.value
    assert error.line == 8
    assert error.file == "scenes/a.toml"
    assert "scenes/a.toml:8" in str(error) and error.reason in str(error) and error.help in str(error)
    assert isinstance(error, ValueError) and isinstance(error, granule.GranuleError)

    with pytest.raises(SceneError, match="frictoin") as caught:
        drop(contacts={"law": "coulomb", "frictoin": 0.5})
    assert caught.value.line is not None
    line = caught.value.line
    assert "did you mean `friction`" in str(caught.value).lower() or "`friction`" in str(caught.value)
    assert line > 0

    with pytest.raises(SceneError, match="no/such.toml"):
        Scene.load("no/such.toml")
    with pytest.raises(TypeError, match="no object"):
        Scene.from_dict({"scene": {"name": object()}})
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.line == 8


def test_the_text_of_an_error_is_that_of_the_command(tmp_path, command):
    path = tmp_path / "bad.toml"
    path.write_text(TEXT.replace("step = 1e-3", "step = 0"))
    with pytest.raises(SceneError) as caught:
        Scene.load(path)
    told = subprocess.run([command, "check", path], capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert told.stderr.strip() == str(caught.value).strip()


def test_values_are_changed_by_their_keys():
    scene = box().changed({"contacts.friction": 0.25, "grains.0.random.count": np.int64(7)})
    assert scene.to_dict()["contacts"]["friction"] == 0.25
    twice = scene.changed({"time.end": 0.1, "walls.0.position": [0, 0, 0.25]})
    assert twice.to_dict()["grains"][0]["random"]["count"] == 7
    assert twice.to_dict()["walls"][0]["position"] == [0, 0, 0.25]
    assert granule.Simulation(twice).count == 7
    with pytest.raises(SceneError, match="contacts.friction=-1"):
        scene.changed({"contacts.friction": -1})


def test_what_stands_for_a_scene_is_taken_for_it(tmp_path):
    file = tmp_path / "scene.toml"
    file.write_text(box().to_toml())
    for given in (box(), box().to_dict(), file, str(file)):
        assert granule.Simulation(given, threads=1).scene == box()
    with pytest.raises(TypeError, match="a dictionary of its sections, or the name of its file, and no int"):
        granule.Simulation(3)
    with pytest.raises(SceneError, match="nowhere.toml"):
        granule.run("nowhere.toml", tmp_path / "run")


def test_scenes_can_be_pickled(tmp_path):
    scene = box().changed({"contacts.friction": 0.25})
    again = pickle.loads(pickle.dumps(scene))
    assert again == scene and again.origin == scene.origin
    # Names of other files stay what they are relative to.
    stl = Scene.load(ROOT / "scenes" / "stl_hopper.toml")
    assert pickle.loads(pickle.dumps(stl)).to_toml() == stl.to_toml()


def test_doubts_and_facts_are_told():
    assert any("friction" in words for words in drop(contacts={"law": "coulomb", "friction": 35.0}).warnings())
    assert drop().warnings() == []
    assert "coulomb" in " ".join(drop().describe().values())


def test_pictures_are_png():
    assert drop().picture(80, 60).startswith(b"\x89PNG")
    assert drop().picture(80, 60, color="mass") != drop().picture(80, 60)
    assert drop()._repr_png_().startswith(b"\x89PNG")
    page = drop()._repr_html_()
    assert "data:image/png;base64," in page and "Scene drop" in page
    with pytest.raises(ValueError, match="color"):
        drop().picture(color="taste")
    with pytest.raises(ValueError, match="view"):
        drop().picture(view="inside")


def test_the_parts_are_those_of_the_schema():
    script = ROOT / "crates" / "granule-py" / "generate_parts.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "grains" in granule.schema()["properties"]
