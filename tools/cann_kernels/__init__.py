"""CANN's own kernel sources, run on NumPy and compared with what the emulator computes.

    python -m tools.cann_kernels --root /usr/local/Ascend/ascend-toolkit/latest

The sources (TBE, in Python) are part of every CANN; nothing of them is part of the project. A
kernel of theirs describes its computation by calls of a small language, one call for each vector
instruction. `dsl` has those calls on NumPy arrays, `sources` imports the kernels with them,
`kernels` says what is compared with what, `inputs` with which numbers.
"""
