"""Settings of all tests: those of the library's own."""

import tests.conftest  # noqa: F401 - registers the profiles of hypothesis
