"""Which rows are needed: each is taken out in turn, and its witnesses are called.

``samples`` has the calls and what is expected of them; the other modules do not know the sources of
these.  ``measure`` takes entries out and looks; ``command`` is ``python -m workshop rows``.
"""
