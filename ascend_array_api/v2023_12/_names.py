"""What version 2023.12 has, and no later version changed."""

from .._constants import *
from .._creation import *
from .._data_type import *
from .._dtypes import *
from .._elementwise import *
from .._indexing import *
from .._linear_algebra import *
from .._manipulation import *
from .._searching import *
from .._set import *
from .._sorting import *
from .._statistical import *
from .._utility import *
