"""Loss of the network, and measures on validation samples.

Each term of the loss is a weighted mean over samples, or over their on-board points, in float32. Values and scores are
from the perspective of the player to move.
"""

from dataclasses import dataclass, fields

import torch
import torch.nn.functional as F

from learning.honinbo_net import AUXILIARY_UNITS, SCORE_SCALE

# Value of a point owned by the player to move; the stream stores ownership as bytes.
OWNERSHIP_SCALE = 127.0


@dataclass(frozen=True)
class LossWeights:
    """Factors of the terms of the loss."""

    policy: float = 1.0
    value: float = 1.0
    score: float = 0.02
    ownership: float = 0.15
    auxiliary: float = 0.02

    @staticmethod
    def add_options(parser):
        """Adds `--policy-weight` and the options of the other terms to an argument parser."""
        for field in fields(LossWeights):
            parser.add_argument(f"--{field.name}-weight", type=float, metavar="X", default=field.default,
                                help=f"weight of this term of the loss [default: {field.default}]")

    @staticmethod
    def of(options):
        """Returns the weights given on the command line."""
        return LossWeights(**{field.name: getattr(options, f"{field.name}_weight") for field in fields(LossWeights)})


def weighted_mean(terms, weights):
    """Returns the weighted mean of `terms`; 0 if all weights are 0."""
    return (terms * weights).sum() / weights.sum().clamp(min=1e-6)


def policy_target(batch, has_pass):
    """Returns target distributions and their weights. For a net without pass, samples of passes have weight 0."""
    target, weight = batch.tensors["policy"].float(), batch.tensors["policy_weight"]
    if not has_pass:
        target = target[:, :-1]
        weight = weight * (target.sum(1) > 0.0)
    # Half floats do not sum to one exactly.
    return target / target.sum(1, keepdim=True).clamp(min=1e-6), weight


def legal_range(logits, batch):
    """Returns the logits in float32, with minus infinity off board."""
    logits = logits.float()
    if batch.mask is None:
        return logits
    off = batch.mask.flatten(1) == 0
    if logits.shape[1] > off.shape[1]:
        off = F.pad(off, (0, 1))
    return logits.masked_fill(off, float("-inf"))


def losses(config, outputs, batch):
    """Returns the terms of the loss by name, for the outputs of a `Net` with this configuration."""
    terms = weighted_terms(config, outputs, batch)
    return {name: weighted_mean(values, weight) for name, (values, weight) in terms.items()}


def weighted_terms(config, outputs, batch):
    """Returns the values that each term of the loss is a weighted mean of, and their weights, by name."""
    logits, value, score, ownership, *auxiliary = outputs
    given = batch.tensors
    target, policy_weight = policy_target(batch, config.has_pass)
    # Off board the logarithm is minus infinity and the target zero; their product must be zero.
    log_prior = F.log_softmax(legal_range(logits, batch), 1)
    cross_entropy = -(target * log_prior.masked_fill(target == 0.0, 0.0)).sum(1)
    terms = {
        "policy": (cross_entropy, policy_weight),
        "value": ((value.float() - given["value"]).square(), given["value_weight"]),
    }
    if score is not None:
        error = F.smooth_l1_loss(score.float() / SCORE_SCALE, given["score"] / SCORE_SCALE, reduction="none")
        terms["score"] = (error, given["score_weight"])
    if ownership is not None:
        square = (ownership.float() - given["ownership"].float() / OWNERSHIP_SCALE).square()
        weight = given["ownership_weight"].view(-1, 1, 1)
        weight = weight.expand_as(square) if batch.mask is None else weight * batch.mask[:, 0]
        terms["ownership"] = (square, weight)
    # A mixture may contain streams without the targets.
    if auxiliary and all(name in given for name in AUXILIARY_UNITS):
        terms["auxiliary"] = auxiliary_errors(auxiliary[0], given)
    return terms


def auxiliary_errors(outputs, given):
    """Returns the Huber losses of the auxiliary outputs in their units, and the weights: [n, 3] each."""
    units = outputs.new_tensor(list(AUXILIARY_UNITS.values()))
    target = torch.stack([given[name] for name in AUXILIARY_UNITS], 1)
    weight = torch.stack([given[f"{name}_weight"] for name in AUXILIARY_UNITS], 1)
    return F.smooth_l1_loss(outputs.float() / units, target / units, reduction="none"), weight


def total(terms, weights):
    """Returns the loss to minimise."""
    return sum(getattr(weights, name) * term for name, term in terms.items())


class Measures:
    """Measures on a validation set, accumulated batch by batch."""

    def __init__(self, config):
        self._config = config
        self._sums = {}

    def add(self, outputs, batch):
        """Adds one batch."""
        logits, value, *_ = outputs
        target, weight = policy_target(batch, self._config.has_pass)
        order = legal_range(logits, batch).topk(min(5, logits.shape[1]), 1).indices
        hits = order == target.argmax(1, keepdim=True)
        winner, value_weight = batch.tensors["value"], batch.tensors["value_weight"]
        decided = value_weight * (winner != 0.0)
        for name, (terms, weights) in weighted_terms(self._config, outputs, batch).items():
            self._count(name, (terms * weights).sum(), weights.sum())
        self._count("top1", (hits[:, 0] * weight).sum(), weight.sum())
        self._count("top5", (hits.any(1) * weight).sum(), weight.sum())
        # Brier: squared error of the winning probability (value + 1) / 2.
        self._count("brier", ((value.float() - winner).square() / 4.0 * value_weight).sum(), value_weight.sum())
        self._count("accuracy", ((value * winner > 0.0) * decided).sum(), decided.sum())

    def _count(self, name, amount, of):
        have = self._sums.setdefault(name, [0.0, 0.0])
        have[0] += float(amount)
        have[1] += float(of)

    def result(self):
        """Returns the measures by name."""
        return {name: amount / max(of, 1e-6) for name, (amount, of) in self._sums.items()}
