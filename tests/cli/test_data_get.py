"""`vbn data get`: the folder on standard output, the licence and errors on standard error."""

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
