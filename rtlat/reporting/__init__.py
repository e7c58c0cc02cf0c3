"""Notebooks run with parameters and written as pages that open anywhere."""
