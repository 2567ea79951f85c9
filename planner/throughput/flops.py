"""Counting the FLOPs and weights of a transformer, dense or mixture of experts; time as MFU.

Sources: Narayanan et al., SC21 (arXiv 2104.04473), equations 2 and 3, with grouped-query attention,
gated MLPs and experts. Figures of a layer are means over the layers where layers differ.
"""

from __future__ import annotations

from planner.catalog.parts import TrainedModel


def attention_width(model: TrainedModel) -> int:
    """Heads x head size, which scores and sums run over; the hidden size unless the model says."""
    return model.attention_width or model.hidden


def attention_weights(model: TrainedModel) -> float:
    """Weights of a layer's attention: h^2*(2 + 2*kv/a) unless the model gives them."""
    return model.attention_params or model.hidden**2 * (2 + 2 * model.kv_heads / model.heads)


def _mlp_weights(model: TrainedModel, width: float) -> float:
    return (3 if model.gated_mlp else 2) * model.hidden * width


def expert_layers(model: TrainedModel) -> int:
    """Layers whose MLP is a mixture of experts."""
    return model.layers - model.dense_layers if model.experts else 0


def expert_weights(model: TrainedModel) -> float:
    """Weights of all routed experts of the model; 0 for a dense one."""
    return expert_layers(model) * model.experts * _mlp_weights(model, model.expert_ffn_hidden)


def active_ffn_hidden(model: TrainedModel) -> float:
    """MLP width that a token passes, mean over the layers: routed and shared experts together."""
    routed = expert_layers(model) / model.layers
    passed = (model.experts_per_token + model.shared_experts) * model.expert_ffn_hidden
    return (1 - routed) * model.ffn_hidden + routed * passed


def layer_weights(model: TrainedModel) -> float:
    """Weights of a layer without its routed experts, mean over the layers."""
    routed = expert_layers(model) / model.layers
    always = (1 - routed) * model.ffn_hidden + routed * model.shared_experts * model.expert_ffn_hidden
    return attention_weights(model) + _mlp_weights(model, always)


def params_of_shape(model: TrainedModel) -> float:
    """Parameters that follow from the shape: layers, experts, and the embedding once."""
    return model.layers * layer_weights(model) + expert_weights(model) + model.hidden * model.vocab


def dense_flops(model: TrainedModel) -> float:
    """Forward matmul FLOPs of one token in one layer: 2*(h^2*(2 + 2*kv/a) + k*h*ffn).

    k is 2, or 3 with a gated MLP; ffn of the experts that a token passes.
    """
    return 2 * (attention_weights(model) + _mlp_weights(model, active_ffn_hidden(model)))


def core_flops(model: TrainedModel) -> float:
    """Forward attention-core FLOPs of one token in one layer over the whole sequence: 4*seq*width."""
    return 4 * model.sequence * attention_width(model)


def head_flops(model: TrainedModel) -> float:
    """Forward FLOPs of one token in the output layer: 2*h*vocab."""
    return 2 * model.hidden * model.vocab


def model_flops_per_token(model: TrainedModel) -> float:
    """Forward and backward FLOPs of one token (3 times the forward), without any recompute.

    The attention core counts half where the model's figures are counted causal (Llama 3, NeMo) and
    in full where they are not (Megatron, LLM Foundry).
    """
    core = core_flops(model) * (0.5 if model.causal_flops else 1.0)
    return 3 * (model.layers * (dense_flops(model) + core) + head_flops(model))


def mfu(model: TrainedModel, sequences: float, step_s: float, gpus: float, peak_tflops: float) -> float:
    """Model FLOPs of a step of ``sequences`` over what ``gpus`` could do at dense peak in its time.

    Recompute never counts: a published "163 TFLOP/s, 52 % of peak" that counts the recomputed
    forward pass is an MFU of 0.39. Compare step times, not printed TFLOP/s.
    """
    flops = model_flops_per_token(model) * sequences * model.sequence
    return flops / (step_s * gpus * peak_tflops * 1e12)
