"""Planning in processes beside the app."""
