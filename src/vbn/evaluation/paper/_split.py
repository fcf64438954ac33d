"""A split of a domain as data to train on: users x items, or items x items from the users' lists."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from vbn.data import Dataset
from vbn.evaluation.paper._cache import fingerprint
from vbn.evaluation.paper._domains import Domain
from vbn.evaluation.paper._masking import Masked

USERS, ITEMS = "users x items", "items x items"


@dataclass(eq=False)
class Split:
    """A domain, what is masked of it, and the part that is asked for.

    Attributes
    ----------
    domain, masked, which
        What is split, how, and "test" or "validation".
    label : str
        What to call it in messages.
    examples : tuple of str
        Items whose neighbours are to be shown.
    cold : bool
        Whether the targets are items without any data.
    """

    domain: Domain
    masked: Masked
    which: str
    label: str
    examples: tuple[str, ...] = ()
    cold: bool = False
    _made: dict[tuple[str, str | None], Dataset] = field(default_factory=dict)

    @cached_property
    def hash(self) -> str:
        """What identifies the data to train on and to ask for."""
        return fingerprint([self.domain.hash, self.masked.part, self.which])

    def data(self, setting: str, taxonomy: str | None = None) -> Dataset:
        """What to train on.

        Parameters
        ----------
        setting
            `USERS` or `ITEMS`.
        taxonomy
            Name of one of the domain's taxonomies; None for counts alone.
        """
        if (setting, taxonomy) not in self._made:
            if taxonomy is None:
                kept = self.masked.interactions.keep(self.masked.training(self.which))
                made = (
                    Dataset.from_interactions(*kept.columns())
                    if setting == USERS
                    else Dataset.from_baskets(list(kept.baskets().values()))
                )
            else:
                made = self.data(setting).with_taxonomy(self.domain.edges(taxonomy))
            self._made[setting, taxonomy] = made
        return self._made[setting, taxonomy]

    def taxonomy_hash(self, taxonomy: str) -> str:
        """What identifies a taxonomy."""
        return fingerprint([list(edge) for edge in self.domain.edges(taxonomy)])
