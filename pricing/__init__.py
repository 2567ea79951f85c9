"""What things cost: prices with their source and grade. Knows SKUs, nothing of topologies."""
