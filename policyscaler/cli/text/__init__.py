"""What people read: plain text from values, and colour where a terminal wants it."""
