"""Tests of the reproduction, run by `make test` beside those of the library."""
