"""Run the array API tests of SciPy and scikit-learn against a namespace that they do not know.

The tests are those in the installed packages, as they are. Both projects run them against a list of
namespaces that they know by name; the plugins here put one other namespace into that list.
"""
