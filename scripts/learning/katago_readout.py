"""Converts the raw outputs of a KataGo value head to probabilities and points.

The formulas match src/net/readout.rs and KataGo's `nneval.cpp`.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F

# First version with units in the file, for of its outputs.
OWN_UNITS = 13
MAX_UNIT = 1e6
# Units in file order, with their values in files of earlier versions. The first is only used in training.
DEFAULT_UNITS = {"score_difference": 20.0, "score_mean": 20.0, "score_deviation": 20.0, "lead": 20.0, "variance_time": 40.0,
                 "value_error": 0.25, "score_error": 30.0}
# First version with error estimates; that version estimates errors, later ones their squares.
ERRORS = 9
# First version that parametrises a squared error as the square of a softplus.
SQUARED_SOFTPLUS = 14
# Unit of the score error in version 9.
SCORE_ERROR_UNIT = 10.0


class Prediction(NamedTuple):
    """Outputs for `n` positions, from the perspective of the player to move. All are float32."""

    # Logits [n, height * width + 1] of the points in row-major order and of passing. Off-board points are not masked.
    policy: torch.Tensor
    # Probabilities [n].
    win: torch.Tensor
    loss: torch.Tensor
    no_result: torch.Tensor
    # Expected lead and final score, and the standard deviation of the latter, in points [n].
    lead: torch.Tensor
    score_mean: torch.Tensor
    score_deviation: torch.Tensor
    # Expected number of turns until the game is decided, and expected errors of `value` and of the score in points [n].
    # NaN for networks without these outputs.
    variance_time: torch.Tensor
    value_error: torch.Tensor
    score_error: torch.Tensor
    # [n, height, width] from -1 to 1, 0 off board.
    ownership: torch.Tensor

    @property
    def value(self):
        """Expected result from -1 to 1."""
        return self.win - self.loss


class Readout:
    """Conversion of raw value and score outputs, for the version and units of a network."""

    def __init__(self, version, units=()):
        self.version = version
        self.units = dict(zip(DEFAULT_UNITS, units)) if units else dict(DEFAULT_UNITS)

    @classmethod
    def read(cls, layers):
        """Reads the units, if this version has them."""
        if layers.version < OWN_UNITS:
            return cls(layers.version)
        units = [layers.number(float) for _ in DEFAULT_UNITS]
        if not all(0.0 < unit <= MAX_UNIT for unit in units):
            layers.fail(f"units above 0, at most {MAX_UNIT}", units)
        return cls(layers.version, units)

    @property
    def scores(self):
        """Number of score outputs."""
        return 6 if self.version >= ERRORS else 4

    def predict(self, policy, result, score, ownership, has_no_result):
        """Returns the Prediction for logits `result` [n, 3] of win, loss and no result, and `score` [n, scores].
        `has_no_result` [n] is true where the rules allow games without result."""
        result, score = result.float(), score.float()
        impossible = torch.zeros_like(result, dtype=torch.bool)
        impossible[:, 2] = ~has_no_result
        win, loss, no_result = result.masked_fill(impossible, float("-inf")).softmax(1).unbind(1)
        # A game without result counts as zero points.
        counted = 1.0 - no_result
        mean = score[:, 0] * self.units["score_mean"]
        deviation = F.softplus(score[:, 1]) * self.units["score_deviation"]
        # E[s²] - E[s]² for E[s] = counted * mean and E[s²] = counted * (mean² + deviation²), without cancellation.
        variance = counted * (deviation.square() + no_result * mean.square())
        return Prediction(policy, win, loss, no_result, counted * score[:, 2] * self.units["lead"], counted * mean,
                          variance.sqrt(), *self._errors(score), ownership)

    def _errors(self, score):
        """Returns variance time, value error and score error, each [n]."""
        if self.version < ERRORS:
            missing = torch.full_like(score[:, 0], float("nan"))
            return missing, missing, missing
        time = F.softplus(score[:, 3]) * self.units["variance_time"]
        return time, self._error(score[:, 4], "value_error", 1.0), self._error(score[:, 5], "score_error", SCORE_ERROR_UNIT)

    def _error(self, raw, name, early_unit):
        if self.version == ERRORS:
            return F.softplus(raw) * early_unit
        if self.version < SQUARED_SOFTPLUS:
            return (F.softplus(raw) * self.units[name]).sqrt()
        return F.softplus(raw / 2.0) * self.units[name] ** 0.5
