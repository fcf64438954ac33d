"""Downloads from a server on this machine: checksums, licence, broken connections, wrong answers."""

import dataclasses
import hashlib
import io
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import vbn
from vbn import datasets
from vbn.datasets import downloads


def archive():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        packed.writestr(zipfile.ZipInfo("ml-1m/ratings.dat"), "1::10::5::978300760\n")
        packed.writestr(zipfile.ZipInfo("ml-1m/movies.dat"), "10::Heat (1995)::Action\n")
        packed.writestr(zipfile.ZipInfo("ml-1m/padding"), bytes(range(256)) * 40)
    return content.getvalue()


class Server(ThreadingHTTPServer):
    """Serves one file; cuts off as many answers as `cuts` says, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content, self.cuts, self.status, self.ranges = archive(), 0, 200, []
        self.knows_ranges = True

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}/sets"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        wanted = self.headers.get("Range")
        server.ranges.append(wanted)
        if server.status != 200:
            self.send_error(server.status)
            return
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and server.knows_ranges else 0
        if start and start >= len(server.content):
            self.send_error(416)
            return
        body = server.content[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if server.cuts:
            server.cuts -= 1
            body = body[: len(body) // 2]
        self.wfile.write(body)
        self.close_connection = True

    def log_message(self, *_):
        """Keep the tests quiet."""


@pytest.fixture
def server(monkeypatch):
    made = Server()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setattr(downloads, "_PAUSE", 0.0)
    monkeypatch.setattr(downloads, "_CHUNK", 512)
    point_to(monkeypatch, made, "ml-1m", f"md5:{hashlib.md5(made.content).hexdigest()}")
    point_to(monkeypatch, made, "ml-latest-small", None)
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def point_to(monkeypatch, server, name, checksum):
    source = dataclasses.replace(downloads.SOURCES[name], base=server.address, checksum=checksum)
    monkeypatch.setitem(downloads.SOURCES, name, source)


def get(name, folder):
    told = []
    found = datasets.download(name, folder, progress=False, tell=told.append)
    return found, told


def test_checked_unpacked_and_not_twice(server, tmp_path):
    folder, told = get("ml-1m", tmp_path / "new" / "folder")
    assert datasets.load("movielens", folder).interactions.items == ("10",)
    assert "for research" in told[0]
    assert get("ml-1m", folder)[0] == folder
    assert server.ranges == [None]
    assert not list(folder.glob("*.part"))


def test_a_broken_connection_is_taken_up_where_it_broke(server, tmp_path):
    server.cuts = 2
    folder, _ = get("ml-1m", tmp_path)
    first, *taken_up = server.ranges
    starts = [int(wanted.removeprefix("bytes=").rstrip("-")) for wanted in taken_up]
    assert first is None
    assert len(server.content) // 3 < starts[0] < starts[1]
    assert (folder / "ml-1m.zip").read_bytes() == server.content


def test_what_has_come_is_kept_for_the_next_call(server, tmp_path):
    server.cuts = 99
    with pytest.raises(vbn.DataError, match=r"could not be downloaded in 4 tries.*kept in .*ml-1m\.zip\.part"):
        get("ml-1m", tmp_path)
    assert not (tmp_path / "ml-1m.zip").exists()
    server.cuts, before = 0, len(server.ranges)
    get("ml-1m", tmp_path)
    assert server.ranges[before] is not None


def test_a_part_that_is_the_whole(server, tmp_path):
    (tmp_path / "ml-1m.zip.part").write_bytes(server.content)
    get("ml-1m", tmp_path)
    assert (tmp_path / "ml-1m.zip").exists()


def test_a_server_without_ranges_starts_again(server, tmp_path):
    server.knows_ranges = False
    (tmp_path / "ml-1m.zip.part").write_bytes(b"half of it")
    folder, _ = get("ml-1m", tmp_path)
    assert (folder / "ml-1m.zip").read_bytes() == server.content


def test_a_wrong_checksum_keeps_nothing(server, tmp_path, monkeypatch):
    point_to(monkeypatch, server, "ml-1m", "md5:" + "0" * 32)
    with pytest.raises(vbn.DataError, match=r"is not the expected file.*does not match"):
        get("ml-1m", tmp_path)
    assert not list(tmp_path.iterdir())


def test_without_a_published_checksum_the_first_one_counts(server, tmp_path):
    folder, told = get("ml-latest-small", tmp_path)
    digest = hashlib.sha256(server.content).hexdigest()
    note = folder / "ml-latest-small.zip.sha256"
    assert note.read_text() == f"{digest}  ml-latest-small.zip\n"
    assert f"sha256:{digest}" in told[-1]
    get("ml-latest-small", folder)
    assert len(server.ranges) == 1
    (folder / "ml-latest-small.zip").unlink()
    server.content += b"more"
    with pytest.raises(vbn.DataError, match=r"differs from the first download.*delete .*\.sha256"):
        get("ml-latest-small", folder)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"no checksum"])
def test_a_note_without_a_checksum_is_told(server, tmp_path, content):
    (tmp_path / "ml-latest-small.zip.sha256").write_bytes(content)
    with pytest.raises(vbn.DataError, match=r"does not begin with a checksum.*delete it"):
        get("ml-latest-small", tmp_path)


def test_without_a_checksum_each_try_starts_again(server, tmp_path):
    server.cuts = 1
    get("ml-latest-small", tmp_path)
    assert server.ranges == [None, None]


@pytest.mark.parametrize(("status", "asked", "message"), [(404, 1, "answered 404"), (503, 4, "in 4 tries: 503")])
def test_answers_that_are_no_file(server, tmp_path, status, asked, message):
    server.status = status
    with pytest.raises(vbn.DataError, match=message):
        get("ml-1m", tmp_path)
    assert len(server.ranges) == asked
    assert not list(tmp_path.iterdir())


def test_what_is_no_archive(server, tmp_path):
    server.content = b"<html>log in first</html>"
    with pytest.raises(vbn.DataError, match="not a whole zip file"):
        get("ml-latest-small", tmp_path)


def test_what_is_too_large_is_neither_received_nor_unpacked(server, tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "_LARGEST", 1000)
    with pytest.raises(vbn.DataError, match="more than 1,000 bytes"):
        get("ml-latest-small", tmp_path)
    small = io.BytesIO()
    with zipfile.ZipFile(small, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("ml-latest-small/zeros", bytes(100_000))
    server.content = small.getvalue()
    assert len(server.content) < 1000
    with pytest.raises(vbn.DataError, match="would unpack to 100,000 bytes"):
        get("ml-latest-small", tmp_path / "other")
    assert not (tmp_path / "other" / "ml-latest-small").exists()


def test_no_server(monkeypatch, tmp_path, server):
    source = dataclasses.replace(downloads.SOURCES["ml-1m"], base="http://127.0.0.1:9/sets")
    monkeypatch.setitem(downloads.SOURCES, "ml-1m", source)
    with pytest.raises(vbn.DataError, match="could not be downloaded"):
        get("ml-1m", tmp_path)


def test_names_and_folders(tmp_path):
    with pytest.raises(vbn.ParameterError, match=r"'ml-11m'\. Did you mean 'ml-1m'"):
        datasets.download("ml-11m", tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(vbn.DataError, match="cannot be made"):
        datasets.download("ml-1m", tmp_path / "file" / "below")


def test_without_the_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(vbn.MissingExtraError, match=r"pip install 'vbn\[data\]'"):
        get("ml-1m", tmp_path)


def test_every_source_says_what_it_is():
    for name, source in downloads.SOURCES.items():
        assert source.file == f"{name}.zip"
        assert source.base.startswith("https://")
        assert source.licence
        if source.checksum:
            algorithm, digest = source.checksum.split(":")
            assert len(digest) == 2 * hashlib.new(algorithm).digest_size
