"""`python -m reproduction` and `python -m reproduction.bench`: from the command to a report."""

import json
from types import SimpleNamespace

import pytest

import reproduction.__main__
import reproduction.bench.__main__
from reproduction.tests.shop import shop
from reproduction.tests.test_reproduce import music_of


@pytest.fixture
def called(capsys):
    def call(*arguments, main=reproduction.__main__.main):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as end:
            code = end.code
        out, err = capsys.readouterr()
        return SimpleNamespace(returncode=code, stdout=out, stderr=err)

    return call


def test_a_quick_run_writes_a_report_and_a_second_one_redoes_nothing(tmp_path, called):
    music_of(tmp_path, shop(tmp_path / "shop", 60))
    ask = ("music", "--data", tmp_path, "--out", tmp_path / "report", "--quick", "--processes", 1)
    done = called(*ask)
    assert done.returncode == 0, done.stderr
    assert [line.rpartition(".")[2] for line in done.stdout.splitlines()] == ["md", "html", "json"]
    assert "left)" in done.stderr
    found = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    assert found["domains"][0]["name"] == "music"
    again = called(*ask)
    assert again.returncode == 0
    runs = again.stderr.splitlines()[1:]
    assert runs
    assert all("from the cache" in line for line in runs)


def test_amounts_are_written_and_go_into_a_later_report(tmp_path, called, monkeypatch):
    monkeypatch.setattr("reproduction.amounts.RIVALS", ("popularity", "ease"))
    music_of(tmp_path, shop(tmp_path / "shop", 60))
    ask = ("--data", tmp_path, "--out", tmp_path / "report", "--quick", "--processes", 1)
    done = called("amounts", *ask, "--domains", "music", "--shares", "0.5,1")
    assert done.returncode == 0, done.stderr
    assert [line.rpartition("/")[2] for line in done.stdout.splitlines()] == ["amounts.md", "amounts.json"]
    assert called("music", *ask).returncode == 0
    found = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    assert [result["name"] for result in found["domains"]] == ["music", "amounts-music"]


def test_a_search_writes_where_it_is_told(tmp_path, called, monkeypatch):
    monkeypatch.setattr("reproduction.search.SPACES", {"ease": {"regularization": ("log", 1.0, 100.0)}})
    music_of(tmp_path, shop(tmp_path / "shop", 60))
    ask = ("music", "--data", tmp_path, "--out", tmp_path / "report", "--search", 2)
    done = called(*ask, "--winners", tmp_path / "winners")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(tmp_path / "winners" / "music" / "ease.toml")


def test_wrong_usage_is_told_before_anything_runs(tmp_path, called):
    assert called("books", "--data", tmp_path).returncode == 2
    assert called("movies").returncode == 2
    assert called("movies", "--data", tmp_path / "nowhere").returncode == 2
    assert called("movies", "--data", tmp_path, "--seeds", 0).returncode == 2
    lonely = called("movies", "--data", tmp_path, "--winners", tmp_path)
    assert lonely.returncode == 2
    assert "--search" in lonely.stderr
    for wrong in (["--domains", "words"], ["--shares", "0"], ["--shares", "a"], ["--search", 2]):
        assert called("amounts", "--data", tmp_path, *wrong).returncode == 2
    assert called("movies", "--data", tmp_path, "--shares", 0.1).returncode == 2
    (tmp_path / "file").touch()
    taken = called("movies", "--data", tmp_path, "--out", tmp_path / "file")
    assert taken.returncode == 2
    assert "--out" in taken.stderr


def test_a_folder_without_the_data_is_an_error_in_one_line(tmp_path, called):
    done = called("medical", "--data", tmp_path, "--out", tmp_path / "report")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert not (tmp_path / "report").exists()


def test_the_benchmark_writes_what_it_measured(tmp_path, called):
    bench = reproduction.bench.__main__.main
    listed = called("--list", main=bench)
    assert listed.returncode == 0
    assert listed.stdout.startswith("epoch ")
    out = tmp_path / "new" / "bench.json"
    done = called("epoch", "fold-in", "--repeats", 1, "--scale", 0.001, "--out", out, main=bench)
    assert done.returncode == 0, done.stderr
    assert "left out: needs the evaluation data" in done.stdout
    kept = json.loads(out.read_text(encoding="utf-8"))
    assert set(kept["rows"]) == {"epoch", "fold-in"}
    assert set(kept["machine"]) == {"date", "commit", "machine", "versions"}
    assert called("kernal", main=bench).returncode == 1
    assert called("kernel", "--scale", 2, main=bench).returncode == 2
