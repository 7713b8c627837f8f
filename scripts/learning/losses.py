"""What the network is trained on, and how it is measured.

Promise: each loss is a weighted mean over the samples (or their on-board points) whose weight is not zero, in float32;
logits off board never count. Values and scores are from the side of the player to move.
"""

from dataclasses import dataclass, fields

import torch
import torch.nn.functional as F

from learning.honinbo_net import SCORE_SCALE

# The stream stores ownership as bytes, this one being "the mover's".
OWNERSHIP_SCALE = 127.0


@dataclass(frozen=True)
class LossWeights:
    """Factors of the terms of the loss."""

    policy: float = 1.0
    value: float = 1.0
    score: float = 0.02
    ownership: float = 0.15

    @staticmethod
    def add_options(parser):
        """Has an argument parser take `--policy-weight` and its like."""
        for field in fields(LossWeights):
            parser.add_argument(f"--{field.name}-weight", type=float, default=field.default)

    @staticmethod
    def of(options):
        """Those that were given."""
        return LossWeights(**{field.name: getattr(options, f"{field.name}_weight") for field in fields(LossWeights)})


def weighted_mean(terms, weights):
    """Mean of `terms` by `weights`; 0 where all weights are."""
    return (terms * weights).sum() / weights.sum().clamp(min=1e-6)


def policy_target(batch, has_pass):
    """Target distributions and their weights; for a net without pass the passes count nothing."""
    target, weight = batch.tensors["policy"].float(), batch.tensors["policy_weight"]
    if not has_pass:
        target = target[:, :-1]
        weight = weight * (target.sum(1) > 0.0)
    # Half floats do not sum to one exactly.
    return target / target.sum(1, keepdim=True).clamp(min=1e-6), weight


def legal_range(logits, batch):
    """The logits in float32 with those of off-board points at minus infinity."""
    logits = logits.float()
    if batch.mask is None:
        return logits
    off = batch.mask.flatten(1) == 0
    if logits.shape[1] > off.shape[1]:
        off = F.pad(off, (0, 1))
    return logits.masked_fill(off, float("-inf"))


def losses(config, outputs, batch):
    """The terms of the loss by name, for the outputs of a `Net` of that configuration."""
    return {name: weighted_mean(terms, weight) for name, (terms, weight) in weighed(config, outputs, batch).items()}


def weighed(config, outputs, batch):
    """What the terms of the loss are means of, with the weights, by name."""
    logits, value, score, ownership = outputs
    given = batch.tensors
    target, policy_weight = policy_target(batch, config.has_pass)
    # Off board the logarithm is minus infinity and the target zero: their product is to be zero.
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
    return terms


def total(terms, weights):
    """The loss which is minimised."""
    return sum(getattr(weights, name) * term for name, term in terms.items())


def open_cross_entropy(batch, has_pass):
    """The part of each sample's policy loss that no net can lower: its target's own entropy."""
    target, _ = policy_target(batch, has_pass)
    return -(target * target.clamp(min=1e-9).log()).sum(1)


def sample_losses(config, outputs, batch, weights):
    """The loss of each sample alone, less what its policy's target leaves open."""
    lost = torch.zeros(batch.n)
    for name, (terms, weight) in weighed(config, outputs, batch).items():
        if name == "policy":
            terms = terms - open_cross_entropy(batch, config.has_pass)
        points = (terms * weight).reshape(batch.n, -1).sum(1) / weight.reshape(batch.n, -1).sum(1).clamp(min=1e-6)
        lost += getattr(weights, name) * points
    return lost


class Measures:
    """Measures over a validation set, gathered batch by batch."""

    def __init__(self, config):
        self._config = config
        self._sums = {}

    def add(self, outputs, batch):
        """Counts one batch."""
        logits, value, _, _ = outputs
        target, weight = policy_target(batch, self._config.has_pass)
        order = legal_range(logits, batch).topk(min(5, logits.shape[1]), 1).indices
        hits = order == target.argmax(1, keepdim=True)
        winner, value_weight = batch.tensors["value"], batch.tensors["value_weight"]
        decided = value_weight * (winner != 0.0)
        for name, (terms, weights) in weighed(self._config, outputs, batch).items():
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
        """The measures by name."""
        return {name: amount / max(of, 1e-6) for name, (amount, of) in self._sums.items()}
