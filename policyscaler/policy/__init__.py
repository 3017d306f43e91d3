"""The policy language: parsing, checking and evaluating its expressions.

`expression` is the way in. celpy parses (`engines`), `checker` types the tree, and `lowering`,
`closures` or celpy's interpreter evaluate it, all three to the same meaning. `vocabulary` and
`functions` are the tables of everything an expression can name.
"""
