"""The methods of arrays: operators, indexing, printing.

They are attached to the class from above the functions that compute them.
"""
