"""Text that may come from files, made fit for a terminal."""


def printable(text: str) -> str:
    r"""The same text with control characters and the like as escapes: a terminal shows them and does not obey them.

    A line end becomes `\n`, so that a message stays one line.
    """
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)
