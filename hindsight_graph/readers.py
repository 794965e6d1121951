"""What reads: the extractor a setting names, and an engine's askers. Without a configured LLM there are none, and no network."""

import logging
from dataclasses import dataclass

from hindsight_graph.errors import ConfigError, MissingExtraError
from hindsight_graph.extraction.base import Extractor
from hindsight_graph.extraction.llm import ModelExtractor
from hindsight_graph.extraction.rules import RuleExtractor
from hindsight_graph.extraction.spacy_extractor import SpacyExtractor, is_installed
from hindsight_graph.llm.anthropic import AnthropicChat
from hindsight_graph.llm.asking import Asker, Price
from hindsight_graph.llm.openai import OpenAIChat
from hindsight_graph.llm.prompts import load_prompts
from hindsight_graph.models.status import Check
from hindsight_graph.observe.observer import Observer
from hindsight_graph.pipelines.learn.lessons import Lessons
from hindsight_graph.resilience.guard import Guard, llm_guard
from hindsight_graph.settings import Settings

__all__ = ["Readers", "make_extractor", "make_readers"]

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Readers:
    """What of an engine asks a model; all empty without one.

    Attributes:
        extractor: Reads committed messages; None leaves that to the rules. lessons: words lessons; None the same.
        askers: Each model once, for `doctor`. fault: why a wanted LLM is not asked, and what mends it; None when all is well.
    """

    extractor: Extractor | None = None
    lessons: Lessons | None = None
    askers: tuple[Asker, ...] = ()
    fault: tuple[str, str] | None = None

    def examined(self) -> tuple[Asker | Check, ...]:
        """Return what `doctor` is to look at: each model, or the finding that there should be one."""
        if self.fault is not None:
            return (Check(name="llm", ok=False, detail=self.fault[0], fix=self.fault[1]),)
        return self.askers

    async def close(self) -> None:
        """Release every model's connections."""
        for asker in self.askers:
            await asker.close()


def make_extractor(name: str) -> Extractor:
    """Return the extractor that a setting names: `rules`, `spacy`, or with `auto` the best that is installed. Loads no model.

    Raises:
        MissingExtraError: `spacy` is asked for and not installed. ConfigError: there is none of that name.
    """
    if name == "rules" or (name == "auto" and not is_installed()):
        return RuleExtractor()
    if name in {"auto", "spacy"}:
        return SpacyExtractor()
    raise ConfigError(f"unknown extractor {name!r}", hint="auto, rules or spacy")


def make_readers(settings: Settings, rules: Extractor, observer: Observer) -> Readers:
    """Return the readers that settings name.

    Half a configuration is none: `LLM_BASE_URL` may be there for another program. The rules do the work then, a line in the log
    and `doctor` say why.

    Raises:
        ConfigError: The folder of prompts is wrong.
    """
    model = settings.llm_model
    if model is None:
        wanted = settings.llm_base_url is not None or settings.reflection_llm_model is not None
        return _without("an endpoint or a reflection model is set, but no llm_model", "set LLM_MODEL") if wanted else Readers()
    if settings.llm_base_url is None and settings.llm_api_key is None:
        return _without(f"llm_model {model} has no endpoint", "set LLM_BASE_URL, or LLM_API_KEY for the provider's own")
    prompts = load_prompts(settings.llm.prompts)
    guard = llm_guard(observer)
    stronger = settings.reflection_llm_model or model
    try:
        reading = _asker(settings, model, guard, observer)
        wording = reading if stronger == model else _asker(settings, stronger, guard, observer)
    except MissingExtraError as error:
        return _without(error.message, error.hint)
    return Readers(
        ModelExtractor(reading, prompts, rules) if settings.llm.extract else None,
        Lessons(wording, prompts) if settings.llm.reflect else None,
        tuple(dict.fromkeys((reading, wording))),
    )


def _without(fault: str, mended_by: str) -> Readers:
    _LOG.warning("no LLM is asked: %s (%s)", fault, mended_by)
    return Readers(fault=(fault, mended_by))


def _asker(settings: Settings, model: str, guard: Guard, observer: Observer) -> Asker:
    make = AnthropicChat if settings.llm.provider == "anthropic" else OpenAIChat
    key = settings.llm_api_key.get_secret_value() if settings.llm_api_key is not None else None
    chat = make(model, base_url=settings.llm_base_url, api_key=key, timeout_s=settings.llm.timeout_s)
    return Asker(
        chat,
        guard,
        observer,
        timeout_s=settings.llm.timeout_s,
        max_tokens=settings.llm.max_tokens,
        price=Price(settings.llm.price_prompt, settings.llm.price_completion),
    )
