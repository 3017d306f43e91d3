"""The documented, versioned JSON shapes of what commands print, and how values become them.

The Structs here are the single source: `docs/schemas/*.json` is generated from them. Every field is
always present; what does not apply is null or empty.
"""
