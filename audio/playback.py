"""The queue between the synthesizer and the loudspeaker; it knows to the sample what was heard.

Two sides. *Control* (``begin``, ``enqueue``, ``finish``, ``flush``, ``hold``, ``duck``, ``pause``,
``progress`` and their kin) is called from one thread, the conductor's. ``render`` is called from
the device's callback. They share no lock: each attribute has one writer, and a reply is dropped
by a flag that ``render`` obeys.

Life of a reply, which is one generation of sound::

    begin -> enqueue ... -> finish -> all of it was rendered                    (finished)
        \\-> flush: nothing more of it is rendered but a fade-out of 8 ms       (cut)

Replies sound in the order in which they were begun, one at a time: the next one starts when the
one before is finished or flushed. After ``flush`` returns, only two pieces of the old reply can
still reach the device: the block that was being rendered at that moment, and the fade-out.

A *pause* is a cut that can be taken back: the same fade-out, then silence, and the place is kept.
``resume`` goes on at the start of the word that was cut, so that no word is heard in halves.

What was *heard*. A sample is handed to the device by ``render`` and sounds ``latency_samples``
later, measured on the stream's own count of samples, which goes on with silence. So a flush does
not take back what the device holds already: it counts as heard once the device has played it
out, and never if the device is stopped first (``reopen`` then plays it again).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audio.pcm import from_dbfs, samples_for
from audio.reply_track import AUDIBLE_DBFS, PlaybackMark, ReplyTrack
from audio.ring import SampleRing

__all__ = ["AUDIBLE_DBFS", "Playback", "PlaybackCounts", "PlaybackMark", "PlaybackProgress"]

_FADE_S = 0.008  # long enough to not click, short enough to be no speech
_DUCK_RAMP_S = 0.02
_LONGEST_WORD_S = 1.0  # nobody wants to hear more than that again
_FAR_END_S = 4.0  # what the far-end tap keeps for a reader that is late
_REMEMBERED = 32  # replies whose progress can still be asked for


@dataclass(frozen=True, slots=True)
class PlaybackProgress:
    """How far a reply has come in the user's ear. ``reply`` is 0 when none was begun yet."""

    reply: int = 0
    played_samples: int = 0  # that have sounded, at the device's rate
    heard_text_end: int = 0  # length of the prefix of its text that was heard
    sounding: bool = False  # begun to sound, and neither finished nor, when cut, played out
    finished: bool = False  # all of it has sounded
    cut: bool = False  # flushed while there was more of it to hand over, or to come
    first_audible_sample: int | None = None  # first sample above AUDIBLE_DBFS, if enqueued yet


@dataclass(frozen=True, slots=True)
class PlaybackCounts:
    """Where a reply's samples are: ``enqueued == handed + flushed + queued`` at any time."""

    enqueued: int
    handed: int  # given to the device, fade-out included; goes back when a word is said again
    flushed: int
    queued: int


class Playback:
    """Mono float32 at the device's rate, full scale 1.0. See the module for threads and rules."""

    def __init__(self, rate: int, *, latency_samples: int = 0, duck_db: float = -15.0) -> None:
        """``latency_samples`` is what the device takes from ``render`` to sound; it may be set
        later, once the device is open and tells."""
        self._duck_gain = from_dbfs(duck_db)
        self._open(rate, latency_samples)
        # Written by control:
        self._tracks: dict[int, ReplyTrack] = {}  # the remembered ones, oldest first
        self._newest = 0
        self._queue: deque[ReplyTrack] = deque()  # render takes from the left
        self._held = False
        self._paused = False
        self._target_gain = 1.0
        # Written by render:
        self._current: ReplyTrack | None = None
        self._fading = 0  # samples of the fade-out that are still to come
        self._rising = 0  # samples of the fade-in after a pause that are still to come
        self._braking = False  # the pause has reached render
        self._resting = False  # and its fade-out is over
        self._cut_at = 0  # the sample of the current reply at which that fade-out began
        self._gain = 1.0
        self._rendered = 0
        self._underruns = 0

    def _open(self, rate: int, latency_samples: int) -> None:
        self.rate = rate
        self.latency_samples = latency_samples
        self.far_end = SampleRing(samples_for(_FAR_END_S, rate))  # what render gave out
        self._fade_samples = max(1, samples_for(_FADE_S, rate))
        self._fade: NDArray[np.float32] = np.linspace(
            1.0, 0.0, self._fade_samples + 1, dtype=np.float32
        )[1:]
        self._longest_word = samples_for(_LONGEST_WORD_S, rate)
        self._gain_step = (1.0 - self._duck_gain) / max(1, samples_for(_DUCK_RAMP_S, rate))

    # --- control -------------------------------------------------------------------------------

    def begin(self, reply: int) -> None:
        """Open a reply. Raises ValueError unless its number is higher than all before."""
        if reply <= self._newest:
            raise ValueError(f"reply {reply} does not come after reply {self._newest}")
        self._newest = reply
        self._forget_old()
        track = ReplyTrack(reply)
        self._tracks[reply] = track
        self._queue.append(track)

    def enqueue(
        self, reply: int, samples: NDArray[np.float32], marks: Sequence[PlaybackMark] = ()
    ) -> bool:
        """Add samples (copied) and marks to a reply; both in order.

        Returns False when the reply was flushed or finished meanwhile: nothing of it will sound,
        so its synthesis can stop. Raises ValueError for a reply that was never begun.
        """
        track = self._find(reply)
        return track is not None and track.append(samples, marks)

    def finish(self, reply: int) -> None:
        """No more comes for a reply. Raises ValueError for one that was never begun."""
        track = self._find(reply)
        if track is not None:
            track.complete = True

    def flush(self, reply: int | None = None) -> None:
        """Drop one reply, or all, at once; what was handed over whole is not touched."""
        for track in self._tracks.values():
            if reply in (None, track.reply):
                track.drop()

    def hold(self) -> None:
        """Let no reply begin to sound; one that has begun goes on."""
        self._held = True

    def release(self) -> None:
        """Let replies begin again."""
        self._held = False

    def pause(self) -> None:
        """Fall silent within 8 ms and keep the place; no reply begins either."""
        self._paused = True

    def resume(self) -> None:
        """Go on, from the start of the word that the pause has cut; after a flush: nothing."""
        self._paused = False

    def duck(self) -> None:
        """Lower what is played, within 20 ms."""
        self._target_gain = self._duck_gain

    def unduck(self) -> None:
        """Back to full level, within 20 ms."""
        self._target_gain = 1.0

    def reopen(self, rate: int, latency_samples: int) -> None:
        """Go on upon another device, or the same one anew, from the first sample not yet heard.

        Call it while no device calls ``render``. Whatever is queued is converted to the new rate;
        from now on, enqueue at that rate. ``far_end`` and the count of rendered samples (that of
        the new stream) start from zero. A reply that was cut stays cut.
        """
        through = self._rendered - self.latency_samples
        for track in self._tracks.values():
            track.rewind(through)
            track.convert(self.rate, rate, now=-latency_samples)
            if self._paused and track.begun:
                track.start_over(track.handed, samples_for(_LONGEST_WORD_S, rate))
        self._open(rate, latency_samples)
        self._rendered = 0
        self._fading = self._rising = 0
        self._braking = self._resting = False  # what the pause cut is not yet heard: it goes on
        self._current = None
        self._queue = deque(track for track in self._tracks.values() if not track.closed)

    @property
    def held(self) -> bool:
        return self._held

    @property
    def paused(self) -> bool:
        return self._paused

    @property
    def ducked(self) -> bool:
        return self._target_gain < 1.0

    # --- what happened -------------------------------------------------------------------------

    @property
    def underruns(self) -> int:
        """Gaps: how often a reply that had begun to sound, and was not finished, ran dry."""
        return self._underruns

    @property
    def rendered_samples(self) -> int:
        """Samples given to the device since it was opened, silence included: the stream's clock."""
        return self._rendered

    @property
    def idle(self) -> bool:
        """Nothing is queued, being rendered, or on its way through the device."""
        through = self._rendered - self.latency_samples
        return all(track.closed and track.played_out(through) for track in self._tracks.values())

    def progress(self, reply: int | None = None) -> PlaybackProgress:
        """How far ``reply`` has come; by default the one that sounds, or was the last to.

        Replies that were begun long ago are forgotten; then, and when there was none yet, all is
        zero.
        """
        through = self._rendered - self.latency_samples  # read first: runs only grow after it
        track = self._latest() if reply is None else self._tracks.get(reply)
        if track is None:
            return PlaybackProgress(reply=reply or 0)
        played = track.sounded(through)
        over = track.closed and track.played_out(through)
        return PlaybackProgress(
            reply=track.reply,
            played_samples=played,
            heard_text_end=track.heard_text_end(played),
            sounding=played > 0 and not over,
            finished=over and not track.cut,
            cut=track.cut,
            first_audible_sample=track.first_audible,
        )

    def counts(self, reply: int) -> PlaybackCounts:
        """Where the samples of a remembered reply are; all zero for another."""
        track = self._tracks.get(reply)
        if track is None:
            return PlaybackCounts(0, 0, 0, 0)
        handed = track.handed
        rest = track.enqueued - handed
        flushed = rest if track.closed else track.late
        return PlaybackCounts(track.enqueued, handed, flushed, rest - flushed)

    def sounded_at(self, reply: int, sample: int) -> int | None:
        """Position on the stream (see ``rendered_samples``) at which a reply's sample sounds.

        The latency is included. None while the sample has not been handed over.
        """
        track = self._tracks.get(reply)
        position = None if track is None else track.position_of(sample)
        return None if position is None else position + self.latency_samples

    def _latest(self) -> ReplyTrack | None:
        begun = [track for track in self._tracks.values() if track.begun]
        if begun:
            return begun[-1]
        return next(reversed(self._tracks.values()), None)

    def _find(self, reply: int) -> ReplyTrack | None:
        if reply > self._newest:
            raise ValueError(f"reply {reply} was never begun")
        return self._tracks.get(reply)

    def _forget_old(self) -> None:
        through = self._rendered - self.latency_samples
        for track in self._tracks.values():
            if track.closed and track.played_out(through):
                track.release_sound()
        while len(self._tracks) >= _REMEMBERED:
            oldest = next(iter(self._tracks.values()))
            if not oldest.closed:
                return  # it is still queued
            del self._tracks[oldest.reply]

    # --- render: the device's callback ---------------------------------------------------------

    def render(self, out: NDArray[np.float32]) -> None:
        """Fill ``out``, shape (n,), with what is to be played; silence when there is nothing."""
        self._obey_pause(self._paused)
        filled = 0
        while filled < len(out):
            track = self._pick()
            if track is None:
                break
            piece = track.next_piece(len(out) - filled)
            if self._fading:
                piece = self._faded(piece)
            if self._rising:
                piece = self._risen(piece)
            out[filled : filled + len(piece)] = piece
            track.hand_over(len(piece), self._rendered + filled)
            filled += len(piece)
        out[filled:] = 0.0
        self._apply_gain(out)
        self.far_end.write(out)
        self._rendered += len(out)

    def _obey_pause(self, paused: bool) -> None:
        """Begin to fall silent, or go on. ``flush`` was called before what it drops may go on."""
        track = self._current
        if paused and not self._braking:
            self._braking = True
            if track is not None:
                self._cut_at = track.handed
                if self._goes_on_fading(track):  # else it is silent already
                    return
            self._resting = True
        elif not paused and self._resting:
            self._braking = self._resting = False
            if track is not None and not track.dropped:
                track.start_over(self._cut_at, self._longest_word)
                self._rising = self._fade_samples
        # A pause that is taken back within its fade-out first falls silent.

    def _pick(self) -> ReplyTrack | None:
        """The reply whose next sample is to be rendered now, None when that is silence."""
        while True:
            if self._current is None:
                if self._braking:
                    self._resting = True
                if self._braking or not self._queue:
                    return None
                self._current = self._queue.popleft()
            track = self._current
            if (track.dropped or self._braking) and not self._resting:
                if self._goes_on_fading(track):
                    return track
                if not track.dropped:
                    self._fading = 0
                    self._resting = True
                    continue
            elif not track.dropped and not track.done:
                return track if not self._resting and self._may_sound(track) else None
            track.closed = True
            self._current = None
            self._fading = self._rising = 0

    def _goes_on_fading(self, track: ReplyTrack) -> bool:
        """Whether a reply that falls silent still has a piece of its fade-out to give."""
        if track.handed == 0 or track.dry or track.faded or not track.has_sound:
            return False  # it is silent already
        if self._fading == 0:
            self._fading = self._fade_samples
        return True

    def _may_sound(self, track: ReplyTrack) -> bool:
        if track.handed == 0:
            return track.has_sound and not self._held
        if not track.has_sound and not track.dry:
            track.dry = True
            self._underruns += 1
        return track.has_sound

    def _faded(self, piece: NDArray[np.float32]) -> NDArray[np.float32]:
        done = self._fade_samples - self._fading
        piece = piece[: self._fading]
        self._fading -= len(piece)
        if self._fading == 0 and self._current is not None:
            self._current.faded = True
        return piece * self._fade[done : done + len(piece)]

    def _risen(self, piece: NDArray[np.float32]) -> NDArray[np.float32]:
        piece = piece[: self._rising]
        level = self._fade[self._rising - len(piece) : self._rising][::-1]
        self._rising -= len(piece)
        return piece * level

    def _apply_gain(self, out: NDArray[np.float32]) -> None:
        target, gain = self._target_gain, self._gain
        if gain == target:
            if gain != 1.0:
                np.multiply(out, np.float32(gain), out=out)
            return
        if not len(out):
            return
        steps = np.arange(1, len(out) + 1, dtype=np.float32) * np.float32(self._gain_step)
        if target > gain:
            ramp = np.minimum(gain + steps, np.float32(target))
        else:
            ramp = np.maximum(gain - steps, np.float32(target))
        np.multiply(out, ramp, out=out)
        reached = ramp[-1] == np.float32(target)
        self._gain = target if reached else float(ramp[-1])
