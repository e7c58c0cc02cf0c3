"""The scoreboard: what rtlat costs, as ratios to something else on the same machine; one command each."""
