"""From sources to a corpus. So far: finding files and reading them, whatever they are."""
