"""``python -m ascend_array_api``: report usable devices, and a remedy for each problem.

``python -m ascend_array_api why remainder float32 npu`` says how a function is computed, and why.
"""

import sys

if sys.argv[1:2] == ["why"]:
    from ._doctor.why import main

    sys.exit(main(sys.argv[2:]))

from ._doctor.diagnosis import main as report

sys.exit(report())
