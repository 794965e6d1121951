"""Trying an embedder out: is it there, how fast is it, does it tell an answer from what is none?"""

from time import perf_counter

from hindsight_graph.embedding.base import Embedder, check_matrix, load
from hindsight_graph.models.embedding import ModelCheck

__all__ = ["try_out"]

_QUESTION = "Which database does the payment service use?"
_ANSWER = "The payment service stores its orders in PostgreSQL."
_OTHER = "On Fridays the kitchen bakes bread with walnuts."
_ROUNDS = 5
_PASSAGES = 64


async def try_out(embedder: Embedder) -> ModelCheck:
    """Return what an embedder does with a question, its answer and something else, and how fast; takes a few seconds.

    Raises:
        EmbeddingError, MissingExtraError: It does not work.
    """
    await load(embedder)
    passages = check_matrix(await embedder.embed_passages([_ANSWER, _OTHER]), 2, embedder.model)
    spent: list[float] = []
    for number in range(_ROUNDS):
        began = perf_counter()
        await embedder.embed_query(f"{_QUESTION} {number}")
        spent.append(perf_counter() - began)
    began = perf_counter()
    await embedder.embed_passages([f"{_ANSWER} Shard {number} holds a part of them." for number in range(_PASSAGES)])
    rate = _PASSAGES / (perf_counter() - began)
    similar, different = (passages @ await embedder.embed_query(_QUESTION)).tolist()
    return ModelCheck(
        name=embedder.model.name,
        dimension=embedder.model.dimension,
        milliseconds=round(min(spent) * 1000, 2),
        per_second=round(rate, 1),
        similar=round(similar, 4),
        different=round(different, 4),
    )
