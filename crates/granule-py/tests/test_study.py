"""Parameter studies over processes."""

import pytest
from conftest import box

import granule
from granule import RunFolder, Table


def test_all_combinations_run_and_are_not_run_again(tmp_path):
    values = {"contacts.friction": [0.1, 0.6], "time.step": [5e-3, 1e-2]}

    # As in a notebook: a function that no other process could find.
    def highest(run: RunFolder) -> dict[str, float]:
        return {"highest": float(run.frames[-1].positions[:, 2].max())}

    table = granule.study(box(end=0.1), values, out=tmp_path, measure=highest, processes=2)
    assert [(row["contacts.friction"], row["time.step"]) for row in table] == [
        (0.1, 5e-3),
        (0.1, 1e-2),
        (0.6, 5e-3),
        (0.6, 1e-2),
    ]
    assert table["steps"] == [20, 10, 20, 10]
    for k, row in enumerate(table):
        run = granule.load(tmp_path / f"{k + 1:03}")
        assert row["kinetic_energy"] == run.series["kinetic_energy"][-1]
        assert row["highest"] == run.frames[-1].positions[:, 2].max()
    assert (tmp_path / "study.csv").read_text() == table.to_csv()
    walls = {k: (tmp_path / f"{k:03}" / "series.csv").stat().st_mtime_ns for k in (1, 4)}
    again = granule.study(box(end=0.1), values, out=tmp_path, processes=2)
    assert again["steps"] == table["steps"] and "highest" not in again.columns
    assert walls == {k: (tmp_path / f"{k:03}" / "series.csv").stat().st_mtime_ns for k in (1, 4)}


def test_keys_change_together_if_they_are_to(tmp_path):
    values = {"contacts.friction": [0.1, 0.6], "time.step": [5e-3, 1e-2]}
    table = granule.study(box(end=0.02), values, out=tmp_path, together=True, processes=1)
    assert table["steps"] == [4, 2]
    with pytest.raises(ValueError, match="as many"):
        granule.study(box(), {"a": [1], "b": [1, 2]}, together=True, out=tmp_path)


def test_mistakes_are_told_before_the_first_run(tmp_path):
    with pytest.raises(granule.SceneError, match="friction"):
        granule.study(box(), {"contacts.friction": [0.1, -1]}, out=tmp_path / "a")
    assert not (tmp_path / "a").exists()
    with pytest.raises(ValueError, match="values to change"):
        granule.study(box(), {}, out=tmp_path)
    for single in (0.3, "coulomb", []):
        with pytest.raises(ValueError, match="`contacts.friction` needs a list"):
            granule.study(box(), {"contacts.friction": single}, out=tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_another_study_takes_another_folder(tmp_path):
    granule.study(box(end=0.01), {"contacts.friction": [0.1]}, out=tmp_path, processes=1)
    with pytest.raises(granule.RunError, match="`out` gives it another one"):
        granule.study(box(end=0.01), {"time.step": [1e-3]}, out=tmp_path, processes=1)


def test_a_run_that_fails_does_not_lose_the_others(tmp_path):
    scene = box(end=0.02, solver={"on_failure": "stop", "tolerance": 1e-12, "max_residual": 1e-9})
    with pytest.raises(granule.StepError, match="iterations"):
        granule.study(
            scene.changed({"grains.0.random.region": {"box": {"min": [-0.1, -0.1, 0], "max": [0.1, 0.1, 0.12]}}}),
            {"solver.max_iterations": [1, 20_000]},
            out=tmp_path,
            processes=1,
        )
    assert (tmp_path / "study.csv").read_text().splitlines()[1].startswith("20000,4,")
    assert granule.load(tmp_path / "001").status == "failed"


def test_tables_are_for_pandas_and_people():
    table = Table([{"a": 1, "b": 0.25}, {"a": 2, "c": "x,y"}])
    assert table.columns == ["a", "b", "c"] and len(table) == 2
    assert table["b"] == [0.25, None] and table[1]["c"] == "x,y"
    assert table.to_csv() == 'a,b,c\n1,0.25,\n2,,"x,y"\n'
    assert "<td>0.25</td>" in table._repr_html_() and "0.25" in repr(table)
    with pytest.raises(KeyError, match="a, b, c"):
        table["d"]
    pandas = pytest.importorskip("pandas")
    assert list(table.to_pandas().columns) == ["a", "b", "c"] and pandas.isna(table.to_pandas()["b"][1])
