"""``python -m ascend_array_api``: say what is usable here, and what to do about what is not."""

import sys

from ._doctor import main

sys.exit(main())
