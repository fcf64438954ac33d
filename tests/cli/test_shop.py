"""The files of a shop as they come out of a spreadsheet, from the shell to recommendations."""

import csv
import json

import pytest

import vbn

pytestmark = pytest.mark.filterwarnings("always")  # as in a shell, where they are told
FAST = ("--dim", 3, "--epochs", 3, "--out", "m")
KINDS = {"Grüntee": "Tee", "Schwarztee": "Tee", "Pils": "Bier", "Bock": "Bier"}
MAKERS = ("Müller", "Østergård & Søn", 'Gasthof "Zur Post"', "O'Brien; Sons")


def products():
    """Number, title, kind, department."""
    made = [(f"{maker}: {kind}", kind, department) for kind, department in KINDS.items() for maker in MAKERS]
    return [(str(1000 + n), *product) for n, product in enumerate(made)]


def sheet(file, rows, encoding="utf-8-sig", delimiter=";"):
    with file.open("w", encoding=encoding, newline="") as stream:
        csv.writer(stream, delimiter=delimiter).writerows(rows)


@pytest.fixture
def shop(tmp_path):
    """Orders with ratings, dates and order numbers; items with tags, decimal commas, gaps and a float for an id."""
    items = products()
    orders = [("Order_ID", "Customer", "Product", "Rating", "Date")]
    for n in range(90):
        customer, drink = n % 15, 8 * (n % 2)
        item = items[drink + (n * 3 + customer) % 7]
        orders.append((9000 + n, f"K{customer:03}", item[0], 1 + n % 5, f"{1 + n % 28:02}.{1 + n % 12:02}.2024"))
    sheet(tmp_path / "orders.csv", orders)
    rows = [("Product", "Title", "Department", "Tags", "Price", "In stock")]
    for n, (number, title, kind, department) in enumerate(items):
        tags = "|".join(filter(None, (kind, "Angebot" if n % 3 == 0 else "")))
        rows.append((f"{number}.0", title, department, "" if n == 5 else tags, f"{n},50", "ja" if n % 2 else "nein"))
    sheet(tmp_path / "items.csv", rows)
    sheet(tmp_path / "plain.csv", [row[:3] for row in rows])
    return tmp_path


def test_with_no_parameter_but_file_names(shop, called):
    told = called("train", "orders.csv", "--catalogue", "plain.csv", *FAST, cwd=shop)
    assert told.returncode == 0, told.stderr
    assert "read as --kind interactions" in told.stderr
    assert "holds ratings" in told.stderr
    assert "users from 'Customer', items from 'Product'; every row counts 1" in told.stderr
    assert "16 labels of the columns" in told.stderr
    assert "100.0% of the columns seen have a parent" in told.stderr
    found = json.loads(called("recommend", "m", "--user", "K001", "--json", cwd=shop).stdout)
    titles = {number: title for number, title, *_ in products()}
    assert [row["label"] for row in found] == [titles[row["entity"]] for row in found]
    by_title = called("similar", "m", "Müller: Pils", "-k", 3, cwd=shop)
    assert by_title.stdout.splitlines()[0].split() == ["entity", "label", "cosine", "std"]
    wrong = called("similar", "m", "Muller: Pils", cwd=shop)
    assert "Did you mean 'Müller: Pils'" in wrong.stderr
    assert "label" in json.loads(called("explain", "m", "Müller: Pils", "--json", cwd=shop).stdout)


def test_levels_that_are_not_within_each_other_stand_side_by_side(shop, called):
    told = called("train", "orders.csv", "--catalogue", "items.csv", *FAST, cwd=shop)
    assert told.returncode == 0, told.stderr
    found = "items.csv is read as --id Product --levels Department --levels Tags --label Title"
    assert found in told.stderr
    assert "--levels A,B puts B below A" in told.stderr
    taxonomy = vbn.load(shop / "m").data_.taxonomy
    assert dict(taxonomy.parents("1000")) == {"Tee": 0.5, "Grüntee": 0.25, "Angebot": 0.25}
    again = called("train", "--config", "m/train.toml", "--out", "n", cwd=shop)  # keeps what was found
    assert vbn.load(shop / "n").data_.taxonomy.parents("1000") == taxonomy.parents("1000")
    assert "is read as" not in again.stderr
    new = [("Product", "Title", "Department", "Tags"), ("2000", "Neu", "Tee", "Grüntee")]
    sheet(shop / "new.csv", new)
    assert called("update", "m", "orders.csv", "--catalogue", "new.csv", "--again", "-q", cwd=shop).returncode == 0
    assert dict(vbn.load(shop / "m").data_.taxonomy.parents("2000")) == {"Tee": 0.5, "Grüntee": 0.5}


def test_levels_that_are_given(shop, called):
    told = called("train", "orders.csv", "--catalogue", "items.csv", "--levels", "Department,Tags", *FAST, cwd=shop)
    assert told.returncode == 0, told.stderr
    data = vbn.load(shop / "m").data_
    assert dict(data.taxonomy.parents("1000")) == {"Grüntee": 0.5, "Angebot": 0.5}
    assert data.taxonomy.parents("1005") == [("Tee", 1.0)]  # no tags: the department
    again = called("train", "--config", "m/train.toml", "--out", "n", "-q", cwd=shop)
    assert again.returncode == 0, again.stderr
    assert vbn.load(shop / "n").data_.columns == data.columns


def test_ratings_times_and_half_lives(shop, called):
    given = ["train", "orders.csv", "--min-weight", 3, "--time", "Date", *FAST]
    told = called(*given, "--half-life", "30d", "--hold-out", 0.2, "--hold-out-by", "time", cwd=shop)
    assert told.returncode == 0, told.stderr
    assert "weights of at least 3 from 'Rating', weights that halve every 30d from 'Date'" in told.stderr
    with (shop / "m" / "held_out.csv").open(encoding="utf-8") as stream:
        assert max(float(row["weight"]) for row in csv.DictReader(stream)) == 1.0  # the latest row is held out
    assert called("train", "orders.csv", "--half-life", "30d", *FAST, cwd=shop).returncode == 2
    assert "half_life must be" in called(*given, "--half-life", "1 month", cwd=shop).stderr


def test_several_taxonomies_and_a_catalogue_are_united(shop, called):
    (shop / "a.csv").write_text("child,parent\nTee,Getränk\nBier,Getränk\n", encoding="utf-8")
    (shop / "b.csv").write_text("child,parent\n1000,Neu\n", encoding="utf-8")
    knowledge = ["--taxonomy", "a.csv", "--taxonomy", "b.csv", "--catalogue", "plain.csv"]
    told = called("train", "orders.csv", *knowledge, *FAST, cwd=shop)
    assert told.returncode == 0, told.stderr
    taxonomy = vbn.load(shop / "m").data_.taxonomy
    assert dict(taxonomy.parents("1000")) == {"Neu": 0.5, "Tee": 0.5}
    assert taxonomy.parents("Tee") == [("Getränk", 1.0)]
    assert called("train", "--config", "m/train.toml", "-q", "--dry-run", cwd=shop).returncode == 0


def test_a_file_in_the_encoding_of_windows_is_read_and_said_to_be_one(shop, called):
    items = (shop / "plain.csv").read_text(encoding="utf-8-sig")
    (shop / "windows.csv").write_bytes(items.encode("cp1252"))
    told = called("train", "orders.csv", "--catalogue", "windows.csv", *FAST, cwd=shop)
    assert told.returncode == 0, told.stderr
    assert told.stderr.count("of windows.csv is not UTF-8, so the file is read as Windows-1252") == 1
    assert called("similar", "m", "Müller: Pils", cwd=shop).returncode == 0


@pytest.mark.parametrize("mark", ["\t", ",", ";"])
def test_a_table_in_a_txt_file_is_not_taken_for_text(shop, called, mark):
    (shop / "table.txt").write_text(f"User{mark}item\r\nann{mark}green tea\r\nben{mark}green tea\r\n")
    told = called("train", "table.txt", "--dry-run", cwd=shop)
    assert "table.txt is read as --kind interactions" in told.stderr
    assert "2 rows x 1 column" in told.stdout
    (shop / "text.txt").write_text(f"the user{mark} the item\nthe user sees the item\n")
    assert "text.txt is read as --kind sequences" in called("train", "text.txt", "--dry-run", cwd=shop).stderr


def test_the_kind_is_asked_for_if_columns_do_not_tell(shop, called):
    sheet(shop / "odd.csv", [("Wer", "Was"), ("a", "b"), ("b", "c")])
    told = called("train", "odd.csv", *FAST, cwd=shop)
    assert told.returncode == 2
    assert "say with --kind what odd.csv holds" in told.stderr
    assert "--kind interactions --columns Wer,Was" in told.stderr
    assert called("train", "odd.csv", "--columns", "Wer,Was", *FAST, "-q", cwd=shop).returncode == 0


def test_a_column_that_the_catalogue_has_too_holds_the_items(shop, called):
    rows = [("Was", "Wer", "Wann"), ("b", "x", "1.1.2024"), ("c", "y", "2.1.2024")]
    sheet(shop / "odd.csv", rows)
    sheet(shop / "odd-items.csv", [("Was", "Gruppe"), ("b", "g"), ("c", "g")])
    told = called("train", "odd.csv", "--catalogue", "odd-items.csv", *FAST, cwd=shop)
    assert told.returncode == 0
    assert "odd.csv is read as --kind interactions --columns Wer,Was" in told.stderr
    sheet(shop / "odd.csv", [row[::-1] for row in rows])  # the day might be taken for the user
    assert called("train", "odd.csv", "--catalogue", "odd-items.csv", *FAST, cwd=shop).returncode == 2


def test_a_file_that_is_not_there_is_said_so_before_its_kind_is_asked_for(shop, called):
    told = called("train", "order.csv", *FAST, cwd=shop)
    assert told.returncode == 1
    assert "no such file: 'order.csv'; did you mean 'orders.csv'?" in told.stderr


def test_options_of_a_catalogue_need_one(shop, called):
    for option in (["--levels", "a"], ["--label", "a"], ["--prefix"]):
        told = called("train", "orders.csv", *option, *FAST, cwd=shop)
        assert told.returncode == 2
        assert "no --catalogue" in told.stderr


def test_a_few_rows_without_a_name_are_left_out_and_told(shop, called):
    rows = [("Kundennummer", "Artikelnummer", "Einzelpreis")] + [(n % 7, n % 5, "1,50") for n in range(60)]
    sheet(shop / "gaps.csv", [*rows, ("3", "", "2")])
    told = called("train", "gaps.csv", *FAST, cwd=shop)
    assert told.returncode == 0, told.stderr
    assert (
        "1 row without a name is left out, at line 62 of gaps.csv, column 'Artikelnummer'; with --refuse-missing"
        in told.stderr
    )
    assert "users from 'Kundennummer', items from 'Artikelnummer'; every row counts 1" in told.stderr
    assert called("train", "gaps.csv", "--refuse-missing", *FAST, cwd=shop).returncode == 1
    sheet(shop / "gaps.csv", [*rows[:30], *[("3", "", "2")] * 9])  # too many to be a slip
    assert "pass --drop-missing" in called("train", "gaps.csv", *FAST, cwd=shop).stderr


def test_cycles_are_broken_told_and_kept_on_the_card(shop, called):
    (shop / "kinds.csv").write_text("child,parent\n1000,Tee\nTee,Getränk\nGetränk,Tee\n", encoding="utf-8")
    told = called("train", "orders.csv", "--taxonomy", "kinds.csv", *FAST, cwd=shop)
    assert told.returncode == 0, told.stderr
    assert "dropped to break cycles: 'Getränk' -> 'Tee'; with --refuse-cycles a cycle is an error" in told.stderr
    model = vbn.load(shop / "m")
    assert model.data_.taxonomy.dropped == (("Getränk", "Tee"),)
    model.save(shop / "n")
    card = (shop / "n" / "README.md").read_text(encoding="utf-8")
    assert "| edges dropped to break cycles | 1 |" in card
    assert "| dropped edge 1 | Getränk \\-\\> Tee |" in card
    refused = called("train", "orders.csv", "--taxonomy", "kinds.csv", "--refuse-cycles", *FAST, cwd=shop)
    assert refused.returncode == 1
    assert "Tee -> Getränk -> Tee" in refused.stderr


def test_an_export_with_units_and_returns_trains_by_what_the_errors_say(tmp_path, called):
    rows = [("Bestell Nr.", "Kunden Nr.", "Artikel Nr.", "Menge (Stk.)")]
    rows += [(f"{n:06}", f"{n % 12:04}", f"{n * n % 7:05}", "-1" if n == 8 else "1,5") for n in range(90)]
    sheet(tmp_path / "orders.csv", rows)
    refused = called("train", "orders.csv", *FAST, cwd=tmp_path)
    assert "is negative (-1)" in refused.stderr
    assert "; --min-weight 1 leaves out all rows below" in refused.stderr
    trained = called("train", "orders.csv", "--min-weight", 1, *FAST, cwd=tmp_path)
    assert "users from 'Kunden Nr.', items from 'Artikel Nr.', weights of at least 1" in trained.stderr
    unread = called("train", "orders.csv", "--columns", "Kunden Nr.,Artikel Nr.", *FAST, "--dry-run", cwd=tmp_path)
    assert "1 row where it is 0 or below, such as returns, counts" in unread.stderr
    assert "--columns 'Kunden Nr.,Artikel Nr.,Menge (Stk.)' and --min-weight 1" in unread.stderr


def test_a_file_of_unknown_kind_is_asked_about_by_its_usual_columns(tmp_path, called):
    (tmp_path / "cases.csv").write_text("who,case,icd10\nP1,00017,I10\nP2,00018,I11\n", encoding="utf-8")
    asked = called("train", "cases.csv", *FAST, cwd=tmp_path)
    assert "if 'who' holds users and 'icd10' items: --kind interactions --columns who,icd10" in asked.stderr
