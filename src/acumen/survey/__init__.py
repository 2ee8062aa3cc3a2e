"""Surveys: from people's raw votes to a benchmark, and what to ask them about.

``reading`` takes files of votes, ``votes`` holds them as arrays, ``agreement`` and ``raters`` judge
who rated them, ``conversion`` makes scores of them, ``clean`` does all of it after IdBench
(Wainakh et al., ICSE 2021, section II-B and II-C) and ``sesame`` after SeSaMe. ``simulate`` makes
votes whose truth is known. ``occurrences``, ``select`` and ``contexts`` find identifiers, pairs and
code to ask about.
"""
