"""op-plugin's own tests of torch_npu's operators, run over the emulated CANN."""

RECORD_VARIABLE = "CONFORMANCE_OP_PLUGIN_RECORD"
"""The file that takes what came of each test."""

DONE_VARIABLE = "CONFORMANCE_OP_PLUGIN_DONE"
"""A file that names the tests that an earlier process has done."""
