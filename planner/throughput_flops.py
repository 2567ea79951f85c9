"""Counting FLOPs of a dense transformer, and what a step's time means as MFU."""

from __future__ import annotations

from planner.catalog import TrainedModel


def dense_flops(model: TrainedModel) -> float:
    """Forward matmul FLOPs of one token in one layer: 2*(h^2*(2 + 2*kv/a) + k*h*ffn).

    k is 2, or 3 with a gated MLP (Narayanan et al., SC21, with grouped-query attention).
    """
    matrices = 3 if model.gated_mlp else 2
    attention = model.hidden**2 * (2 + 2 * model.kv_heads / model.heads)
    return 2 * (attention + matrices * model.hidden * model.ffn_hidden)


def core_flops(model: TrainedModel) -> float:
    """Forward attention-core FLOPs of one token in one layer: 4*seq*h, half where counted causal."""
    return 4 * model.sequence * model.hidden * (0.5 if model.causal_flops else 1.0)


def head_flops(model: TrainedModel) -> float:
    """Forward FLOPs of one token in the output layer: 2*h*vocab."""
    return 2 * model.hidden * model.vocab


def model_flops_per_token(model: TrainedModel) -> float:
    """Forward and backward FLOPs of one token (3 times the forward), without any recompute."""
    return 3 * (model.layers * (dense_flops(model) + core_flops(model)) + head_flops(model))


def mfu(model: TrainedModel, sequences: int, step_s: float, gpus: int, peak_tflops: float) -> float:
    """Model FLOPs of a step of ``sequences`` over what ``gpus`` could do at dense peak in its time.

    Recompute never counts: a published "163 TFLOP/s, 52 % of peak" that counts the recomputed
    forward pass is an MFU of 0.39. Compare step times, not printed TFLOP/s.
    """
    flops = model_flops_per_token(model) * sequences * model.sequence
    return flops / (step_s * gpus * peak_tflops * 1e12)
