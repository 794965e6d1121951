"""Embedding models as an operator sees them."""

from typing import Literal

from hindsight_graph.models.base import Model

ModelState = Literal["ready", "installable", "missing"]
"""Usable at once; usable after a first step that `models install` takes; something has to be installed or configured first."""


class ModelEntry(Model):
    """One embedding model.

    Attributes:
        name: What the setting `embedder` takes. dimension: of its vectors; None when the endpoint has to be asked.
        about: languages and strengths, in a few words. licence: of the weights. state, detail: whether it can be used here, and
            what it takes. is_default: what `auto` takes for a new store. is_used: what this store's vectors are of.
    """

    name: str
    dimension: int | None = None
    about: str = ""
    licence: str = ""
    state: ModelState
    detail: str = ""
    is_default: bool = False
    is_used: bool = False


class ModelCheck(Model):
    """What came of trying a model.

    Attributes:
        name, dimension: Of the model. milliseconds: for one question, the best of several. per_second: short passages.
        similar, different: Cosine of a question with a passage that answers it, and with one that does not.
    """

    name: str
    dimension: int
    milliseconds: float
    per_second: float
    similar: float
    different: float
