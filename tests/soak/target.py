"""One reader under atheris, in a process of its own: python -m tests.soak.target READER [options of libFuzzer]."""

import sys
import warnings

import atheris

with atheris.instrument_imports(include=["vbn.cli", "vbn.data", "vbn.datasets", "vbn.storage", "reproduction"]):
    from tests.soak.readers import READERS


def main() -> None:
    """Draw inputs until the time is up; does not return."""
    reader = READERS[sys.argv.pop(1)]

    def one(content: bytes) -> None:
        reader(content)

    warnings.simplefilter("ignore")
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
