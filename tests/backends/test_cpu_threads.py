"""The threads in which NumPy computes: all parts, once each, whoever else calls, and errors."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from ascend_array_api._backends.cpu import _threads
from ascend_array_api._backends.cpu._threads import in_threads


@pytest.fixture(autouse=True)
def _four_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "get_num_threads", lambda: 4)


def taken(length: int, most: int, threads: int = 0, pause: float = 0) -> tuple[list[int], set[int]]:
    """Return how often each place was in a part, and in which threads that was."""
    found, where = [0] * length, set()

    def compute(start: int, stop: int) -> None:
        where.add(threading.get_ident())
        time.sleep(pause)
        for place in range(start, stop):
            found[place] += 1

    in_threads(compute, length, most, threads)
    return found, where


@pytest.mark.parametrize("length", [1, 2, 7, 100])
@pytest.mark.parametrize("most", [0, 1, 2, 5, 100])
@pytest.mark.parametrize("threads", [0, 1, 2, 9])
def test_every_place_once(length: int, most: int, threads: int) -> None:
    assert taken(length, most, threads)[0] == [1] * length


def test_several_threads_have_parts() -> None:
    assert 2 <= len(taken(100, 100, 3, pause=0.05)[1]) <= 3
    assert len(taken(100, 100, 1)[1]) == 1


def test_the_process_waits_for_no_thread_when_it_ends() -> None:
    taken(100, 100, 3, pause=0.01)
    own = [t for t in threading.enumerate() if t.name == "ascend_array_api"]
    assert own
    assert all(t.daemon for t in own)


def test_calls_at_once_and_within_each_other() -> None:
    def many(_: int) -> bool:
        return all(taken(50, 50, pause=0.001)[0] == [1] * 50 for _ in range(10))

    with ThreadPoolExecutor(5) as callers:
        assert all(callers.map(many, range(5)))
    inner: list[list[int]] = []
    in_threads(lambda *_: inner.append(taken(9, 9)[0]), 8, 8)
    assert inner
    assert all(found == [1] * 9 for found in inner)
    assert not _threads._of_process().lent.locked()


@pytest.mark.parametrize("own", [True, False])
def test_an_error_is_raised_when_all_have_ended(own: bool) -> None:
    caller, running = threading.get_ident(), set()

    def compute(start: int, stop: int) -> None:
        running.add(start)
        time.sleep(0.01)
        running.discard(start)
        if (threading.get_ident() == caller) is own:
            raise ZeroDivisionError(f"{start} to {stop}")

    for _ in range(3):
        with pytest.raises(ZeroDivisionError, match=r"\d to \d"):
            in_threads(compute, 100, 100)
        assert not running
    assert taken(100, 100)[0] == [1] * 100


def test_threads_that_do_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    crew = _threads._Crew()
    monkeypatch.setattr(_threads, "_of_process", lambda: crew)

    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        with pytest.raises(RuntimeError, match="can't start"):
            taken(100, 100)
    assert taken(100, 100)[0] == [1] * 100
    assert not crew.lent.locked()


def test_after_an_interruption_other_threads_take_their_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(member: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_threads._Member, "ended", interrupted)
        with pytest.raises(KeyboardInterrupt):
            in_threads(lambda start, stop: None, 100, 100)
    crew = _threads._of_process()
    assert not crew.lent.locked()
    in_threads(lambda start, stop: None, 100, 100)
    assert crew._members
