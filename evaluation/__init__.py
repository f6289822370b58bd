"""Evaluation: what an agent is worth, with the sample sizes that a claim needs."""
