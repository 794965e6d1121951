"""multilingual-e5-small as an embedder: tokens, one run of the ONNX model, the mean of the tokens' vectors.

The model was trained with `query: ` before questions and `passage: ` before what is stored (Wang et al. 2024, Multilingual E5
Text Embeddings); without them its cosines mean less. It reads 512 tokens; what is longer is cut, which a memory of 200
characters never is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.embedding.base import Matrix, Tell, unit_rows
from hindsight_graph.embedding.e5.folder import DIMENSION, INSTALL, MODEL_FILE, NAME, TOKENIZER_FILE, ensure
from hindsight_graph.embedding.prefixed import PrefixedEmbedder
from hindsight_graph.errors import EmbeddingError, MissingExtraError
from hindsight_graph.models.record import EmbeddingModel

__all__ = ["E5Embedder"]

QUERY, PASSAGE = "query: ", "passage: "
_PAD = "<pad>"
_LONGEST = 512
"""Tokens that the model has places for."""


@dataclass(slots=True)
class _Loaded:
    """The tokenizer and the session."""

    tokenizer: Any
    session: Any

    def run(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the vectors of the texts' tokens, shape (texts, tokens, dimension), and the mask of what is no padding."""
        encoded = self.tokenizer.encode_batch(list(texts))
        ids = np.array([one.ids for one in encoded], dtype=np.int64)
        mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
        return self.session.run(None, {"input_ids": ids, "attention_mask": mask})[0], mask


class E5Embedder(PrefixedEmbedder[_Loaded]):
    """The quality default: `multilingual-e5-small`, 384 dimensions. Its weights are made at the first need.

    Args:
        folder: Where its model lives, or is to be made.
        tell: Told what is going on while it is made.
    """

    def __init__(self, folder: Path, tell: Tell) -> None:
        super().__init__(EmbeddingModel(name=NAME, dimension=DIMENSION), QUERY, PASSAGE)
        self._folder = folder
        self._tell = tell

    def _load(self) -> _Loaded:
        ensure(self._folder, self._tell)
        return _load(self._folder)

    def _embed(self, texts: Sequence[str]) -> Matrix:
        states, mask = self._ready().run(texts)
        weights = mask.astype(np.float32)
        return unit_rows(np.einsum("btd,bt->bd", states, weights) / weights.sum(axis=1, keepdims=True))


def _load(folder: Path) -> _Loaded:
    try:
        import onnxruntime  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs] - heavy and optional
        from tokenizers import Tokenizer  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError(f"{NAME} needs onnxruntime and tokenizers", hint=INSTALL) from error
    runtime: Any = onnxruntime
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1  # threads of the runtime's own would wait for each other on a busy machine
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        tokenizer: Any = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
        session = runtime.InferenceSession(str(folder / MODEL_FILE), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # both libraries raise their own kinds, the tokenizer a bare Exception
        raise EmbeddingError(f"{folder} does not load: {error}", hint=f"hindsight-graph models install {NAME} --anew") from error
    width = session.get_outputs()[0].shape[-1]
    if width != DIMENSION:
        raise EmbeddingError(
            f"{folder} makes {width} dimensions, not {DIMENSION}", hint=f"hindsight-graph models install {NAME} --anew"
        )
    tokenizer.enable_truncation(_LONGEST)
    tokenizer.enable_padding(pad_id=tokenizer.token_to_id(_PAD), pad_token=_PAD)
    return _Loaded(tokenizer, session)
