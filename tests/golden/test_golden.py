"""The bits of some fits are those that `digests.json` has for this processor and these versions.

They are taken anew where the mathematics changes on purpose. On a Ray cluster fits give the bits of threads, which
`tests/engines` asserts. On another machine there is nothing to compare with: `python -m tests.golden.fits` takes them.
"""

import json

import pytest

from tests.golden.fits import DIGESTS, FITS, LOOSE, SAME_AS, answers, digest, machine

KNOWN = json.loads(DIGESTS.read_text()).get(machine())


@pytest.mark.skipif(KNOWN is None, reason=f"no digests for this machine: {machine()}")
@pytest.mark.parametrize("name", FITS)
def test_a_fit_gives_the_bits_that_it_gave_before(name):
    model, known = FITS[name](), KNOWN[name]
    assert [*model.lower_bounds_, *model.validation_] == pytest.approx(known["bounds"], rel=1e-12)
    if name in LOOSE:
        return
    assert digest(model) == known["posterior"]
    assert answers(model) == known["answers"]


def test_the_fits_by_default_choose_what_they_should():
    shop, words = FITS["users and items by default"](), FITS["words by default"]()
    assert (shop.settings_["negatives"], words.settings_["negatives"]) == (4, 2)
    assert set(shop.trained_.dials) == {"all", "balanced", "rare"}
    assert set(words.trained_.dials) == {"all", "balanced", "rare"}
    assert words.settings_["subsample"] > 0


@pytest.mark.parametrize("name", SAME_AS)
def test_how_a_fit_is_run_does_not_change_its_bits(name):
    model, other = FITS[name](), FITS[SAME_AS[name]]()
    assert digest(model) == digest(other)
    assert answers(model) == answers(other)
