"""Counting FLOPs and weights against figures worked out by hand."""

from __future__ import annotations

import pytest

from planner.throughput.flops import (
    active_ffn_hidden,
    dense_flops,
    expert_weights,
    model_flops_per_token,
    params_of_shape,
)
from tests.throughput.cases import (
    DEEPSEEK,
    GPT3,
    LLAMA8B,
    SMALL,
)


def test_dense_flops_count_grouped_query_attention_and_gated_mlp() -> None:
    assert dense_flops(SMALL) == 2 * (4 * 1024**2 + 2 * 1024 * 4096)
    # Q and output h^2 each, K and V a quarter of it each, three MLP matrices
    assert dense_flops(LLAMA8B) == 2 * (2.5 * 4096**2 + 3 * 4096 * 14336)


def test_gpt3_model_flops_agree_with_six_times_parameters() -> None:
    # 72*L*h^2*(1 + s/(6h) + V/(12hL)) of SC21 without recompute; 6N = 1.05e12
    assert model_flops_per_token(GPT3) == pytest.approx(1.07644e12, rel=1e-5)


def test_parameters_of_a_mixture_of_experts_follow_from_its_shape() -> None:
    # 58 layers * 256 experts * 3 * 7168 * 2048; published: 671 B, 37 B of them active
    assert expert_weights(DEEPSEEK) == 58 * 256 * 3 * 7168 * 2048
    assert params_of_shape(DEEPSEEK) == pytest.approx(670e9, rel=0.002)
    assert active_ffn_hidden(DEEPSEEK) == pytest.approx((3 * 18432 + 58 * 9 * 2048) / 61)
    assert model_flops_per_token(DEEPSEEK) / 6 == pytest.approx(37e9 + 61 * 4096 * 20480 / 3, rel=0.13)
