"""Latency in the course of time: drift, steps, bursts and periodic outliers."""
