"""Teacher inside the trainer: labels samples of `honinbo samples --asking` on the training device.

`Teacher.teach(batch)` returns the targets that `honinbo samples --teacher` would have written, up to rounding, the
choice of symmetry and even komis (`src/learn/teacher.rs`, `src/learn/komi_balance.rs`), and the policy if the adviser's
is used.
"""

import torch

from learning.compiling import Runner
from learning.katago_net import GLOBALS, PLANES, read_katago
from learning.losses import OWNERSHIP_SCALE
from learning.samples import Batch, SampleError

# As in src/learn/komi_balance.rs: deviation of the remaining lead, and maximum change of komi, in points.
SPREAD, FARTHEST = 3.0, 60.0
# Units of komi in points, for the teacher and for our own encoding, which is clipped at this number of units.
KOMI_UNIT, OWN_KOMI_MOST = 20.0, 3.0
OCCUPIED = ("own", "opponent", "ko_forbidden")


class Teacher:
    """A KataGo net and optionally an adviser, a second net with equal weight for results, leads and ownership; with
    `advised_moves` also for priors."""

    def __init__(self, path, adviser, header, device, compiling, advised_moves=False):
        if header.teacher is None:
            raise SampleError("the samples have no inputs for a teacher (use honinbo samples --asking)")
        if (len(header.teacher.planes), len(header.teacher.globals)) != (PLANES, GLOBALS):
            raise SampleError(f"a teacher needs {PLANES} planes and {GLOBALS} globals")
        precision = torch.float16 if device.type == "cuda" else torch.float32
        self._nets = [Runner(read_katago(name).prepared(device, precision), compiling) for name in (path, adviser) if name]
        self._movers = len(self._nets) if advised_moves else 1
        names = header.teacher
        self._taken = [names.planes.index(name) for name in OCCUPIED]
        self._komi, self._parity, self._territory = (names.globals.index(n) for n in ("komi", "komi_parity", "territory"))
        self._own_komi, self._own_parity = (header.globals.index(n) for n in ("komi", "komi_parity"))

    @torch.no_grad()
    def teach(self, batch):
        """Returns the batch with the teacher's targets in place of those from the games."""
        lesson, given = batch.lesson, dict(batch.tensors)
        planes = given["teacher_planes"].float()

        def predict(runner):
            return runner.run(batch, lambda net: net(planes, given["teacher_globals"], batch.mask))

        outcome = lesson.outcome
        if lesson.even:
            given.update(self._evened(given, predict(self._nets[0]).lead, area_of(planes)))
            outcome = 0.0
        predictions = [predict(net) for net in self._nets]
        priors = self._priors([prediction.policy for prediction in predictions[:self._movers]], given["teacher_planes"],
                              batch.mask)
        value, lead, ownership = (torch.stack([getattr(prediction, name) for prediction in predictions]).mean(0)
                                  for name in ("value", "lead", "ownership"))
        played = given["policy"].float()
        given["policy"] = lesson.played * played + (1.0 - lesson.played) * priors
        given["value"] = mixed(given["value"], value, outcome, torch.ones_like(value))
        given["score"] = mixed(given["score"], lead, outcome, given["score_weight"])
        known = given["ownership_weight"].view(-1, 1, 1)
        given["ownership"] = mixed(given["ownership"].float(), OWNERSHIP_SCALE * ownership, outcome, known)
        for name in ("score_weight", "ownership_weight"):
            given[name] = torch.ones_like(given[name])
        for name in ("teacher_planes", "teacher_globals"):
            del given[name]
        return Batch(batch.n, given, batch.mask)

    def _priors(self, policies, planes, mask):
        """Returns probabilities of moves that may be legal: on board, without stones and kos. The logits of several
        networks are averaged, which is the geometric mean of their probabilities; the result is sharp where they
        agree."""
        barred = planes[:, self._taken].sum(1).flatten(1) > 0
        if mask is not None:
            barred = barred | (mask.flatten(1) == 0)
        logits = torch.stack(policies).mean(0)
        logits[:, :-1] = logits[:, :-1].masked_fill(barred, float("-inf"))
        return logits.softmax(1)

    def _evened(self, given, lead, area):
        """Returns both global vectors, under komis that cancel the mover's `lead` except for a few random points."""
        shift = torch.round(lead - SPREAD * torch.randn_like(lead))
        shift = torch.where(shift.abs() <= FARTHEST, shift, 0.0)
        asked, own = given["teacher_globals"].clone(), given["globals"].clone()
        komi = asked[:, self._komi] * KOMI_UNIT - shift
        wave = torch.where(asked[:, self._territory] > 0, 0.0, komi_wave(komi, area))
        asked[:, self._komi], asked[:, self._parity] = komi / KOMI_UNIT, wave
        own[:, self._own_komi] = (own[:, self._own_komi] - shift / KOMI_UNIT).clamp(-OWN_KOMI_MOST, OWN_KOMI_MOST)
        own[:, self._own_parity] = wave
        return {"teacher_globals": asked, "globals": own}


def teacher_of(options, headers, device, compiling):
    """Returns the teacher of `--teacher` and `--adviser` or None, for streams of which some may require one."""
    asking = [header for header in headers if header.teacher is not None]
    if options.teacher:
        return Teacher(options.teacher, options.adviser, (asking or headers)[0], device, compiling, options.advised_moves)
    if asking:
        raise SampleError("samples of --asking need a --teacher")
    return None


def mixed(told, asked, share, known):
    """Returns `share` of the game's result where it is known, and the remaining part of the teacher's."""
    return asked + share * known * (told - asked)


def area_of(planes):
    """Returns the number of points of each board; the first plane marks the board."""
    return planes[:, 0].sum((1, 2))


def komi_wave(komi, area):
    """Equals `komi_wave` of src/encode/globals.rs."""
    phase = torch.remainder(komi - torch.remainder(area, 2.0), 2.0)
    return torch.where(phase < 0.5, phase, torch.where(phase < 1.5, 1.0 - phase, phase - 2.0))
