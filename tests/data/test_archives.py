"""Archives that would unpack to more than they seem."""

import io
import tracemalloc
import zipfile

import numpy as np
import pytest

import vbn
from vbn.data.io import archives

LARGE = 1 << 26


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(archives, "_half_of_memory", lambda: LARGE // 2)


def claiming(path, shape):
    """An archive of one array, whose header claims a shape, without its numbers."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("values.npy", stream.getvalue())
    return path


def peak(read):
    """The memory that a reader takes until it refuses."""
    tracemalloc.start()
    try:
        with pytest.raises((vbn.DataError, ValueError), match=r"claims|at most"):
            read()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_features_that_unpack_to_more_than_memory_are_refused(tmp_path, little_memory):
    file = tmp_path / "features.npz"
    np.savez_compressed(file, ids=np.array(["a", "b"]), values=np.zeros((2, LARGE // 16)))
    assert file.stat().st_size < LARGE // 100
    data = vbn.Dataset.from_pairs(["a", "b"], ["b", "a"])
    assert peak(lambda: data.with_features(file)) < LARGE // 4


def test_counts_that_unpack_to_more_than_memory_are_refused(tmp_path, little_memory):
    file = tmp_path / "counts.npz"
    np.savez_compressed(file, data=np.zeros(LARGE // 8))
    assert peak(lambda: vbn.Dataset.from_matrix(file)) < LARGE // 4


def test_headers_that_claim_more_than_there_is_are_refused(tmp_path):
    file = claiming(tmp_path / "features.npz", (2, LARGE // 16))
    data = vbn.Dataset.from_pairs(["a", "b"], ["b", "a"])
    assert peak(lambda: data.with_features(file)) < LARGE // 4
    assert peak(lambda: vbn.Dataset.from_matrix(file)) < LARGE // 4
    with file.open("rb") as stream:
        assert peak(lambda: archives.check_archive(stream, 100_000)) < LARGE // 4


def test_archives_as_they_should_be_are_read(tmp_path, little_memory):
    np.savez_compressed(tmp_path / "features.npz", ids=np.array(["a", "b"]), values=np.eye(2))
    data = vbn.Dataset.from_pairs(["a", "b"], ["b", "a"]).with_features(tmp_path / "features.npz")
    assert data.sources
