"""The simulated shop is what the tutorial needs: repeatable, with a long tail and products that nobody has."""

import pytest

import vbn
from vbn.datasets import write_shop


def test_the_same_seed_writes_the_same_files(tmp_path):
    first, second, other = (write_shop(tmp_path / name, 40, seed) for name, seed in (("a", 1), ("b", 1), ("c", 2)))
    for name in ("orders.csv", "catalogue.csv"):
        assert (first / name).read_bytes() == (second / name).read_bytes()
    assert (first / "orders.csv").read_bytes() != (other / "orders.csv").read_bytes()


def test_it_has_a_long_tail_under_a_taxonomy(tmp_path):
    shop = write_shop(tmp_path / "a folder")
    data = vbn.Dataset.from_interactions(shop / "orders.csv", "customer", "product")
    seen = data.columns.counts
    data = data.with_taxonomy(shop / "catalogue.csv")
    assert (seen <= 5).mean() > 0.3
    assert seen.max() > 100
    assert len(data.columns) - len(seen) > 40  # new products, kinds, departments
    assert data.taxonomy.depth == 2


def test_a_shop_is_written_again_but_never_over_other_files(tmp_path):
    write_shop(tmp_path, 5)
    write_shop(tmp_path, 5)
    mine = tmp_path / "orders.csv"
    mine.write_text("customer,product\nann,tea\n")
    with pytest.raises(vbn.DataError, match=r"orders\.csv' is there already, with other content"):
        write_shop(tmp_path, 5)
    assert mine.read_text() == "customer,product\nann,tea\n"
    (tmp_path / "catalogue.csv").unlink()
    with pytest.raises(vbn.DataError, match="choose another folder"):
        write_shop(tmp_path, 5)
    assert not (tmp_path / "catalogue.csv").exists()  # all of a shop or nothing


def test_a_folder_that_cannot_be_written_to(tmp_path):
    with pytest.raises(vbn.DataError, match="has no name"):
        write_shop("")
    (tmp_path / "file").write_text("x")
    with pytest.raises(vbn.DataError, match=r"cannot write the shop to .*file"):
        write_shop(tmp_path / "file", 5)
    with pytest.raises(vbn.DataError, match=r"cannot write the shop to .*shop': Not a directory"):
        write_shop(tmp_path / "file" / "shop", 5)
    (tmp_path / "orders.csv").mkdir()
    with pytest.raises(vbn.DataError, match="Is a directory"):
        write_shop(tmp_path, 5)
