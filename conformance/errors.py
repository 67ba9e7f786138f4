"""The one exception that ends the program with a line instead of a traceback."""


class SetupError(Exception):
    """Something outside of the judged namespace is missing or wrong; the text says what to do."""
