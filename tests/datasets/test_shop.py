"""The simulated shop is what the tutorial needs: repeatable, with a long tail and products that nobody has."""

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
