"""What is known of a variant besides that it was made with care.

Levels, each including the former: it parses; its names mean what they meant, by our own resolver;
it compiles, with javac; tests pass, by a command the user gives.
"""

from acumen.transforms.certify.levels import (
    LEVELS,
    UNMADE,
    Certificate,
    level_of,
    without_place,
)

__all__ = ["LEVELS", "UNMADE", "Certificate", "level_of", "without_place"]
