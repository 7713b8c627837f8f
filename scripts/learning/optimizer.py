"""Optimizer of the trainer: Muon for the weight matrices of the trunk's blocks, AdamW for all other parameters.

One `step` applies the gradients at the given fraction of the full learning rate; the state can be saved and restored.
Muon follows Jordan et al., "Muon: An optimizer for hidden layers in neural networks" (2024), with the update scaled to
the size of AdamW's as in Liu et al., "Muon is scalable for LLM training" (2025), so that one rate suits both.
"""

import torch

# The quintic of the published Newton-Schulz iteration, which drives all singular values towards 1.
NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)
NEWTON_SCHULZ_STEPS = 5
MUON_MOMENTUM = 0.95
# Root mean square of AdamW's typical update, relative to the rate (Liu et al., section 2.2).
ADAM_UPDATE_SIZE = 0.2


def orthogonalise(matrices):
    """Returns nearly orthogonal factors (singular values about 1) of matrices [k, rows, columns], in bfloat16."""
    a, b, c = NEWTON_SCHULZ
    x = matrices / (torch.linalg.matrix_norm(matrices, keepdim=True) + 1e-7)
    x = x.bfloat16()
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.mT
    for _ in range(NEWTON_SCHULZ_STEPS):
        square = x @ x.mT
        x = a * x + (b * square + c * (square @ square)) @ x
    return x.mT if tall else x


class Muon(torch.optim.Optimizer):
    """Momentum, orthogonalised per weight matrix [out, rest]; decoupled weight decay."""

    def __init__(self, params, lr, weight_decay):
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        """Updates every parameter that has a gradient."""
        for group in self.param_groups:
            by_shape = {}
            for param in group["params"]:
                if param.grad is not None:
                    by_shape.setdefault(param.flatten(1).shape, []).append(param)
            for (rows, columns), params in by_shape.items():
                self._step_shape(params, rows, columns, group)

    def _step_shape(self, params, rows, columns, group):
        updates = []
        for param in params:
            momentum = self.state[param].setdefault("momentum", torch.zeros_like(param))
            momentum.mul_(MUON_MOMENTUM).add_(param.grad)
            updates.append(param.grad.add(momentum, alpha=MUON_MOMENTUM).reshape(rows, columns))
        size = ADAM_UPDATE_SIZE * max(rows, columns) ** 0.5
        for param, update in zip(params, orthogonalise(torch.stack(updates))):
            param.mul_(1.0 - group["lr"] * group["weight_decay"])
            param.add_(update.reshape(param.shape).to(param.dtype), alpha=-group["lr"] * size)


def is_matrix(param):
    """Returns true for weight matrices and kernels, and false for vectors (norms, biases) and tables of angles."""
    return param.dim() in (2, 4)


def is_trunk_matrix(name, param):
    """Returns true for the parameters that Muon updates: the weight matrices of the blocks."""
    return name.startswith("blocks.") and is_matrix(param)


class Optimizer:
    """Both optimizers of a net."""

    def __init__(self, net, kind, rate, adam_rate, weight_decay):
        named = list(net.named_parameters())
        muon = [p for n, p in named if kind == "muon" and is_trunk_matrix(n, p)]
        rest = [p for n, p in named if not (kind == "muon" and is_trunk_matrix(n, p))]
        groups = [
            {"params": [p for p in rest if is_matrix(p)], "weight_decay": weight_decay},
            {"params": [p for p in rest if not is_matrix(p)], "weight_decay": 0.0},
        ]
        self._parts = [torch.optim.AdamW([g for g in groups if g["params"]], lr=adam_rate, betas=(0.9, 0.98),
                                         foreach=True)]
        self._full_rates = [adam_rate]
        if muon:
            self._parts.append(Muon(muon, rate, weight_decay))
            self._full_rates.append(rate)

    def step(self, fraction):
        """Applies the gradients at `fraction` of the full rate, and clears them."""
        for part, full in zip(self._parts, self._full_rates):
            for group in part.param_groups:
                group["lr"] = full * fraction
            part.step()
            part.zero_grad(set_to_none=True)

    def state_dict(self):
        """Returns the state of both optimizers."""
        return [part.state_dict() for part in self._parts]

    def load_state_dict(self, states):
        """Restores the result of `state_dict`. Raises ValueError if the parts differ."""
        if len(states) != len(self._parts):
            raise ValueError(f"the optimiser has {len(self._parts)} parts, the saved state {len(states)}")
        for part, state in zip(self._parts, states):
            decays = [group["weight_decay"] for group in part.param_groups]
            part.load_state_dict(state)
            # The decay, like the rates, is an option of this run.
            for group, decay in zip(part.param_groups, decays):
                group["weight_decay"] = decay
