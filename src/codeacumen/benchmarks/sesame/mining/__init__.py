"""SeSaMe's pipeline: mine methods of a corpus, compare them, sample pairs, and let people rate."""
