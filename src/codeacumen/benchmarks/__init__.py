"""What is asked: instances, with their truth, and how an answer is scored."""
