"""Control flow of Java methods: nodes, edges, and reaching definitions."""
