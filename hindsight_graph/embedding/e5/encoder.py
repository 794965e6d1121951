"""Writing the encoder as an ONNX model: BERT with 12 layers, from token numbers to one vector for each token.

The graph is put together by hand, operator by operator, since the weights come from no framework that could export it. Inputs
`input_ids` and `attention_mask`, output `last_hidden_state` of shape (batch, sequence, hidden). The matrices are then stored in
8 bits, each column with a scale of its own; activations are quantised as they come.
"""

import logging
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization  # pyright: ignore[reportMissingTypeStubs]

from hindsight_graph.embedding.e5.weights import Sizes, Tensor, Weights

__all__ = ["INPUTS", "OUTPUT", "write_encoder"]

INPUTS = ("input_ids", "attention_mask")
OUTPUT = "last_hidden_state"
_OPERATORS = 17
"""Version of the operator set: the first with LayerNormalization."""
_FORMAT = 8
"""Version of the file format that goes with it, so that older runtimes read it."""
_FAR_BELOW = -10_000.0
"""Added to the attention scores of padding."""


class _Graph:
    """Nodes and constants of a graph in the making; a value is named by the string that a method returns."""

    def __init__(self, tensors: Mapping[str, Tensor], sizes: Sizes) -> None:
        self.sizes = sizes
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        for name, value in tensors.items():
            self.constant(name, value.astype(np.float32))

    def constant(self, name: str, value: NDArray[Any]) -> None:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))

    def node(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def add_constants(self) -> None:
        hidden, heads = self.sizes.hidden, self.sizes.heads
        for name, numbers in {
            "zero": [0], "one_index": [1], "mask_axes": [1, 2], "split_heads": [0, 0, heads, hidden // heads],
            "join_heads": [0, 0, hidden],
        }.items():  # fmt: skip
            self.constant(name, np.array(numbers, np.int64))
        for name, number in {
            "one": 1.0, "half": 0.5, "far_below": _FAR_BELOW, "root_2": 2**0.5, "scale": (hidden // heads) ** -0.5,
        }.items():  # fmt: skip
            self.constant(name, np.array(number, np.float32))

    def norm(self, value: str, weights: str, output: str) -> str:
        parts = [value, f"{weights}.w", f"{weights}.b"]
        return self.node("LayerNormalization", parts, output, axis=-1, epsilon=self.sizes.epsilon)

    def linear(self, value: str, weights: str) -> str:
        self.node("MatMul", [value, f"{weights}.w"], f"{weights}.product")
        return self.node("Add", [f"{weights}.product", f"{weights}.b"], f"{weights}.out")

    def embeddings(self) -> str:
        """Return the sum of words, places and types, normed. All types are 0, as the model was trained."""
        self.node("Shape", ["input_ids"], "shape")
        self.node("Gather", ["shape", "one_index"], "length")
        self.node("Slice", ["position", "zero", "length", "zero"], "positions")  # a Gather over a Range is rewritten wrongly
        self.node("Slice", ["type", "zero", "one_index", "zero"], "first_type")
        self.node("Gather", ["word", "input_ids"], "words")
        self.node("Add", ["words", "first_type"], "words_of_type")
        self.node("Add", ["words_of_type", "positions"], "embedded")
        return self.norm("embedded", "norm", "layer_input")

    def mask(self) -> None:
        """Make `mask`: 0 for a token, far below for padding, shape (batch, 1, 1, sequence)."""
        self.node("Unsqueeze", ["attention_mask", "mask_axes"], "mask_4d")
        self.node("Cast", ["mask_4d"], "mask_float", to=TensorProto.FLOAT)
        self.node("Sub", ["one", "mask_float"], "holes")
        self.node("Mul", ["holes", "far_below"], "mask")

    def heads(self, value: str, weights: str, order: list[int]) -> str:
        """Return a projection split into heads: (batch, heads, ...) in the order of axes given."""
        self.linear(value, weights)
        self.node("Reshape", [f"{weights}.out", "split_heads"], f"{weights}.split")
        return self.node("Transpose", [f"{weights}.split"], f"{weights}.heads", perm=order)

    def layer(self, number: int, value: str, output: str) -> str:
        """Return what a layer makes of `value`: attention and a feed-forward part, each with its residual and norm."""
        p = f"{number}."
        query, keys, values = (self.heads(value, p + part, [0, 2, 3, 1] if part == "k" else [0, 2, 1, 3]) for part in "qkv")
        self.node("MatMul", [query, keys], p + "raw")
        self.node("Mul", [p + "raw", "scale"], p + "scaled")
        self.node("Add", [p + "scaled", "mask"], p + "scores")
        self.node("Softmax", [p + "scores"], p + "attention", axis=-1)
        self.node("MatMul", [p + "attention", values], p + "context")
        self.node("Transpose", [p + "context"], p + "context.t", perm=[0, 2, 1, 3])
        self.node("Reshape", [p + "context.t", "join_heads"], p + "joined")
        self.node("Add", [self.linear(p + "joined", p + "ao"), value], p + "attended")
        attended = self.norm(p + "attended", p + "aln", p + "attended.normed")
        self.node("Add", [self.linear(self.gelu(p, attended), p + "fo"), attended], p + "fed")
        return self.norm(p + "fed", p + "oln", output)

    def gelu(self, p: str, value: str) -> str:
        """Return x / 2 * (1 + erf(x / sqrt 2)) of the inner projection of `value`."""
        inner = self.linear(value, p + "fi")
        self.node("Div", [inner, "root_2"], p + "gelu.1")
        self.node("Erf", [p + "gelu.1"], p + "gelu.2")
        self.node("Add", [p + "gelu.2", "one"], p + "gelu.3")
        self.node("Mul", [inner, p + "gelu.3"], p + "gelu.4")
        return self.node("Mul", [p + "gelu.4", "half"], p + "gelu")


def _model(weights: Weights) -> Any:
    graph = _Graph(weights.tensors, weights.sizes)
    graph.add_constants()
    value = graph.embeddings()
    graph.mask()
    last = weights.sizes.layers - 1
    for number in range(weights.sizes.layers):
        value = graph.layer(number, value, OUTPUT if number == last else f"{number}.output")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"]) for name in INPUTS]
    shape = ["batch", "sequence", weights.sizes.hidden]
    outputs = [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, shape)]
    made = helper.make_graph(graph.nodes, "multilingual-e5-small", inputs, outputs, graph.constants)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", _OPERATORS)])
    model.ir_version = _FORMAT
    return model


def write_encoder(weights: Weights, target: Path) -> None:
    """Write the encoder with 8-bit matrices to `target`, about 118 MB; needs about 500 MB beside it for a moment."""
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        full = Path(scratch) / "full.onnx"
        full.write_bytes(_model(weights).SerializeToString())
        advice = logging.getLogger()  # the quantiser advises, on the root logger, to pre-process models exported by a framework
        advice.addFilter(_no_advice)
        try:
            library: Any = quantization
            library.quantize_dynamic(str(full), str(target), weight_type=library.QuantType.QInt8, per_channel=True)
        finally:
            advice.removeFilter(_no_advice)


def _no_advice(record: logging.LogRecord) -> bool:
    return "pre-processing before quantization" not in record.getMessage()
