"""An index of nearest methods, with sparse postings or dense vectors, stored once per corpus."""
