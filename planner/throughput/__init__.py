"""The training model: a job and a cluster -> step time, MFU, goodput, effective TFLOP/s.

The way of an estimate, from the bottom up: ``constants`` (every figure with its source) and ``cluster``
(rates of a GPU, the fabric as a design wires it); ``job`` (degrees, batch), its ``memory``, its FLOPs
(``flops``) and bytes (``traffic``); seconds of a GPU's own work (``compute``), of its ``collectives`` over
the ``fabric_path`` and ``between_sites``, put together to a ``step``; ``parallelism`` chooses the degrees
that were left open, ``goodput`` says what failures leave; ``estimate`` gives the ``result``. ``operations``
prices the states that a fabric can be run in; ``runs`` holds the model against published runs.
"""
