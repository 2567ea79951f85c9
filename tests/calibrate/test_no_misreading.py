"""Random training logs of every form: the true step time, or a refusal; never another figure."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.calibrate.log_cases import CASES, RAW, figures, labelled, read
from tests.calibrate.test_launcher_prefixes import PREFIXES

STEPS = ("step {i}", "step: {i}", "Step {i}/900", "[step={i}]", "iteration {i:8d}/     900 |", "steps: {i}",
         "epoch 0, iteration {i}/900 |", "global_step: {i} |", "INFO - root - step: {i} ")  # fmt: skip
LABELS = ("step time", "step_time", "iter time", "iteration_time", "train_step_time", "time per step",
          "elapsed time per iteration", "time/step", "train_step_timing", "avg step time")  # fmt: skip
UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "sec": 1.0, "seconds": 1.0, "msec": 1e-3, "min": 60.0}
OTHERS = ("data time", "forward_time", "backward time", "optimizer_time", "remaining time", "total time",
          "eval time", "comm time", "data_loading_time", "wall time", "eta time")  # fmt: skip
FIELDS = ("loss: 2.1", "lr: 1.0E-04", "grad norm: 1.578", "tokens: 4,096", "memory: 61.80GiB(65.02%)")


@dataclass(frozen=True)
class Form:
    """How the lines of one log are written."""

    step: str
    label: str
    unit: str
    at_label: str
    others: tuple[str, ...]
    first: bool

    def line(self, i: int, seconds: float) -> str:
        figure = f"{seconds / UNITS[self.unit]:.9f}"
        own = {
            "after": f"{self.label}: {figure} {self.unit}",
            "glued": f"{self.label}={figure}{self.unit}",
            "in": f"{self.label} in {self.unit}: {figure}",
            "within": f"{self.label} ({self.unit}): {figure}",
            "ending": f"{self.label.replace(' ', '_').replace('/', '_per_')}_{self.unit}: {figure}",
        }[self.at_label]
        other = [f"{name} {0.1 * (k + 1) + i:.3f} s" for k, name in enumerate(self.others)]
        parts = [own, *other] if self.first else [*other, own]
        return f"{self.step.format(i=i)} {FIELDS[i % len(FIELDS)]}, {', '.join(parts)} | {FIELDS[-1]}"


def told(form: Form) -> bool:
    """ "time (min)" may be the least of several times as well as minutes, and is refused."""
    return not (form.unit == "min" and form.at_label in ("within", "ending"))


FORMS = st.builds(
    Form,
    step=st.sampled_from(STEPS),
    label=st.sampled_from(LABELS),
    unit=st.sampled_from(sorted(UNITS)),
    at_label=st.sampled_from(["after", "glued", "in", "within", "ending"]),
    others=st.lists(st.sampled_from(OTHERS), max_size=3, unique=True).map(tuple),
    first=st.booleans(),
).filter(told)


@given(FORMS, st.floats(0.05, 100.0), st.sampled_from(sorted(PREFIXES)), st.integers(6, 30))
def test_the_step_s_time_of_any_form(form: Form, seconds: float, launcher: str, steps: int) -> None:
    """Warm-up first, other times beside it, a launcher's label before it."""
    times = [4 * seconds, *(seconds * (1 + 0.01 * (i % 3)) for i in range(steps))]
    lines = "".join(form.line(i, time) + "\n" for i, time in enumerate(times, start=1))
    reading = read(labelled(lines.encode(), PREFIXES[launcher]))
    assert (reading.status, reading.diagnostics) == ("ok", ())
    assert [row["step_time_s"] for row in reading.runs[0]["rows"]] == pytest.approx(times, rel=1e-6, abs=1e-8)
    assert reading.runs[0]["steady_step_time_s"] == pytest.approx(seconds * 1.01, rel=0.011)


@given(st.lists(st.sampled_from(OTHERS), min_size=1, max_size=4, unique=True), st.sampled_from(STEPS))
def test_without_the_step_s_time_no_other_is_taken(others: list[str], step: str) -> None:
    said = ", ".join(f"{name} 2.5 s" for name in others)
    reading = read("".join(f"{step.format(i=i)} {said}\n" for i in range(1, 9)).encode())
    assert (reading.status, reading.runs) == ("error", ())


@given(st.sampled_from(["nemo.log", "megatron_other_model.log", "torchtitan.log"]), st.data())
def test_a_cut_or_spoilt_training_log_gives_no_figure_that_is_not_there(
    name: str, data: st.DataObject
) -> None:
    """Every row that is read is one of the whole log's, unless the cut or the bytes lie within its line."""
    raw = (CASES / name).read_bytes()
    whole = {row["line"]: row for row in read(raw).runs[0]["rows"]}
    at = data.draw(st.integers(0, len(raw)))
    after = data.draw(st.sampled_from([len(raw), at, min(len(raw), at + 40)]))
    spoilt = (
        raw[:at] + data.draw(st.binary(max_size=20).filter(lambda extra: b"\n" not in extra)) + raw[after:]
    )
    first, last = raw[:at].count(b"\n") + 1, raw[:after].count(b"\n") + 1
    for run in read(spoilt).runs:
        for row in run["rows"]:
            if row["line"] < first:
                assert row == whole[row["line"]]
            elif row["line"] > first and after < len(raw):
                assert {**row, "line": 0} == {**whole[row["line"] + last - first], "line": 0}


WORDS = [name for name in PREFIXES if "pdsh" in name or "clush" in name or name == "compose"]
MARKS = [name for name in PREFIXES if name not in WORDS]


@given(
    st.sampled_from(["g1", "g3", "g4", "g6", "g8"]),
    st.sampled_from(MARKS),
    st.sampled_from([*MARKS, *WORDS]),
    st.booleans(),
)
def test_labels_one_after_the_other_change_no_figure(name: str, one: str, other: str, turned: bool) -> None:
    """A platform's before a launcher's, or the other way round."""
    outer, inner = (other, one) if turned else (one, other)
    raw = labelled(labelled(RAW[name], PREFIXES[inner]), PREFIXES[outer])
    assert (read(raw).status, figures(read(raw))) == ("ok", figures(read(RAW[name])))
