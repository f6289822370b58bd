"""Plain-Python reference implementations of the rulesets, the oracles of the kernel's tests."""
