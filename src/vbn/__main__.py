"""`python -m vbn` is the command line."""

from vbn.cli import main

if __name__ == "__main__":
    main()
