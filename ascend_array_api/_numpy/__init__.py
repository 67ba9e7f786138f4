"""NumPy's functions, methods and calls that the standard lacks.

``extras`` are always there; the others come with relaxed mode.  Computes by the functions of the
namespace alone.
"""
