"""`python -m rtlat` and the `rtlat` command."""

import sys

from rtlat.cli import main

if __name__ == "__main__":
    sys.exit(main())
