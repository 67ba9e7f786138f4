"""Judge an array namespace by the upstream conformance suite and report what was seen.

Run it as ``python -m conformance``; ``conformance/README.md`` says what the result proves.
"""
