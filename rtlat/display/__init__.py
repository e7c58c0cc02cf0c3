"""Tables, figures and markup that all reports share."""
