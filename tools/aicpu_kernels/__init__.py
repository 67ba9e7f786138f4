"""CANN's AICPU kernels, compiled here and compared with what the emulator computes.

    git clone https://gitcode.com/cann/ops-math
    python -m tools.aicpu_kernels --sources ops-math --eigen /usr/include/eigen3

The sources are C++ over Eigen (Debian: libeigen3-dev), in `math/*/op_kernel_aicpu` of ops-math;
nothing of them is part of the project. `framework.h` is what they include of CANN, `kernels` runs
them, and `__main__` says what is compared with what. Results are those of this machine's compiler
and C library, where those of a chip are built for ARM with a compiler and a library of CANN's.
"""
