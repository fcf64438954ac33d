"""Counts and times of requests, as Prometheus reads them; with several workers, those of all of them together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram, Metric, ProcessCollector, generate_latest, values
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_EDGES = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
_SHARED = "PROMETHEUS_MULTIPROC_DIR"  # where the library keeps the numbers of several processes


def share_in(folder: str) -> None:
    """Let this process and those forked from it keep their numbers in one folder; applies to metrics made later."""
    os.environ[_SHARED] = folder
    _choose_values()


def stop_sharing() -> None:
    """Undo `share_in`."""
    os.environ.pop(_SHARED, None)
    _choose_values()


def _choose_values() -> None:
    values.ValueClass = values.get_value_class()  # type: ignore[no-untyped-call]


class Metrics:
    """Counts of requests by route and status, and of how long they took.

    >>> metrics = Metrics()
    >>> metrics.count("/api/v1/similar", 200, 0.004)
    >>> 'vbn_requests_total{route="/api/v1/similar",status="200"} 1.0' in metrics.text({"entities": 5})
    True
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter("vbn_requests", "Requests answered.", ["route", "status"], registry=self._registry)
        self._seconds = Histogram(
            "vbn_request_seconds", "Time to answer.", ["route"], registry=self._registry, buckets=_EDGES
        )
        if _SHARED not in os.environ:
            ProcessCollector(registry=self._registry)

    def count(self, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self, gauges: Mapping[str, float]) -> str:
        """Return all of it in Prometheus' text format, with further numbers as gauges."""
        registry = self._registry
        if _SHARED in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return (generate_latest(registry) + generate_latest(_present(gauges))).decode()


class _Present(Collector):
    """Numbers as they are at this moment."""

    def __init__(self, gauges: Mapping[str, float]) -> None:
        self._gauges = gauges

    def collect(self) -> Iterable[Metric]:
        """Return them as metrics."""
        for name, value in self._gauges.items():
            yield GaugeMetricFamily(f"vbn_{name}", f"{name.replace('_', ' ').capitalize()}.", value)


def _present(gauges: Mapping[str, float]) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(_Present(gauges))
    return registry
