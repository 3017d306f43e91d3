"""`python -m policyscaler`: the same as the `policyscaler` command."""

import sys

from policyscaler.cli.main import main

sys.exit(main())
