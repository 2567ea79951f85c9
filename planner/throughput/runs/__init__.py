"""Published training runs against the model: reading them, predicting them, fitting the constants."""
