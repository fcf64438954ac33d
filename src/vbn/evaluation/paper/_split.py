"""A split of a domain as data to train on: users x items, items x items from the users' lists, or both."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from vbn.data import Dataset
from vbn.evaluation.paper._cache import fingerprint
from vbn.evaluation.paper._domains import Domain
from vbn.evaluation.paper._masking import Masked, beside_items

USERS, ITEMS, BOTH = "users x items", "items x items", "users and items x items"


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
            `USERS`, `ITEMS` or `BOTH`.
        taxonomy
            Name of one of the domain's taxonomies; None for counts alone.
        """
        if (setting, taxonomy) not in self._made:
            if taxonomy is None:
                made = self._counted(setting)
            else:
                edges = self.domain.edges(taxonomy)
                made = self.data(setting).with_taxonomy(edges)
                if setting == BOTH:
                    made = made.with_taxonomy(edges, side="row")
            self._made[setting, taxonomy] = made
        return self._made[setting, taxonomy]

    def _counted(self, setting: str) -> Dataset:
        kept = self.masked.interactions.keep(self.masked.training(self.which))
        if setting == ITEMS:
            return Dataset.from_baskets(list(kept.baskets().values()))
        users, *others = kept.columns()
        if setting == USERS:
            return Dataset.from_interactions(users, *others)
        return Dataset.from_interactions([beside_items(user) for user in users], *others).with_co_occurrences()
