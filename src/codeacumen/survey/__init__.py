"""Surveys: cleaning of raters' votes to a benchmark, and selection of questions.

``votes`` reads files of votes into arrays, ``agreement`` measures the raters, ``clean`` computes
scores as IdBench does (Wainakh et al., ICSE 2021, sections II-B and II-C), and ``output_files``
writes them. ``simulate`` generates votes with a known truth. ``occurrences`` and ``select`` choose
the identifiers, pairs and code of a survey. ``cli.survey`` calls all of them; SeSaMe's votes are
cleaned by ``benchmarks.sesame.survey``.
"""
