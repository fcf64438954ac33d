"""What every trained model offers, put together from one file for each kind of question."""

from __future__ import annotations

from vbn.estimators._calibrating import Calibrating
from vbn.estimators._explaining import Explaining
from vbn.estimators._exploring import Exploring
from vbn.estimators._exporting import Exporting
from vbn.estimators._growing import Growing
from vbn.estimators._predicting import Predicting
from vbn.estimators._recommending import Recommending
from vbn.estimators._saving import Saving


class Model(Predicting, Recommending, Growing, Explaining, Exploring, Calibrating, Exporting, Saving):
    """Predictions, queries, additions, explanations, a page to look at, calibration, export and saving."""
