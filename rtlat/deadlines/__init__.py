"""What latencies mean for a periodic task."""
