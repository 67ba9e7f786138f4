"""Late errors, work of the host, gathers on meshes: messages to users beside a result.

Knows no operation and no device type: callers say what happened.
"""
