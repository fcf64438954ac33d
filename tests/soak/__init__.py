"""Long runs: random files for every reader, and memory over a thousand epochs and a million queries."""
