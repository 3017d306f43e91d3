"""Pure planning: a snapshot, policies and an instant in, a plan with its reasons out.

`decide` is the one entry: the simulated world, `plan`, `explain` and, later, the controller all
call it, so that what is rehearsed is what would be done.
"""
