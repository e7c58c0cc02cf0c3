"""Real-time latency logs: read, understood, compared and defended."""

__version__ = "0.1.0"
