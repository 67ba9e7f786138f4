"""op-plugin's own tests of torch_npu's operators, run over the emulated CANN."""
