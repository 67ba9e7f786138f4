"""How exact functions of float32 are over the whole range, beside torch_npu's own kernels."""
