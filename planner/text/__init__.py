"""What people read: numbers as text, lines of the log."""
