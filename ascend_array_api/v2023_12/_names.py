"""What version 2023.12 has, and no later version changed."""

from .._chapters.constants import *
from .._chapters.creation import *
from .._chapters.data_type import *
from .._chapters.elementwise import *
from .._chapters.linear_algebra import *
from .._chapters.manipulation import *
from .._chapters.searching import *
from .._chapters.set import *
from .._chapters.sorting import *
from .._chapters.statistical import *
from .._chapters.utility import *
from .._methods.indexing import *
from .._torch.dtypes import *
