"""Frozen values that every other package speaks in.

Nothing here reads a clock, a file or a socket. Amounts are integers in base units (milli-CPU,
bytes, counts, micro-dollars per hour), instants are timezone-aware datetimes in UTC and
collections are treated as immutable. The values are msgspec Structs: at 100,000 pods they take
a tenth of the memory of plain dicts, and the garbage collector never looks at them.
"""
