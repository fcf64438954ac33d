"""A slow, plain numpy twin of the whole model: the oracle that the compiled kernels are tested against."""
