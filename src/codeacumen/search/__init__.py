"""One index of nearest methods: sparse postings or dense vectors, stored once a corpus."""
