"""One module for each subcommand: ``arguments(parser)`` adds its options, ``run(options)`` returns the exit status."""
