"""Compiled inner loops: plain arrays in, plain arrays out.

Every kernel releases the GIL and works on a range of rows, so that an engine can run ranges side by side; a row
is always computed by one call from start to end, so the result does not depend on how the rows were divided.
"""
