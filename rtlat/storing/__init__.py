"""A lab's memory: every run that was ever measured in one SQLite file, found again by what is known of it.

`rtlat.storing.recall.recall` takes a word such as ``store:kernel=6.12 load=hackbench`` or
``store:lab.sqlite?load=idle`` and returns a `rtlat.Recording`; `rtlat.storing.recall.is_kept` tells such words from
others. ``rtlat.read`` and ``rtlat.read_all`` take them like any log.
"""
