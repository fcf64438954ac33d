"""Remedies in the words of the command line."""

import pytest

from vbn.cli._wording import in_options


@pytest.mark.parametrize(
    ("python", "options"),
    [
        ("it is a row: pass side='row'.", "it is a row: pass --side row."),
        ('pass side="column"', "pass --side column"),
        ("exclude_seen=False, or save with counts=True.", "--include-seen, or train without --no-counts."),
        ("choose another name, or use partial_fit.", "choose another name."),
    ],
)
def test_parameters_become_options(python, options):
    assert in_options(python) == options
