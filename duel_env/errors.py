"""Named errors of the package: each says what was wrong, where, and what is accepted."""


class DuelError(Exception):
    """Base of every error that this package raises on purpose."""


class IllegalActionError(DuelError, ValueError):
    """An action that the current player may not take in this state."""


class InvalidActionError(DuelError, TypeError):
    """A value that is no action at all: not an integer, or of the wrong shape."""


class InvalidRollError(DuelError, ValueError):
    """A die face outside the die, or a die where none is due."""


class ConfigError(DuelError, ValueError):
    """A setting, option or configuration file that is not accepted."""


class SchemaError(DuelError, ValueError):
    """A file or record whose content does not fit the format, version or rules expected of it."""


class UsageError(DuelError, RuntimeError):
    """A call made out of order, such as stepping a duel that is over."""


class ConvergenceError(DuelError, ArithmeticError):
    """A computation that does not come to an end that could be vouched for."""
