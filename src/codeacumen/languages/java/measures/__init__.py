"""Measures of Java methods: NPath complexity and operators."""
