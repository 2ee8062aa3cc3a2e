"""The functions of ``import codeacumen``, a module for each topic; the command line calls them."""
