"""The spell duel in words, English and French: what just happened, and where the duelists stand."""

from typing import Any, Literal

Language = Literal["en", "fr"]


def describe_event(before: Any, after: Any, event: tuple[int, int, int], language: Language, viewer: int | None = None) -> str:
    """What an event did."""
    return ""


def describe_state(duel: Any, language: Language, viewer: int | None = None) -> str:
    """Where the duelists stand."""
    return ""
