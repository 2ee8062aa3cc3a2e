"""What each name in a Java file refers to (JLS 6), without a compiler."""
