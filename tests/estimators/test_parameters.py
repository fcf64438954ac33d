"""Parameters are declared once: signature, docstring, documentation, checks and model card agree with the table."""

import inspect
import re
import warnings
from pathlib import Path

import pytest
from scripts.parameter_table import PAGE, updated

import vbn
from vbn.engines import ENGINES
from vbn.estimators import GROUPS, PARAMETERS, RENAMED, check_parameters
from vbn.model import COLD_PRECISIONS

NAMES = [item.name for item in PARAMETERS]
FORMAT_1 = Path(__file__).parents[1] / "storage" / "format1"


def data():
    return vbn.Dataset.from_pairs(["dog", "cat"], ["barks", "purrs"], [10, 4])


def described():
    """The parameters that the docstring of VBN describes, with what it says of their types."""
    section = re.search(r"Parameters\n-+\n(.*?)\n\nAttributes", inspect.getdoc(vbn.VBN), re.DOTALL)[1]
    entries = re.findall(r"^(\w+(?:, \w+)*) : (.*)$", section, re.MULTILINE)
    return {name: kind for names, kind in entries for name in names.split(", ")}


def test_the_signature_has_all_parameters_in_order_with_their_defaults():
    given = inspect.signature(vbn.VBN).parameters
    assert [name for name in given if name not in RENAMED] == NAMES
    assert {name: given[name].default for name in NAMES} == {item.name: item.default for item in PARAMETERS}
    assert list(vbn.VBN().get_params()) == NAMES


def test_the_docstring_describes_all_parameters_with_their_defaults():
    told = described()
    assert [name for name in told if name not in RENAMED] == NAMES
    for item in PARAMETERS:
        shown = f'"{item.default}"' if isinstance(item.default, str) else repr(item.default)
        assert told[item.name].endswith("optional" if item.default is None else f"default {shown}"), item.name


def test_every_parameter_has_a_group_a_line_of_help_and_a_default_within_its_range():
    check_parameters({item.name: item.default for item in PARAMETERS}, [])
    for item in PARAMETERS:
        assert item.group in GROUPS
        assert item.help.endswith(".")
        assert "\n" not in item.help


def test_choices_are_those_of_the_rooms_that_use_them():
    choices = {item.name: item.choices for item in PARAMETERS}
    assert choices["cold_precision"] == tuple(COLD_PRECISIONS)
    assert choices["engine"] == ENGINES


def test_the_page_about_parameters_is_up_to_date():
    page = PAGE.read_text(encoding="utf-8")
    assert page == updated(page), "run python scripts/parameter_table.py"
    for name in NAMES:
        assert f"\n| `{name}` |" in page


def test_the_model_card_lists_the_parameters_that_are_kept(tmp_path):
    folder = vbn.VBN(dim=2, epochs=1, verbose=False, checkpoint=tmp_path / "state").fit(data()).save(tmp_path / "model")
    card = (folder / "README.md").read_text(encoding="utf-8").partition("## Parameters")[2].partition("\n## ")[0]
    listed = [row.replace("\\", "") for row in re.findall(r"^\| (\S+) \|", card, re.MULTILINE)]
    assert [name for name in listed if name in NAMES] == [item.name for item in PARAMETERS if item.saved]


def test_the_old_name_of_a_parameter_warns_where_it_is_used():
    for use, epochs in ((lambda: vbn.VBN(average=3), 3), (lambda: vbn.VBN().set_params(average=4), 4)):
        with pytest.warns(DeprecationWarning, match="average is now called average_epochs") as caught:
            model = use()
        assert Path(caught[0].filename) == Path(__file__)
        assert model.average_epochs == epochs
    assert "average" not in model.get_params()


def test_a_model_saved_under_the_old_name_is_loaded_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert vbn.load(FORMAT_1 / "shop").average_epochs == 2


def test_reliability_was_called_uncertainty():
    model = vbn.VBN(dim=2, epochs=2, verbose=False).fit(data())
    with pytest.warns(DeprecationWarning, match=r"now called reliability\(\)"):
        old = model.uncertainty([("dog", "barks")])
    assert old.ece == model.reliability([("dog", "barks")]).ece


def test_the_fitted_state_and_the_data_are_public(tmp_path):
    model = vbn.VBN(dim=2, epochs=1, verbose=False)
    for name in ("trained_", "data_"):
        assert not hasattr(model, name)
        with pytest.raises(vbn.NotFittedError):
            getattr(model, name)
    given = data()
    model.fit(given)
    assert model.data_ is given
    assert model.trained_.rows is given.rows
    bare = vbn.load(model.save(tmp_path / "bare", counts=False))
    assert bare.data_ is None
    assert "dog" in bare.trained_.rows
