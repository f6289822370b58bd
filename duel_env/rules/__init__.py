"""Rules: kernels without files, rewards or hidden randomness, one folder per ruleset."""
