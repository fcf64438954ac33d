"""`vbn reproduce`: from the command to a report."""

import json

from tests.evaluation.paper.shop import shop
from tests.evaluation.paper.test_reproduce import music_of


def test_a_quick_run_writes_a_report_and_a_second_one_redoes_nothing(tmp_path, called):
    music_of(tmp_path, shop(tmp_path / "shop", 60))
    ask = ("reproduce", "music", "--data", tmp_path, "--out", tmp_path / "report", "--quick", "--processes", 1)
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


def test_a_search_writes_where_it_is_told(tmp_path, called, monkeypatch):
    from vbn.evaluation.paper import _search

    monkeypatch.setattr(_search, "SPACES", {"ease": {"regularization": ("log", 1.0, 100.0)}})
    music_of(tmp_path, shop(tmp_path / "shop", 60))
    ask = ("reproduce", "music", "--data", tmp_path, "--out", tmp_path / "report", "--search", 2)
    done = called(*ask, "--winners", tmp_path / "winners")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(tmp_path / "winners" / "music" / "ease.toml")


def test_wrong_usage_is_told_before_anything_runs(tmp_path, called):
    assert called("reproduce", "books", "--data", tmp_path).returncode == 2
    assert called("reproduce", "movies").returncode == 2
    assert called("reproduce", "movies", "--data", tmp_path / "nowhere").returncode == 2
    lonely = called("reproduce", "movies", "--data", tmp_path, "--winners", tmp_path)
    assert lonely.returncode == 2
    assert "--search" in lonely.stderr


def test_a_folder_without_the_data_is_an_error_in_one_line(tmp_path, called):
    done = called("reproduce", "medical", "--data", tmp_path, "--out", tmp_path / "report")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert not (tmp_path / "report").exists()
