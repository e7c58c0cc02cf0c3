"""Logs looked at by hand: what is chosen, what is drawn of it, and the widgets to choose with."""
