"""`vbn observe`: events into the journal of a model, or into the model."""

import pytest

import vbn
from vbn.storage import JOURNAL


@pytest.fixture
def shop(tmp_path):
    users = ["ann", "ann", "ben", "ben", "cem", "cem"] * 5
    items = ["tea", "milk", "tea", "honey", "beer", "nuts"] * 5
    vbn.VBN(dim=2, epochs=3, favour=None, verbose=False).fit(vbn.Dataset.from_interactions(users, items)).save(
        tmp_path / "m"
    )
    (tmp_path / "events.csv").write_text("user,item\nann,nuts\nzoe,tea\nzoe,milk\n")
    return tmp_path


def test_events_go_to_the_journal(shop, called):
    before = (shop / "m" / "config.json").read_bytes()
    done = called("observe", "m", "events.csv", cwd=shop)
    assert done.returncode == 0, done.stderr
    assert "observed 3 events, 1 new row" in done.stderr
    assert done.stdout.strip() == "m"
    assert (shop / "m" / JOURNAL).exists()
    assert (shop / "m" / "config.json").read_bytes() == before
    assert "nuts" not in vbn.load(shop / "m").recommend(user="ann", k=9).entities


def test_save_takes_them_into_the_model(shop, called):
    assert called("observe", "m", "events.csv", "--save", cwd=shop).returncode == 0
    assert not (shop / "m" / JOURNAL).exists()
    assert "zoe" in vbn.load(shop / "m").trained_.rows


def test_an_unknown_item_names_what_to_do(shop, called):
    (shop / "events.csv").write_text("user,item\nann,kefir\nzoe,tea\n")
    refused = called("observe", "m", "events.csv", cwd=shop)
    assert refused.returncode == 1
    assert "unknown column 'kefir'; " in refused.stderr
    assert "give it a density first with vbn add, or leave such events out with " in refused.stderr
    assert "--skip-unknown" in refused.stderr
    assert not (shop / "m" / JOURNAL).exists()
    done = called("observe", "m", "events.csv", "--skip-unknown", cwd=shop)
    assert "observed 1 event, 1 new row, 1 skipped" in done.stderr


def test_ratings_are_chosen(shop, called):
    (shop / "events.csv").write_text("who,what,stars\nann,nuts,5\nben,beer,1\n")
    done = called("observe", "m", "events.csv", "--columns", "who,what,stars", "--min-weight", "3", cwd=shop)
    assert "observed 1 event" in done.stderr, done.stderr


def test_large_files_are_observed_in_batches(shop, called):
    from vbn.storage import read_journal

    rows = [f"u{number % 3},tea" for number in range(25_000)]
    (shop / "events.csv").write_text("user,item\n" + "\n".join(rows) + "\n")
    assert called("observe", "m", "events.csv", cwd=shop).returncode == 0
    assert [len(batch.events) for batch in read_journal(shop / "m").batches] == [10_000, 10_000, 5_000]


def test_a_baseline_is_refused(shop, called):
    vbn.Popularity().fit(vbn.Dataset.from_interactions(["ann"], ["tea"])).save(shop / "p")
    refused = called("observe", "p", "events.csv", cwd=shop)
    assert refused.returncode == 2
    assert "baseline" in refused.stderr


def test_a_file_is_read_as_in_the_training(tmp_path, called):
    head = "Kunde;Artikel;Bewertung;Datum\n"
    rows = [f"{user};{item};{1 + (user + item) % 5};31.05.2024\n" for user in range(9) for item in range(6)]
    (tmp_path / "first.csv").write_text(head + "".join(rows), encoding="utf-8-sig")
    train = ["train", "first.csv", "--kind", "interactions", "--columns", "Kunde,Artikel,Bewertung"]
    done = called(*train, "--min-weight", 3.5, "--dim", 2, "--epochs", 2, "-q", "--out", "m", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (tmp_path / "events.csv").write_text(f"{head}new;3;5;01.06.2024\nnew;4;1;01.06.2024\n1;2;4,5;01.06.2024\n")
    done = called("observe", "m", "events.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.strip() == "observed 2 events, 1 new row"  # the item that got one star is no like
    assert "3" not in vbn.load(tmp_path / "m").recommend(user="new", k=9).entities
    done = called("observe", "m", "events.csv", "--min-weight", 1, cwd=tmp_path)
    assert "observed 3 events" in done.stderr, "options win"
