"""Surveys: from people's raw votes to a benchmark, and what to ask them about.

``votes`` reads files of votes into arrays, ``agreement`` measures the raters, ``clean`` computes
scores after IdBench (Wainakh et al., ICSE 2021, section II-B and II-C) and ``benchmark`` writes
them; ``sesame`` cleans votes as SeSaMe did. ``simulate`` makes votes whose truth is known.
``occurrences`` and ``select`` choose identifiers, pairs and code to ask about.
"""
