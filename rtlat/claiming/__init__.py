"""Claims on latencies, and whether runs support them: supported, refuted or undecided, with the reasons."""
