"""What users are told beside a result: late errors, work of the host, gathers on meshes.

Knows no operation and no device type: callers say what happened.
"""
