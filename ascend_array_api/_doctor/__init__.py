"""``python -m ascend_array_api``: the diagnosis of an installation, and ``why``.

Runs no operation, so that it also works where devices cannot be used.
"""
