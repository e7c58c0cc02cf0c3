"""Large latencies: what n supports, estimated levels beyond the data, and why there are none."""
