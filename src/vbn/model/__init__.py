"""The mathematics: the posterior as plain arrays, one module per block of the paper, the bound, the fit loop."""
