"""The command line, one module a command: parse, call, print.

Modules import what they need when they run: `policyscaler --help` answers before numpy, YAML or
the policy engine could have been imported. `documents` holds the JSON shapes, `text` what people
read.
"""
