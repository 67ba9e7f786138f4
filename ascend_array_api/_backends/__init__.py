"""Backends: a folder for each device type, with everything that is special to it.

``__init__`` of a folder has the object, an instance of ``Backend``, and the other modules have the
rows.  Modules above ask the object and name no device type.  Backends know operations and their
routes, but no arrays.
"""
