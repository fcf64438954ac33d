"""Counts and times of requests, as Prometheus reads them."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping

EDGES = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Counts requests by route and status, and how long they took.

    Examples
    --------
    >>> metrics = Metrics()
    >>> metrics.count("/api/similar", 200, 0.004)
    >>> 'vbn_requests_total{route="/api/similar",status="200"} 1' in metrics.text({"entities": 5})
    True
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: dict[tuple[str, int], int] = defaultdict(int)
        self._buckets: dict[str, list[int]] = defaultdict(lambda: [0] * (len(EDGES) + 1))
        self._seconds: dict[str, float] = defaultdict(float)

    def count(self, route: str, status: int, seconds: float) -> None:
        """A request is done."""
        with self._lock:
            self._requests[route, status] += 1
            self._buckets[route][bisect_left(EDGES, seconds)] += 1
            self._seconds[route] += seconds

    def text(self, gauges: Mapping[str, float]) -> str:
        """All of it, with facts about the model beside it."""
        with self._lock:
            lines = ["# HELP vbn_requests_total Requests answered.", "# TYPE vbn_requests_total counter"]
            for (route, status), n in sorted(self._requests.items()):
                lines.append(f'vbn_requests_total{{route="{route}",status="{status}"}} {n}')
            lines += ["# HELP vbn_request_seconds Time to answer.", "# TYPE vbn_request_seconds histogram"]
            for route, buckets in sorted(self._buckets.items()):
                total = 0
                for edge, n in zip((*EDGES, float("inf")), buckets, strict=True):
                    total += n
                    shown = "+Inf" if edge == float("inf") else f"{edge:g}"
                    lines.append(f'vbn_request_seconds_bucket{{route="{route}",le="{shown}"}} {total}')
                lines.append(f'vbn_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}')
                lines.append(f'vbn_request_seconds_count{{route="{route}"}} {total}')
        for name, value in gauges.items():
            lines += [f"# TYPE vbn_{name} gauge", f"vbn_{name} {value:g}"]
        return "\n".join(lines) + "\n"
