"""The training model: design and job -> step time, MFU, goodput, effective TFLOP/s."""
