"""The spell duel of Pathfinder."""
