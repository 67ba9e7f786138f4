"""The programs of the gallery, strict and captured: NumPy's float64 is the oracle."""

from __future__ import annotations

import re

import pytest

import ascend_array_api as xp
from examples import gallery


@pytest.mark.nightly
@pytest.mark.npu
def test_programs_agree_with_numpy_in_each_way(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Captured ones are replayed where there is an accelerator; a wrong step is noticed."""
    device = xp.empty(0).device
    assert gallery.main(["--device", str(device)]) == 0
    said = capsys.readouterr().out
    graphs = [int(n) for n in re.findall(r"the same, graphs: (\d+)", said)]
    assert len(graphs) == len(gallery.PROGRAMS) == 4
    assert all(graphs) == any(graphs) == (device != "cpu"), said

    def wrong(u: xp.Array, before: xp.Array, pull: xp.Array) -> xp.Array:
        return gallery.wave_step(u, before, pull) * (1.001 if isinstance(u, xp.Array) else 1)

    monkeypatch.setattr(gallery, "PROGRAMS", {"wave": (gallery.wave, wrong)})
    assert gallery.main(["--device", str(device)]) == 1
    assert "FAILED: 1 programs differ" in capsys.readouterr().out
