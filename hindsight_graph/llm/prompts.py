"""The prompts: one text per purpose and language, shipped with the package, each replaceable by a file of the operator's own."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Literal

from hindsight_graph.errors import ConfigError

__all__ = ["PURPOSES", "Prompts", "load_prompts"]

Tongue = Literal["en", "zh"]
PURPOSES = ("extraction", "reflection")
_TONGUES: tuple[Tongue, ...] = ("en", "zh")
_LONGEST = 20_000
"""Characters of a prompt at most: it is sent with every request."""


class Prompts:
    """What the model is told for each purpose and language."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = dict(texts)

    def of(self, purpose: str, tongue: Tongue) -> str:
        """Return the text for a purpose in a language."""
        return self._texts[f"{purpose}.{tongue}"]


def load_prompts(folder: str | None = None) -> Prompts:
    """Return the prompts; a file `extraction.en.md` (or `.zh.md`, `reflection...`) in `folder` takes the place of ours.

    Raises:
        ConfigError: The folder is none, holds a Markdown file of another name, or a text that is empty or too long.
    """
    shipped = files("hindsight_graph.llm") / "prompts"
    names = tuple(f"{purpose}.{tongue}" for purpose in PURPOSES for tongue in _TONGUES)
    own = {} if folder is None else _own(Path(folder).expanduser(), names)
    return Prompts({name: own.get(name) or (shipped / f"{name}.md").read_text(encoding="utf-8") for name in names})


def _own(folder: Path, names: tuple[str, ...]) -> dict[str, str]:
    if not folder.is_dir():
        raise ConfigError(f"llm.prompts {folder} is no folder", hint=f"it may hold {', '.join(f'{name}.md' for name in names)}")
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.md")):
        name = path.name.removesuffix(".md")
        if name not in names:
            raise ConfigError(f"no prompt is named {path.name}", hint=f"{', '.join(f'{known}.md' for known in names)}")
        try:
            text = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"the prompt {path} cannot be read: {error}", hint="write it as UTF-8 text") from error
        if not 0 < len(text) <= _LONGEST:
            raise ConfigError(f"the prompt {path} has {len(text)} characters, not 1..{_LONGEST}", hint="or remove the file")
        found[name] = text
    return found
