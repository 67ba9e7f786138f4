"""The command ``python -m workshop fuzz``: random programs, compared with NumPy step by step."""

QUICK_VARIABLE = "ASCEND_ARRAY_API_FUZZ"
"""Set in the processes of the fuzzer, before anything of the samples is imported."""

KINDS = ("all", "seams", "relaxed", "derivatives", "threads", "compiled")
"""What the steps of a program can be of."""
