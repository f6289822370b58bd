"""Environments of the common libraries. They translate; every rule is in the ruleset's kernel."""
