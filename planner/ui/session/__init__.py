"""What a session holds: the scenario being edited, who edits it, its answers."""
