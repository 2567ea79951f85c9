"""The row of each catalog file: its columns, what holds between them, and the frozen part that it becomes."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, model_validator

from planner.catalog.column_types import (
    Count,
    Flag,
    MaybePoweredRow,
    Number,
    NumberOrNone,
    NumberOrZero,
    PoweredRow,
    Protocols,
    Rising,
    SourcedRow,
    Technologies,
    Text,
    Whole,
    WholeOrNone,
    WholeOrZero,
    fault_of,
    id_of,
    one_of,
)
from planner.catalog.parts import (
    Accelerator,
    AssemblyKind,
    CableAssembly,
    Connector,
    Fibre,
    FibreMode,
    NicModel,
    Optic,
    PatchPanel,
    ServerModel,
    SwitchModel,
    TrainedModel,
    Transceiver,
)
from pricing.provenance import Grade

P = TypeVar("P")
Fits = Mapping[tuple[str, str], Collection[str]]  # cages by part and end: a | b of a cable, m of a module
CageId = Annotated[str, id_of("cages")]
CageIdOrNone = Annotated[str, id_of("cages", optional=True)]
ModeCell = Annotated[FibreMode, one_of(FibreMode)]
ConnectorCell = Annotated[Connector, one_of(Connector)]
End = Literal["a", "b", "both", "module"]


class CageRow(SourcedRow):
    """A cage. Form factor, lanes and lane rate are for people, and only checked."""

    id: Text
    form_factor: Text
    lanes: Count
    lane_gbps: Count


class FitRow(BaseModel):
    """A part's end that plugs into a cage."""

    cage: CageId
    part: Text
    end: Annotated[End, one_of(End)]


class SwitchRow(MaybePoweredRow):
    """A switch; its ports fill its cages and its breakouts divide its port rate."""

    id: Text
    name: Text
    vendor: Text
    technologies: Technologies
    ports: Count
    port_gbps: Count
    ports_per_cage: Count
    cage: CageId
    breakouts: Rising
    uplink_ports: Whole
    uplink_gbps: WholeOrZero
    uplink_cage: CageIdOrNone
    switches_per_box: Count
    rack_units: NumberOrNone

    @model_validator(mode="after")
    def _fits_together(self) -> SwitchRow:
        if self.ports % self.ports_per_cage:
            raise fault_of("ports_per_cage", f"{self.ports} ports do not fill cages of {self.ports_per_cage}")
        if self.breakouts[0] != 1 or any(self.port_gbps % b for b in self.breakouts):
            raise fault_of("breakouts", f"must hold 1 and divide the port's {self.port_gbps} Gb/s")
        if self.uplink_ports and not self.uplink_gbps:
            raise fault_of("uplink_gbps", "must be 1 or more")
        if self.uplink_ports and not self.uplink_cage:
            raise fault_of("uplink_cage", "is empty")
        return _with_power_source(self)

    def part(self) -> SwitchModel:
        """The switch."""
        return _part(SwitchModel, self, power_source=self.power_provenance())


class NicRow(MaybePoweredRow):
    """A NIC."""

    id: Text
    name: Text
    vendor: Text
    technologies: Technologies
    ports: Count
    port_gbps: Count
    cage: CageId
    pcie_generation: Count
    max_total_gbps: WholeOrNone

    @model_validator(mode="after")
    def _fits_together(self) -> NicRow:
        return _with_power_source(self)

    def part(self) -> NicModel:
        """The NIC."""
        return _part(NicModel, self, power_source=self.power_provenance())


class TransceiverRow(PoweredRow):
    """An optical module; its lanes carry whole links at the greatest of its rates."""

    id: Text
    name: Text
    rates_gbps: Rising
    optic: Annotated[Optic, one_of(Optic)]
    medium: ModeCell
    connector: ConnectorCell
    connectors: Count
    lanes_per_connector: Count
    lane_gbps: Count
    reach_m: Number
    protocols: Protocols
    power_w: Number

    @model_validator(mode="after")
    def _lanes_carry_the_rate(self) -> TransceiverRow:
        lanes, most = self.lanes_per_connector, self.rates_gbps[-1]
        if self.connectors * lanes * self.lane_gbps < most:
            said = f"{most} is more than {self.connectors} x {lanes} x {self.lane_gbps} Gb/s"
            raise fault_of("rates_gbps", said)
        return self

    def part(self, fits: Fits) -> Transceiver:
        """The module with the cages that it fits."""
        rates = frozenset(self.rates_gbps)
        return _part(Transceiver, self, cages=plugs(fits, self.id, "m"), rates_gbps=rates)


class AssemblyRow(PoweredRow):
    """A cable with fixed ends; a splitter's ends share its hub rate."""

    id: Text
    name: Text
    kind: Annotated[AssemblyKind, one_of(AssemblyKind)]
    ends_b: Count
    hub_gbps: Count
    rates_gbps: Rising
    reach_m: Number
    protocols: Protocols
    power_w_per_end: Number

    @model_validator(mode="after")
    def _ends_share_the_hub(self) -> AssemblyRow:
        hub, most = self.hub_gbps, self.rates_gbps[-1]
        if any(hub % rate for rate in self.rates_gbps):
            raise fault_of("rates_gbps", f"must divide the hub's {hub} Gb/s")
        if self.ends_b > 1 and most * self.ends_b != hub:
            raise fault_of("ends_b", f"{self.ends_b} ends of {most} Gb/s are not the hub's {hub}")
        return self

    def part(self, fits: Fits) -> CableAssembly:
        """The cable with the cages that its ends fit."""
        ends = {"cages_a": plugs(fits, self.id, "a"), "cages_b": plugs(fits, self.id, "b")}
        return _part(CableAssembly, self, **ends, rates_gbps=frozenset(self.rates_gbps))


class FibreRow(SourcedRow):
    """A fibre of one stocked length."""

    id: Text
    name: Text
    medium: ModeCell
    connector: ConnectorCell
    split: Count
    length_m: Number

    def part(self) -> Fibre:
        """The fibre."""
        return _part(Fibre, self)


class PanelRow(SourcedRow):
    """A patch panel of one connector."""

    id: Text
    name: Text
    connector: ConnectorCell
    ports: Count

    def part(self) -> PatchPanel:
        """The panel."""
        return _part(PatchPanel, self)


class AcceleratorRow(SourcedRow):
    """An accelerator; a precision without a figure is absent."""

    id: Text
    name: Text
    bf16_tflops: Number
    fp8_tflops: NumberOrNone
    fp4_tflops: NumberOrNone
    hbm_gbytes: Number
    hbm_tbytes_per_s: Number
    nvlink_gbytes_per_s: NumberOrNone

    def part(self) -> Accelerator:
        """The accelerator."""
        peaks = {"bf16": self.bf16_tflops, "fp8": self.fp8_tflops, "fp4": self.fp4_tflops}
        known = {precision: peak for precision, peak in peaks.items() if peak is not None}
        return _part(Accelerator, self, peak_tflops=known)


class ServerRow(PoweredRow):
    """A server, net of its NICs; one that comes without NICs has neither NIC nor cage."""

    id: Text
    name: Text
    accelerator: Annotated[str, id_of("accelerators")]
    gpus_per_node: Count
    nic_ports_per_node: Count
    nic_port_gbps: Count
    nic_ports_per_cage: Count
    nic_id: Annotated[str, id_of("nics", optional=True)]
    nic_cage: CageIdOrNone
    pcie_generation: Count
    nvlink_domain_gpus: Count
    nodes_per_price_unit: Count
    frontend_ports: Whole
    frontend_gbps: Whole
    storage_ports: Whole
    storage_gbps: Whole
    bmc_ports: Whole
    power_w: NumberOrNone

    @model_validator(mode="after")
    def _a_nic_has_a_cage(self) -> ServerRow:
        if self.nic_id and not self.nic_cage:
            raise fault_of("nic_cage", "is empty")
        return self

    def part(self) -> ServerModel:
        """The server."""
        cage = self.nic_cage if self.nic_id else ""
        return _part(ServerModel, self, nic_cage=cage)


class ModelRow(SourcedRow):
    """A trained model; its heads divide the hidden size. Empty columns of experts: a dense model."""

    id: Text
    name: Text
    params: Number
    layers: Count
    hidden: Count
    ffn_hidden: Count
    heads: Count
    kv_heads: Count
    vocab: Count
    sequence: Count
    gated_mlp: Flag
    causal_flops: Flag
    experts: WholeOrZero
    experts_per_token: WholeOrZero
    expert_ffn_hidden: WholeOrZero
    shared_experts: WholeOrZero
    dense_layers: WholeOrZero
    attention_params: NumberOrZero
    attention_width: WholeOrZero

    @model_validator(mode="after")
    def _heads_divide(self) -> ModelRow:
        if self.hidden % self.heads:
            raise fault_of("heads", f"{self.heads} heads do not divide {self.hidden}")
        return self

    def part(self) -> TrainedModel:
        """The model."""
        return _part(TrainedModel, self)


class NotFoundRow(BaseModel):
    """What was looked for and not found."""

    part: Text
    figure: Text
    looked: Text
    note: str

    def sentence(self) -> str:
        """In words."""
        more = f"; {self.note}" if self.note else ""
        return f"{self.part}: {self.figure} (looked in: {self.looked}){more}"


M = TypeVar("M", bound=MaybePoweredRow)


def _with_power_source(row: M) -> M:
    """The row, whose power has a source where it is known."""
    if row.power_w is not None:
        for column in ("power_source", "power_date"):
            if not getattr(row, column):
                raise fault_of(column, "is empty")
        if row.power_grade not in tuple(Grade):
            raise fault_of("power_grade", f"{row.power_grade!r} is none of {', '.join(sorted(Grade))}")
    return row


def plugs(fits: Fits, part: str, end: str) -> frozenset[str]:
    """The cages that a part's end plugs into."""
    return frozenset(fits.get((part, end), ()))


def _part(kind: type[P], row: SourcedRow, **worked_out: Any) -> P:
    """The part: each of its fields from the column of the same name, or worked out from several."""
    values: dict[str, Any] = {"source": row.provenance(), **worked_out}
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]  # every kind is a dataclass
        if field.name not in values and field.name in type(row).model_fields:
            values[field.name] = getattr(row, field.name)
    return kind(**values)
