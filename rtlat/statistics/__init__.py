"""Numbers in, results out: nothing here knows of frames, logs or notebooks."""
