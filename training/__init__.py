"""Training by self-play, and the command line, which puts everything together. Torch is imported by the parts that train only."""
