"""The evidence: the paper's tables and today's rivals on the same data, in one command (`make reproduce`)."""

from __future__ import annotations

from reproduction.command import reproduce, search_winners
from reproduction.results import DomainResult
from reproduction.running import Options

__all__ = ["DomainResult", "Options", "reproduce", "search_winners"]
