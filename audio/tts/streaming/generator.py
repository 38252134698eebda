"""Builds the part of Kokoro that makes sound, so that it can work on a window of a sentence.

The network's last part (an iSTFTNet generator: two upsamplings, eight residual blocks, an inverse
Fourier transform) takes more than four fifths of the time. In the shipped file it normalizes each
channel over the whole sentence, 48 times, so its first sample needs the last one. Here mean and
deviation come in from outside, as a factor and an offset for each channel; what is left is a net of
convolutions in which 100 ms to either side decide a sample.

The weights are the shipped ones, back in 32-bit floats. The rest is arranged for speed:
convolutions are two-dimensional with a height of 1, for which onnxruntime has faster code; the
activation x + sin(ax)^2 / a becomes, with u = ax, the sum (u + sin(u)^2) / a, of which a is taken
into the norm before it and 1 / a into the convolution that follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audio.tts.streaming.onnx_file import Node, OnnxFile
from audio.tts.streaming.onnx_graph import OnnxGraph, Shape

FRAMES = "/decoder/decoder/decode.3/Div_4_output_0"  # what goes in: (1, 512, frames)
SOURCE = "/decoder/decoder/generator/Concat_3_output_0"  # the voice's hum: (1, 22, 60 * frames + 1)
SAMPLES = 300  # that one frame of FRAMES becomes, 12.5 ms at 24 kHz
SOURCE_STEPS = 60  # columns of SOURCE for one frame
CONTEXT = 8  # frames to either side; 11 decide a sample, with 8 it is right to 100 dB
INNER_CONTEXT = 2  # of which the second half of the network needs these
_AFFINE = ("factor", "offset")
_LOUDNESS = 4.0  # of the inverse transform, as in the shipped network
_PREFIX = "decoder.decoder.generator."
_STYLE = 128  # the first half of a voice's style shapes the sound, the rest the rhythm
_EPSILON = 1e-5  # of the norms
_DILATIONS = (1, 3, 5)
_STAGES = (
    ("noise_res.0", ("resblocks.0", "resblocks.1", "resblocks.2"), 256),
    ("noise_res.1", ("resblocks.3", "resblocks.4", "resblocks.5"), 128),
)


@dataclass(frozen=True, slots=True)
class Norm:
    """One of the generator's 48 norms."""

    block: str
    number: int  # 1 before a block's first convolution, 2 before its second
    step: int  # 0 to 2: which pair of convolutions
    channels: int


def norms() -> Iterator[Norm]:
    """All norms, in the order in which their channels are laid side by side."""
    for noise, blocks, channels in _STAGES:
        for block in (noise, *blocks):
            for step in range(len(_DILATIONS)):
                yield Norm(block, 1, step, channels)
                yield Norm(block, 2, step, channels)


CHANNELS = sum(norm.channels for norm in norms())  # 9216, of all norms together


def statistic_of_channel() -> NDArray[np.int64]:
    """For each of CHANNELS the index of its mean and variance, shape (9216,); 8448 differ.

    The three blocks of a stage begin with the same input, so their first norms measure the same.
    """
    slots: list[NDArray[np.int64]] = []
    shared: dict[int, NDArray[np.int64]] = {}
    count = 0
    for norm in norms():
        begins_stage = norm.block.startswith("res") and (norm.number, norm.step) == (1, 0)
        if begins_stage and norm.channels in shared:
            slots.append(shared[norm.channels])
            continue
        slot = np.arange(count, count + norm.channels)
        count += norm.channels
        slots.append(slot)
        if begins_stage:
            shared[norm.channels] = slot
    return np.concatenate(slots)


class Affine(NamedTuple):
    """What a norm does to its channels, for all of CHANNELS: float32, shape (9216,) each."""

    factor: NDArray[np.float32]
    offset: NDArray[np.float32]


class Styling:
    """What a voice's style makes of the norms: a factor and an offset for each of CHANNELS."""

    def __init__(self, source: OnnxFile) -> None:
        """Read the 48 small layers: 10 MB. Raises EngineCorrupt."""
        kernels, biases, alphas = [], [], []
        for norm in norms():
            name = f"{_PREFIX}{norm.block}.adain{norm.number}.{norm.step}.fc"
            kernel = source.floats(f"{name}.weight_quantized")
            kernel *= source.floats(f"{name}.weight_scale")
            kernels.append(kernel.reshape(_STYLE, 2, norm.channels))
            biases.append(source.floats(f"{name}.bias").reshape(2, norm.channels))
            alphas.append(_alpha(source, norm).ravel())
        self._kernel = np.concatenate(kernels, axis=2).astype(np.float32)
        self._bias = np.concatenate(biases, axis=1).astype(np.float32)
        self._alpha = np.concatenate(alphas).astype(np.float32)

    def affine(self, style: NDArray[np.float32]) -> Affine:
        """Factor and offset after a norm, for a style of shape (1, 256).

        Both are for the graph's own unit of activations, alpha times the network's.
        """
        gains, offsets = np.tensordot(style[0, :_STYLE], self._kernel, axes=1) + self._bias
        return Affine((1 + gains) * self._alpha, offsets * self._alpha)


def in_norms(affine: Affine, mean: NDArray[np.float32], variance: NDArray[np.float32]) -> Affine:
    """Norm and style in one, for a window; mean and variance have shape (8448,)."""
    slots = statistic_of_channel()
    factor = affine.factor / np.sqrt(variance[slots] + _EPSILON)
    offset = affine.offset - mean[slots] * factor
    return Affine(factor.astype(np.float32), offset.astype(np.float32))


def out_of_norms(affine: Affine, used: Affine) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Mean and variance, (8448,) each: the inverse of ``in_norms``."""
    _, first = np.unique(statistic_of_channel(), return_index=True)
    factor, offset = used.factor[first], used.offset[first]
    variance = np.square(affine.factor[first] / factor) - _EPSILON
    mean = (affine.offset[first] - offset) / factor
    return mean.astype(np.float32), np.maximum(variance, 0).astype(np.float32)


def build(source: OnnxFile) -> bytes:
    """The generator as a network of its own, about 70 MB.

    Inputs: ``frames`` (1, 512, 1, n), ``source`` (1, 22, 1, 60 n + 1), ``factor`` and ``offset``
    (1, 9216, 1, 1); ``inner``, int64 (2,): the frames [start, end) of these n that the second half
    of the network needs, INNER_CONTEXT around those that are wanted; ``whole``, bool (1,).
    Outputs: ``audio``, 300 samples for each of the inner frames; ``used_factor`` and
    ``used_offset`` (9216,). When ``whole``, factor and offset are those of Styling.affine, and the
    norms measure all that is given; else they are those of ``in_norms``. Raises EngineCorrupt.
    """
    return _Builder(source).build()


class _Builder:
    def __init__(self, source: OnnxFile) -> None:
        self._source = source
        self._graph = OnnxGraph()
        self._convolutions = _quantized(source)
        self._affine: dict[Norm, tuple[str, str]] = {}
        self._used: dict[Norm, tuple[str, str]] = {}

    def build(self) -> bytes:
        graph = self._graph
        x = graph.input("frames", (1, 512, 1, "frames"))
        hum = graph.input("source", (1, 22, 1, "steps"))
        inner = graph.input("inner", (2,), np.int64)
        graph.input("whole", (1,), np.bool_)
        each = list(norms())
        self._affine = dict(zip(each, zip(*map(self._split, _AFFINE), strict=True), strict=True))
        x = self._stage(0, x, hum)
        x, hum = self._cropped(x, hum, inner)
        x = self._stage(1, x, hum)
        graph.output(self._sound(x), "audio", ("samples",))
        for index, name in enumerate(_AFFINE):
            joined = graph.node("Concat", *(self._used[norm][index] for norm in each), axis=1)
            flat = graph.node("Reshape", joined, graph.ints(-1))
            graph.output(flat, f"used_{name}", (CHANNELS,))
        return graph.to_bytes()

    def _split(self, name: str) -> list[str]:
        graph = self._graph
        whole = graph.input(name, (1, CHANNELS, 1, 1))
        sizes = [norm.channels for norm in norms()]
        return graph.nodes("Split", (whole, graph.ints(*sizes)), len(sizes), axis=1)

    def _cropped(self, x: str, hum: str, inner: str) -> tuple[str, str]:
        """Ten steps of ``x`` and sixty of ``hum`` for each inner frame, and one more of these."""
        graph = self._graph
        start, end = graph.nodes("Split", (inner, graph.ints(1, 1)), 2, axis=0)
        axis, ten, sixty = graph.ints(3), graph.ints(10), graph.ints(SOURCE_STEPS)
        x = graph.node("Slice", x, graph.node("Mul", start, ten), graph.node("Mul", end, ten), axis)
        last = graph.node("Add", graph.node("Mul", end, sixty), graph.ints(1))
        return x, graph.node("Slice", hum, graph.node("Mul", start, sixty), last, axis)

    def _stage(self, stage: int, x: str, hum: str) -> str:
        graph = self._graph
        noise, blocks, _ = _STAGES[stage]
        stride, padding = ((6, 3), (1, 0))[stage]
        hummed = self._conv(hum, f"noise_convs.{stage}", stride=stride, padding=padding)
        hummed = self._block(hummed, noise)
        x = self._upsample(graph.node("LeakyRelu", x, alpha=0.1), stage)
        if stage == 1:  # one step more at the front, as many as the hum has
            x = graph.node("Pad", x, graph.ints(0, 0, 0, 1, 0, 0, 0, 0), mode="reflect")
        x = graph.node("Add", x, hummed)
        first, second, third = (self._block(x, block) for block in blocks)
        total = graph.node("Add", graph.node("Add", first, second), third)
        return graph.node("Mul", total, graph.floats(1 / 3))

    def _block(self, x: str, block: str) -> str:
        for step, dilation in enumerate(_DILATIONS):
            y = self._active(x, Norm(block, 1, step, _width(block)))
            y = self._conv(y, f"{block}.convs1.{step}", dilation=dilation)
            y = self._active(y, Norm(block, 2, step, _width(block)))
            y = self._conv(y, f"{block}.convs2.{step}")
            x = self._graph.node("Add", y, x)
        return x

    def _active(self, x: str, norm: Norm) -> str:
        """Norm, style and activation, in units that the next convolution's weights undo."""
        graph = self._graph
        factor, offset = self._affine[norm]
        shape = (1, norm.channels, 1, 1)
        measured = self._measured(x, factor, offset, shape)
        given = self._given(factor, offset, shape)
        factor, offset = graph.nodes("If", ("whole",), 2, then_branch=measured, else_branch=given)
        self._used[norm] = factor, offset
        u = graph.node("Add", graph.node("Mul", x, factor), offset)
        sine = graph.node("Sin", u)
        return graph.node("Add", u, graph.node("Mul", sine, sine))

    def _measured(self, x: str, factor: str, offset: str, shape: Shape) -> OnnxGraph:
        branch = self._graph.branch()
        mean = branch.node("ReduceMean", x, axes=[3], keepdims=1)
        centred = branch.node("Sub", x, mean)
        square = branch.node("Mul", centred, centred)
        variance = branch.node("ReduceMean", square, axes=[3], keepdims=1)
        deviation = branch.node("Sqrt", branch.node("Add", variance, branch.floats(_EPSILON)))
        used = branch.node("Div", factor, deviation)
        branch.output(used, f"{used}.factor", shape)
        shift = branch.node("Sub", offset, branch.node("Mul", mean, used))
        branch.output(shift, f"{shift}.offset", shape)
        return branch

    def _given(self, factor: str, offset: str, shape: Shape) -> OnnxGraph:
        branch = self._graph.branch()
        branch.output(factor, f"{factor}.given", shape)
        branch.output(offset, f"{offset}.given", shape)
        return branch

    def _conv(
        self, x: str, name: str, *, stride: int = 1, dilation: int = 1, padding: int | None = None
    ) -> str:
        kernel = self._kernel(name)
        bias = self._source.floats(f"{_PREFIX}{name}.bias")
        norm = _norm_before(name)
        if norm is not None:
            kernel = kernel / _alpha(self._source, norm)
        width = kernel.shape[2]
        pad = dilation * (width - 1) // 2 if padding is None else padding
        graph = self._graph
        weights = graph.weight(kernel[:, :, None].astype(np.float32))
        biases = graph.weight(bias.astype(np.float32))
        strides, dilations, pads = [1, stride], [1, dilation], [0, pad, 0, pad]
        return graph.node(
            "Conv", x, weights, biases, strides=strides, dilations=dilations, pads=pads
        )

    def _kernel(self, name: str) -> NDArray[np.float32]:
        """A quantized convolution's weights as floats, (outputs, inputs, width)."""
        _, weight, _, zero = self._convolutions[name].inputs
        scale = self._source.floats(weight.removesuffix("_quantized") + "_scale")
        kernel: NDArray[np.float32] = self._source.floats(weight) - self._source.floats(zero)
        return kernel * scale

    def _upsample(self, x: str, stage: int) -> str:
        rate, weight = ((10, "Mul_output_0"), (6, "Mul_1_output_0"))[stage]
        kernel = self._source.floats(f"/decoder/decoder/generator/{weight}")[:, :, None]
        bias = self._source.floats(f"{_PREFIX}ups.{stage}.bias")
        weights, biases = self._graph.weight(kernel), self._graph.weight(bias)
        pads = [0, rate // 2, 0, rate // 2]
        return self._graph.node("ConvTranspose", x, weights, biases, strides=[1, rate], pads=pads)

    def _sound(self, x: str) -> str:
        """Magnitudes and phases, then the inverse transform: 20 samples, 5 apart, overlapping."""
        graph = self._graph
        x = graph.node("LeakyRelu", x, alpha=0.01)
        kernel = self._source.floats("/decoder/decoder/generator/Mul_2_output_0")[:, :, None]
        biases = graph.weight(self._source.floats(f"{_PREFIX}conv_post.bias"))
        x = graph.node("Conv", x, graph.weight(kernel), biases, pads=[0, 3, 0, 3])
        half = kernel.shape[0] // 2
        magnitude, phase = graph.nodes("Split", (x, graph.ints(half, half)), 2, axis=1)
        magnitude, phase = graph.node("Exp", magnitude), graph.node("Sin", phase)
        real = graph.node("Mul", magnitude, graph.node("Cos", phase))
        imaginary = graph.node("Mul", magnitude, graph.node("Sin", phase))
        spectrum = graph.node("Concat", real, imaginary, axis=1)
        basis = _LOUDNESS * self._source.floats(f"{_PREFIX}stft.istft.stft.inverse_basis")
        weights = graph.weight(basis[:, :, None].astype(np.float32))
        pads = [0, 10, 0, 10]
        sound = graph.node("ConvTranspose", spectrum, weights, strides=[1, 5], pads=pads)
        return graph.node("Reshape", sound, graph.ints(-1))


def _width(block: str) -> int:
    return next(c for noise, blocks, c in _STAGES if block in (noise, *blocks))


def _norm_before(convolution: str) -> Norm | None:
    """The norm whose activation a block's convolution takes; None outside the blocks."""
    block, _, rest = convolution.partition(".convs")
    if not rest:
        return None
    return Norm(block, int(rest[0]), int(rest[2]), _width(block))


def _alpha(source: OnnxFile, norm: Norm) -> NDArray[np.float32]:
    return source.floats(f"{_PREFIX}{norm.block}.alpha{norm.number}.{norm.step}")


def _quantized(source: OnnxFile) -> dict[str, Node]:
    """The generator's quantized convolutions, by name such as resblocks.0.convs1.2."""
    start = "/decoder/decoder/generator/"
    return {
        node.name.removeprefix(start).removesuffix("/Conv_quant").replace("/", "."): node
        for node in source.nodes
        if node.op == "ConvInteger" and node.name.startswith(start)
    }
