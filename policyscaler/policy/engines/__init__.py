"""The only place that imports celpy: its parser, and its interpreter for what we do not lower."""
