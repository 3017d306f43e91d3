"""Wiring: the only place that joins ports to what answers them."""
