"""The inputs of the first page: which key of the scenario each one sets, its unit and its meaning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from planner.catalog.sources import Sources
from planner.catalog.technologies import TECHNOLOGIES, TECHNOLOGY_NAMES
from planner.scenario.scenario import Scenario

Value = str | int | float | bool | tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """One input. ``kind``: whole | decimal | percent (typed), choice | open-choice | many (picked).

    ``resolved`` reads its value from a planned scenario, which is where its default is read from.
    ``required`` inputs have no default.
    """

    section: str
    key: str
    label: str
    kind: str
    unit: str
    meaning: str
    resolved: Callable[[Scenario], object]
    options: tuple[Value, ...] = ()
    names: tuple[tuple[Value, str], ...] = ()
    required: bool = False

    @property
    def path(self) -> str:
        """The key as messages spell it."""
        return f"{self.section}.{self.key}"

    def name_of(self, value: object) -> str | None:
        """The words for a value, None where it has none of its own."""
        return next((name for known, name in self.names if known == value), None)


@dataclass(frozen=True, slots=True)
class Group:
    """Inputs that belong together, under one heading."""

    title: str
    fields: tuple[Field, ...]


_RATIOS = ("1:1", "3:2", "2:1", "3:1", "4:1")


def groups(sources: Sources) -> tuple[Group, ...]:
    """Every input, with the choices that the catalog offers."""
    return (
        Group("Servers and fabric", (_server(sources), *_fabric(sources))),
        Group("Training job", _workload(sources)),
        Group("Prices", _prices()),
        Group("Finance and power", _finance()),
    )


def labels(every: tuple[Group, ...]) -> dict[str, str]:
    """The label of each input by its key."""
    return {field.path: field.label for group in every for field in group.fields}


def _server(sources: Sources) -> Field:
    servers = sources.catalog.servers
    return Field(
        "cluster", "server", "Server", "choice", "",
        "The GPU server. It sets the GPUs and NIC ports of a node.",
        lambda s: s.server.id,
        options=tuple(servers), names=tuple((k, v.name) for k, v in servers.items()), required=True,
    )  # fmt: skip


def _fabric(sources: Sources) -> tuple[Field, ...]:
    rates = tuple(sorted({nic.port_gbps for nic in sources.catalog.nics.values()}))
    return (
        Field("fabric", "technologies", "Technologies", "many", "",
              "The fabrics to compare.",
              lambda s: s.fabric.technologies, TECHNOLOGIES, tuple(TECHNOLOGY_NAMES.items())),
        Field("fabric", "link_gbps", "Link rate", "choice", "Gb/s",
              "The rate of one endpoint, that is of one NIC port.",
              lambda s: s.fabric.link_gbps, rates),
        Field("fabric", "max_oversubscription", "Greatest oversubscription", "open-choice", "down : up",
              "How many times more bandwidth a leaf may offer its nodes than it has uplinks for. "
              "1:1 is non-blocking. Other ratios such as 7:5 can be typed.",
              lambda s: s.fabric.max_oversubscription, _RATIOS),
        Field("fabric", "rail_optimised", "Rail-optimised", "choice", "",
              "Whether NIC port 1 of every node goes to one leaf, port 2 to the next, and so on.",
              lambda s: s.fabric.rail_optimised, (True, False, (True, False)),
              ((True, "Yes"), (False, "No"), ((True, False), "The planner chooses"))),
        Field("fabric", "planes", "Planes", "choice", "",
              "Separate, parallel fabrics over which a node spreads its NIC ports.",
              lambda s: s.fabric.planes, (1, 2, 4, 8, (1, 2, 4, 8)),
              (((1, 2, 4, 8), "The planner chooses"),)),
        Field("fabric", "nodes_per_scalable_unit", "Nodes in a scalable unit", "whole", "nodes",
              "How many nodes share one set of leaves. Left empty, as many as the leaf has ports for.",
              lambda s: s.fabric.nodes_per_scalable_unit),
        Field("fabric", "bandwidth_headroom", "Bandwidth headroom", "percent", "% of each tier",
              "The share of each tier's bandwidth that the training job must leave free.",
              lambda s: s.fabric.bandwidth_headroom),
        Field("fabric", "collapsed_pair", "Pair of leaves", "choice", "",
              "Whether two leaves may be linked directly, without a spine, where that serves all nodes.",
              lambda s: s.fabric.collapsed_pair, (False, True), ((True, "Allowed"), (False, "No"))),
        Field("layout", "patch_panels", "Patch panels", "choice", "",
              "Whether fibres between switches run over patch panels, so that a link is moved by a cord.",
              lambda s: s.layout.patch_panels, (False, True, (False, True)),
              ((True, "Yes"), (False, "No"), ((False, True), "The planner chooses"))),
    )  # fmt: skip


def _workload(sources: Sources) -> tuple[Field, ...]:
    models = sources.catalog.models
    return (
        Field("workload", "model", "Model", "choice", "",
              "The model that the cluster trains; it decides how much the fabric carries.",
              lambda s: s.workload.model.id, tuple(models), tuple((k, v.name) for k, v in models.items())),
        Field("workload", "tensor_parallel", "Tensor parallel", "whole", "GPUs",
              "GPUs that share each layer, over NVLink. Left empty, the planner chooses.",
              lambda s: s.workload.tensor_parallel),
        Field("workload", "pipeline_parallel", "Pipeline parallel", "whole", "stages",
              "Stages that the layers are divided into. Left empty, the planner chooses.",
              lambda s: s.workload.pipeline_parallel),
        Field("workload", "global_batch_sequences", "Global batch", "whole", "sequences a step",
              "Sequences in one training step at the first build year. It grows with the GPUs up to "
              "16 million tokens a step.",
              lambda s: s.workload.global_batch_sequences),
    )  # fmt: skip


def _prices() -> tuple[Field, ...]:
    return (
        Field("prices", "infiniband_pricing", "InfiniBand pricing", "choice", "",
              "A ratio over the Ethernet part of the same specification, or the price book's own prices.",
              lambda s: s.prices.infiniband_pricing, ("ratio", "book"),
              (("ratio", "Ratio to RoCE"), ("book", "Price book"))),
        Field("prices", "infiniband_price_ratio", "InfiniBand price ratio", "decimal",
              "times the RoCE part",
              "What an InfiniBand switch or NIC costs against its RoCE counterpart per port-Gb/s. "
              "Used only with the pricing “Ratio to RoCE”.",
              lambda s: s.prices.infiniband_price_ratio),
    )  # fmt: skip


def _finance() -> tuple[Field, ...]:
    return (
        Field("finance", "horizon_years", "Horizon", "whole", "years",
              "How many years the plan covers, from the first build year.",
              lambda s: s.finance.horizon_years),
        Field("finance", "discount_rate", "Discount rate", "percent", "% a year, nominal",
              "How much less a payment weighs for each year that it lies ahead.",
              lambda s: s.finance.discount_rate),
        Field("finance", "electricity_usd_per_kwh", "Electricity price", "decimal", "USD/kWh",
              "What a kilowatt-hour costs.",
              lambda s: s.finance.electricity_usd_per_kwh),
        Field("finance", "pue", "PUE", "decimal", "facility power / IT power",
              "How much power the building draws for each watt of the machines.",
              lambda s: s.finance.pue),
        Field("finance", "residual", "Residual value", "choice", "",
              "What the hardware still counts for at the end of the horizon.",
              lambda s: s.finance.residual, ("unexpired-life", "market", "none"),
              (("unexpired-life", "Price paid x remaining life"), ("market", "Resale market"),
               ("none", "Nothing"))),
    )  # fmt: skip
