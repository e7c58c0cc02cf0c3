"""The runs of a machine one after the other: their figures, and the run from which on these changed."""
