"""A teacher that the trainer asks itself, on the device it trains on: samples written with `honinbo samples --asking` get
their lessons here instead of there.

Promise: `Teacher.teach(batch)` is the batch with the targets that `honinbo samples --teacher` would have given it, but for
rounding, for the symmetry, for the draw of even komis (`src/learn/teacher.rs`, `src/learn/even.rs`), and for the policy where
the adviser's counts too.
"""

import torch

from learning.compiling import Runner
from learning.katago_net import GLOBALS, PLANES, read_katago
from learning.losses import OWNERSHIP_SCALE
from learning.samples import Batch, SampleError

# As in src/learn/even.rs: the deviation of the lead that is left, and the largest change of komi, in points.
SPREAD, FARTHEST = 3.0, 60.0
# Both komis count in units of so many points; an own net's is cut at so many units.
KOMI_UNIT, OWN_KOMI_MOST = 20.0, 3.0
OCCUPIED = ("own", "opponent", "ko_forbidden")


class Teacher:
    """A net of KataGo's and, perhaps, an adviser whose results, leads and owners count as much; with `advised_moves` its
    priors too."""

    def __init__(self, path, adviser, header, device, compiling, advised_moves=False):
        if header.teacher is None:
            raise SampleError("the samples carry nothing that a teacher could be asked (honinbo samples --asking)")
        if (len(header.teacher.planes), len(header.teacher.globals)) != (PLANES, GLOBALS):
            raise SampleError(f"a teacher takes {PLANES} planes and {GLOBALS} globals")
        precision = torch.float16 if device.type == "cuda" else torch.float32
        self._nets = [Runner(read_katago(name).prepared(device, precision), compiling) for name in (path, adviser) if name]
        self._movers = len(self._nets) if advised_moves else 1
        names = header.teacher
        self._taken = [names.planes.index(name) for name in OCCUPIED]
        self._komi, self._parity, self._territory = (names.globals.index(n) for n in ("komi", "komi_parity", "territory"))
        self._own_komi, self._own_parity = (header.globals.index(n) for n in ("komi", "komi_parity"))

    @torch.no_grad()
    def teach(self, batch):
        """The batch with lessons in place of what the games alone tell."""
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
        """Probabilities of the moves that may be legal, which excludes points off board, stones and kos. The logits of several
        networks are averaged, that is, their probabilities geometrically: the result is as sharp as they are where they agree."""
        barred = planes[:, self._taken].sum(1).flatten(1) > 0
        if mask is not None:
            barred = barred | (mask.flatten(1) == 0)
        logits = torch.stack(policies).mean(0)
        logits[:, :-1] = logits[:, :-1].masked_fill(barred, float("-inf"))
        return logits.softmax(1)

    def _evened(self, given, lead, area):
        """Both global vectors under komis that leave the mover, who leads by `lead`, some points ahead or behind."""
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
    """The teacher of `--teacher` and `--adviser`, if there is one, for the streams of which some are to ask it."""
    asking = [header for header in headers if header.teacher is not None]
    if options.teacher:
        return Teacher(options.teacher, options.adviser, (asking or headers)[0], device, compiling, options.advised_moves)
    if asking:
        raise SampleError("samples of --asking need a --teacher")
    return None


def mixed(told, asked, share, known):
    """`share` of what the game told where it is known, the rest of what was asked."""
    return asked + share * known * (told - asked)


def area_of(planes):
    """The number of points of each board; the first plane is the board."""
    return planes[:, 0].sum((1, 2))


def komi_wave(komi, area):
    """`komi_wave` of src/encode/globals.rs."""
    phase = torch.remainder(komi - torch.remainder(area, 2.0), 2.0)
    return torch.where(phase < 0.5, phase, torch.where(phase < 1.5, 1.0 - phase, phase - 2.0))
