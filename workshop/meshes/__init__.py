"""The functions on arrays that are divided over several devices, which one process simulates."""
