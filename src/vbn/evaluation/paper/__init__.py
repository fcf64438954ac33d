"""The evidence: the paper's tables and today's rivals on the same data, in one command (`vbn reproduce`)."""
