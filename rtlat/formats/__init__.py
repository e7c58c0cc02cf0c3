"""One file per line family; see CONTRIBUTING.md for how to add one."""
