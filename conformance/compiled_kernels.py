"""Let torch_npu call CANN's compiled kernels: a pytest plugin, and what `devices.start` imports.

On a first Ascend 910 torch_npu compiles each operation by default, by a path that is not emulated
and that takes minutes on hardware.  The package never changes this setting of the process, so a
program has to, and so do the programs here.  Other chips call compiled kernels by default.
"""

from importlib.util import find_spec

if find_spec("torch_npu") is not None:
    import torch_npu

    torch_npu.npu.set_compile_mode(jit_compile=False)
