"""The Python Array API standard on torch tensors, for Huawei Ascend NPUs, CUDA and the CPU."""

from ._torch import torch as _torch  # first: see there
from ._array import Array
from ._dtypes import *
from ._elementwise import *
