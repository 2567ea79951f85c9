"""The inputs of the first page: a key of the attribute tables each, with a label and what can be picked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planner.catalog.parts import TrainedModel
from planner.catalog.sources import Sources
from planner.catalog.technologies import TECHNOLOGIES, TECHNOLOGY_NAMES
from planner.scenario.attributes import Attribute
from planner.scenario.scenario import Scenario
from planner.scenario.sections import attribute

Value = str | int | float | bool | tuple[object, ...]
Names = tuple[tuple[Value, str], ...]
Kind = Literal["whole", "decimal", "percent", "choice", "open-choice", "many"]


@dataclass(frozen=True, slots=True)
class Field:
    """One input. ``kind``: whole | decimal | percent (typed), choice | open-choice | many (picked).

    ``hint`` says what only someone at this input needs to know, beside the attribute's sentence.
    """

    attribute: Attribute
    label: str
    kind: Kind
    options: tuple[Value, ...] = ()
    names: Names = ()
    hint: str = ""

    @property
    def section(self) -> str:
        """The section of its key."""
        return self.attribute.section

    @property
    def key(self) -> str:
        """The key that it sets."""
        return self.attribute.key

    @property
    def path(self) -> str:
        """The key as messages spell it."""
        return self.attribute.path

    @property
    def unit(self) -> str:
        """The unit that a user types in: percent where the file holds a fraction."""
        unit = self.attribute.unit
        return unit.replace("fraction", "%", 1) if self.kind == "percent" else unit

    @property
    def meaning(self) -> str:
        """What it means, in a sentence or two."""
        return f"{self.attribute.sentence} {self.hint}".strip()

    @property
    def required(self) -> bool:
        """Whether there is no default."""
        return self.attribute.required

    def resolved(self, scenario: Scenario) -> object:
        """Its value in a planned scenario, which is where its default is read from."""
        if self.section == "cluster":
            return scenario.server.id
        found: object = getattr(getattr(scenario, self.section), self.key)
        return found.id if isinstance(found, TrainedModel) else found

    def name_of(self, value: object) -> str | None:
        """The words for a value, None where it has none of its own."""
        return next((name for known, name in self.names if known == value), None)


@dataclass(frozen=True, slots=True)
class Group:
    """Inputs that belong together, under one heading."""

    title: str
    fields: tuple[Field, ...]


_RATIOS = ("1:1", "3:2", "2:1", "3:1", "4:1")
_CHOOSES = "The planner chooses"


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


def _typed(section: str, key: str, label: str, kind: Kind, hint: str = "") -> Field:
    return Field(attribute(section, key), label, kind, hint=hint)


def _picked(
    section: str, key: str, label: str, options: tuple[Value, ...] | None = None, names: Names = ()
) -> Field:
    """A choice; without ``options``, of the words that the attribute table knows."""
    row = attribute(section, key)
    return Field(row, label, "choice", row.choices if options is None else options, names)


def _server(sources: Sources) -> Field:
    servers = sources.catalog.servers
    names = tuple((id_, server.name) for id_, server in servers.items())
    return _picked("cluster", "server", "Server", tuple(servers), names)


def _fabric(sources: Sources) -> tuple[Field, ...]:
    rates = tuple(sorted({nic.port_gbps for nic in sources.catalog.nics.values()}))
    technologies, ratio = attribute("fabric", "technologies"), attribute("fabric", "max_oversubscription")
    typed = "Other ratios such as 7:5 can be typed."
    planes, rails, panels = (1, 2, 4, 8), (True, False), (False, True)  # all: the planner chooses
    yes_no = ((True, "Yes"), (False, "No"))
    return (
        Field(technologies, "Technologies", "many", TECHNOLOGIES, tuple(TECHNOLOGY_NAMES.items())),
        _picked("fabric", "link_gbps", "Link rate", rates),
        Field(ratio, "Greatest oversubscription", "open-choice", _RATIOS, hint=typed),
        _picked("fabric", "rail_optimised", "Rail-optimised", (*rails, rails), (*yes_no, (rails, _CHOOSES))),
        _picked("fabric", "planes", "Planes", (*planes, planes), ((planes, _CHOOSES),)),
        _typed("fabric", "nodes_per_scalable_unit", "Nodes in a scalable unit", "whole"),
        _typed("fabric", "bandwidth_headroom", "Bandwidth headroom", "percent"),
        _picked(
            "fabric", "collapsed_pair", "Pair of leaves", (False, True), ((True, "Allowed"), (False, "No"))
        ),
        _picked("layout", "patch_panels", "Patch panels", (*panels, panels), (*yes_no, (panels, _CHOOSES))),
    )


def _workload(sources: Sources) -> tuple[Field, ...]:
    models = sources.catalog.models
    names = tuple((id_, model.name) for id_, model in models.items())
    return (
        _picked("workload", "model", "Model", tuple(models), names),
        _typed("workload", "tensor_parallel", "Tensor parallel", "whole"),
        _typed("workload", "pipeline_parallel", "Pipeline parallel", "whole"),
        _typed("workload", "global_batch_sequences", "Global batch", "whole"),
    )


def _prices() -> tuple[Field, ...]:
    ways = (("ratio", "Ratio to RoCE"), ("book", "Price book"))
    used = f"Used only with the pricing “{ways[0][1]}”."
    return (
        _picked("prices", "infiniband_pricing", "InfiniBand pricing", names=ways),
        _typed("prices", "infiniband_price_ratio", "InfiniBand price ratio", "decimal", used),
    )


def _finance() -> tuple[Field, ...]:
    rules = (
        ("unexpired-life", "Price paid x remaining life"), ("market", "Resale market"), ("none", "Nothing"),
    )  # fmt: skip
    return (
        _typed("finance", "horizon_years", "Horizon", "whole"),
        _typed("finance", "discount_rate", "Discount rate", "percent"),
        _typed("finance", "electricity_usd_per_kwh", "Electricity price", "decimal"),
        _typed("finance", "pue", "PUE", "decimal"),
        _picked("finance", "residual", "Residual value", names=rules),
    )
