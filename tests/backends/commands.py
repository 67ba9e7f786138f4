"""Run several commands one after the other in this process: ``python commands.py JSON``.

It imports nothing of torch, so that it also says which commands do.
"""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import sys

if __name__ == "__main__":
    ended = []
    for module, *arguments in json.loads(sys.argv[1]):
        sys.argv = [module, *arguments]
        out, err, code = io.StringIO(), io.StringIO(), None
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                runpy.run_module(module, run_name="__main__", alter_sys=True)
            except SystemExit as end:
                code = end.code
        ended.append((code or 0, out.getvalue(), err.getvalue()))
    print(json.dumps(ended))
