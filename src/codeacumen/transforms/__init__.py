"""Changes to a program that keep its meaning."""
