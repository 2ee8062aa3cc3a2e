"""Name resolution in a Java file (JLS 6), without a compiler."""
