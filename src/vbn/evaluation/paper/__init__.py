"""The evidence: the paper's tables and today's rivals on the same data, in one command (`vbn reproduce`)."""

from vbn.evaluation.paper._command import reproduce, search_winners
from vbn.evaluation.paper._options import Options
from vbn.evaluation.paper._results import DomainResult

__all__ = ["DomainResult", "Options", "reproduce", "search_winners"]
