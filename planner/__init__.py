"""Plans the network of a growing AI cluster: design, cost and training throughput."""
