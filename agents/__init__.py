"""Agents: decision makers that need NumPy only."""
