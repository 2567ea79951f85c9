"""Bytes that a job sends, and through how many endpoints: nothing of time or technology."""

from __future__ import annotations

from dataclasses import dataclass

from planner.throughput_job import Job, Machine


@dataclass(frozen=True, slots=True)
class Collective:
    """One collective of a group of ranks. Bytes are of the data, times its (n-1)/n.

    ``islands`` is how many islands the group spans: 1 keeps it off the fabric. ``endpoints`` serve
    the group in each island. ``bytes`` cross each island's edge, ``scale_up_bytes`` each GPU's link.
    """

    ranks: int
    islands: int
    endpoints: float
    bytes: float
    scale_up_bytes: float

    @property
    def endpoint_bytes(self) -> float:
        """Bytes through one endpoint."""
        return self.bytes / self.endpoints if self.islands > 1 else 0.0


def _shape(ranks: int, per_island: float) -> tuple[int, int]:
    """Ranks of a group in one island, and the islands that it spans."""
    members = max(1, min(ranks, int(per_island)))
    return members, -(-ranks // members)


def _collective(ranks: int, members: int, islands: int, size: float, machine: Machine) -> Collective:
    return Collective(
        ranks=ranks,
        islands=islands,
        endpoints=members * machine.endpoints_per_gpu,
        bytes=size * (ranks - 1) / ranks,
        scale_up_bytes=size * (members - 1) / members,
    )


def gradients(job: Job, machine: Machine) -> Collective:
    """What the replicas exchange: once a step, or once a micro-batch with sharding "fsdp".

    Per GPU N/(TP*PP) parameters: gradients reduced and parameters gathered (ZeRO-1), gradients
    there and back (no sharding), parameters gathered twice and gradients reduced (FSDP).
    """
    workload = job.workload
    weights = workload.model.params / (job.tensor * job.pipeline)
    each = {
        "none": 2 * workload.gradient_bytes,
        "zero1": workload.gradient_bytes + workload.parameter_bytes,
        "fsdp": workload.gradient_bytes + 2 * workload.parameter_bytes,
    }[workload.sharding]
    members, islands = _shape(job.replicas, machine.island / job.tensor)
    return _collective(job.replicas, members, islands, weights * each, machine)


def activations(job: Job, machine: Machine) -> Collective:
    """One tensor-parallel all-reduce of a layer: twice h x tokens at 2 bytes."""
    size = 2 * 2 * job.workload.model.hidden * job.tokens
    members, islands = _shape(job.tensor, machine.island)
    return _collective(job.tensor, members, islands, size, machine)


def all_reduces_per_layer(job: Job) -> int:
    """Tensor-parallel all-reduces of a layer: two forward, two backward, two more to recompute."""
    return 6 if job.workload.recompute == "full" else 4


def stage_message_bytes(job: Job) -> float:
    """Activations that one GPU hands to the next stage: 2*h*tok/TP."""
    return 2 * job.workload.model.hidden * job.tokens / job.tensor


def stage_messages(job: Job) -> int:
    """Stage-to-stage messages of a step: 2*vpp*m; none in one stage."""
    return 2 * job.workload.virtual_pipeline * job.micro_batches if job.pipeline > 1 else 0


def pipeline_leaves_island(job: Job, machine: Machine) -> bool:
    """Whether stages lie on different islands: stages are the outermost degree of a job."""
    return job.pipeline > 1 and job.gpus > machine.island


def endpoint_bytes_per_step(job: Job, machine: Machine) -> float:
    """Bytes that one endpoint sends in a step, all parallel degrees together."""
    times = job.micro_batches if job.workload.sharding == "fsdp" else 1
    total = gradients(job, machine).endpoint_bytes * times
    layers = job.stage_layers * job.micro_batches * all_reduces_per_layer(job)
    total += activations(job, machine).endpoint_bytes * layers
    if pipeline_leaves_island(job, machine):
        total += stage_messages(job) * stage_message_bytes(job) / machine.endpoints_per_gpu
    return total
