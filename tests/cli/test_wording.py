"""Remedies in the words of the command line."""

import pytest

from vbn._errors import DataError
from vbn.cli._guard import told
from vbn.cli._wording import in_options


@pytest.mark.parametrize(
    ("python", "options"),
    [
        ("it is a row: pass side='row'.", "it is a row: pass --side row."),
        ('pass side="column"', "pass --side column"),
        ("exclude_seen=False, or save with counts=True.", "--include-seen, or train without --no-counts."),
        ("choose another name, or use partial_fit.", "choose another name."),
        ("it is the name of a row: pass it as user=.", "it is the name of a row: give it with --user."),
        ("give it as an entity, not as user=.", "give it as an entity, not with --user."),
        ("contexts on the other; see side=.", "contexts on the other; see --side."),
        ("popularity=nan must be a finite number", "--popularity nan must be a finite number"),
        ("memory='lots' is no amount of memory", "--memory lots is no amount of memory"),
        ("'a' -> 'b'; taxonomy.dropped lists all of them", "'a' -> 'b'"),
    ],
)
def test_parameters_become_options(python, options):
    assert in_options(python) == options


def test_an_error_of_several_lines_is_one_and_a_name_keeps_its_spaces():
    assert told(DataError("did you mean\n  '  two  words  '?")) == "error: did you mean '  two  words  '?"
