"""Where settings come from: every value with its origin, nothing read before it is asked for.

Places, the first that names a setting wins: explicit arguments; the environment, `HINDSIGHT_GRAPH_*` before the short names;
`.env` in the working folder, in the same order; one TOML file; the default. An empty value counts as not given.
"""

import difflib
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args, get_origin

from dotenv import dotenv_values
from platformdirs import user_config_path
from pydantic import BaseModel, SecretStr, ValidationError

from hindsight_graph.errors import ConfigError
from hindsight_graph.models.base import Model
from hindsight_graph.settings import APP, PREFIX, Settings, file_url

__all__ = ["LoadedSettings", "Setting", "SettingRow", "Settings", "all_settings", "load_settings"]

CONFIG_FILE = "hindsight-graph.toml"
CONFIG_VARIABLE = "HINDSIGHT_GRAPH_CONFIG"
"""Names the TOML file; then no other TOML file is read."""
NOT_SETTINGS = frozenset({CONFIG_VARIABLE, "HINDSIGHT_GRAPH_DATA", "HINDSIGHT_GRAPH_TEST_NEO4J_URL"})
"""Variables with our prefix that are not settings: the TOML file, and the data folder of the benches."""
MASK = "**********"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as an operator sees it.

    Attributes:
        name: Dotted, as in TOML: `recall.top_k`.
        variable: In the environment and `.env`: `HINDSIGHT_GRAPH_RECALL_TOP_K`.
        short_names: Other variables that set it.
        path: Attribute names that lead to it in Settings.
        type: In words: "whole number", "one of auto, hashing".
        optional: Whether it may be unset; then the word `none` unsets it.
        secret: Whether its value is never shown.
        default: As text, for documentation.
    """

    name: str
    variable: str
    short_names: tuple[str, ...]
    path: tuple[str, ...]
    type: str
    optional: bool
    secret: bool
    default: str
    description: str


def _db_path(value: str) -> str:
    if "://" in value:
        raise ValueError("takes a file path; give a URL in HINDSIGHT_GRAPH_STORE_URL")
    return file_url(value)


def _same(value: str) -> str:
    return value


SHORT_NAMES: Mapping[str, tuple[str, Callable[[str], str]]] = {
    "LLM_API_KEY": ("llm_api_key", _same),
    "LLM_BASE_URL": ("llm_base_url", _same),
    "LLM_GATEWAY_URL": ("llm_base_url", _same),
    "LLM_MODEL": ("llm_model", _same),
    "EMBEDDING_MODEL": ("embedder", _same),
    "MEMORY_TTL_DAYS": ("memory_ttl_days", _same),
    "SUMMARY_MAX_TOKENS": ("summary_max_tokens", _same),
    "LOG_LEVEL": ("log_level", _same),
    "DB_PATH": ("store_url", _db_path),
    "HINDSIGHT_API_URL": ("hindsight_api_url", _same),
    "HINDSIGHT_API_KEY": ("hindsight_api_key", _same),
}
"""Variables without our prefix that set something: variable -> (setting, how its value is read)."""
VECTOR_NAMES = ("VECTOR_STORE", "VECTOR_DB_URL", "VECTOR_STORE_URL")
"""Variables of other products that set nothing here and get a notice."""


def _in_words(annotation: object) -> str:
    if get_origin(annotation) is Literal:
        return "one of " + ", ".join(get_args(annotation))
    plain = next((each for each in get_args(annotation) if each is not type(None)), annotation)
    plain = get_args(plain)[0] if hasattr(plain, "__metadata__") else plain
    return {int: "whole number", float: "number 0 to 1", SecretStr: "secret"}.get(cast("type", plain), "text")


def _describe(model: type[BaseModel], names: tuple[str, ...], path: tuple[str, ...]) -> Iterator[Setting]:
    for attribute, info in model.model_fields.items():
        here, way = (*names, info.alias or attribute), (*path, attribute)
        annotation: Any = cast("Any", info.annotation)
        if isinstance(annotation, type) and issubclass(annotation, Model):
            yield from _describe(annotation, here, way)
            continue
        name = ".".join(here)
        default: object = info.default if info.default_factory is None else "in the platform's user-data folder"
        yield Setting(
            name=name,
            variable=PREFIX + "_".join(here).upper(),
            short_names=tuple(short for short, (target, _) in SHORT_NAMES.items() if target == name),
            path=way,
            type=_in_words(cast("object", annotation)),
            optional=type(None) in get_args(annotation),
            secret=SecretStr in get_args(annotation),
            default="unset" if default is None else str(default),
            description=info.description or "",
        )


def all_settings() -> tuple[Setting, ...]:
    """Return every setting, in the order of documentation."""
    return tuple(_describe(Settings, (), ()))


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One line of `config show`: a value that can be printed (secrets masked) and where it came from."""

    name: str
    value: str | int | float | None
    origin: str


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings with their history.

    Attributes:
        settings: The values.
        origins: Setting name -> where its value came from: "argument", "environment LLM_MODEL", ".env DB_PATH", "<file>
            recall.top_k", "default".
        notices: What the operator should know: variables that were seen and mean nothing here.
    """

    settings: Settings
    origins: Mapping[str, str]
    notices: tuple[str, ...] = ()

    def rows(self) -> tuple[SettingRow, ...]:
        """Return every setting with its value and origin."""
        return tuple(SettingRow(each.name, self._value(each), self.origins[each.name]) for each in all_settings())

    def _value(self, setting: Setting) -> str | int | float | None:
        value: Any = self.settings
        for attribute in setting.path:
            value = getattr(value, attribute)
        if isinstance(value, str) and "://" in value and "?" in value:
            return value.split("?", 1)[0] + "?" + MASK
        return MASK if isinstance(value, SecretStr) else value


@dataclass(slots=True)
class _Found:
    """Values collected so far, the best place first."""

    known: Mapping[str, Setting] = field(default_factory=lambda: {each.name: each for each in all_settings()})
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    origins: dict[str, str] = field(default_factory=dict[str, str])
    notices: list[str] = field(default_factory=list[str])

    def offer(self, name: str, value: object, origin: str) -> None:
        if name not in self.known:
            raise ConfigError(f"unknown setting {name} ({origin})", hint=_nearest(name, self.known))
        if name in self.values or (isinstance(value, str) and not value.strip()):
            return
        unset = self.known[name].optional and isinstance(value, str) and value.strip().lower() == "none"
        self.values[name], self.origins[name] = (None if unset else value), origin


def load_settings(
    overrides: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    user_config: Path | None = None,
) -> LoadedSettings:
    """Read every place and return the settings with the origin of each value.

    Args:
        overrides: Explicit values by dotted name or as nested tables; None means not given.
        environ: The environment; the process's own by default.
        cwd: The working folder, where `.env` and `hindsight-graph.toml` are looked for.
        user_config: The user's own TOML file; by default in the platform's user-config folder.

    Raises:
        ConfigError: A name is unknown (the hint names the nearest), a value is out of range, or a file is malformed.
    """
    environ = os.environ if environ is None else environ
    cwd = Path.cwd() if cwd is None else cwd
    user_config = user_config_path(APP) / "config.toml" if user_config is None else user_config
    found = _Found()
    for name, value in _flatten(overrides or {}):
        if value is not None:
            found.offer(name, value, "argument")
    dotenv = _read_dotenv(cwd / ".env")
    _offer_variables(found, environ, "environment")
    _offer_variables(found, dotenv, ".env")
    named = environ.get(CONFIG_VARIABLE) or dotenv.get(CONFIG_VARIABLE)
    file = _config_file(named, cwd, user_config)
    if file is not None:
        for name, value in _flatten(_read_toml(file)):
            found.offer(name, value, f"{file} {name}")
    origins = {name: found.origins.get(name, "default") for name in found.known}
    return LoadedSettings(_validate(found), origins, tuple(found.notices))


def _offer_variables(found: _Found, variables: Mapping[str, str], place: str) -> None:
    by_variable = {each.variable: each.name for each in found.known.values()}
    for variable in sorted(variables):
        if variable.startswith(PREFIX) and variable not in NOT_SETTINGS:
            if variable not in by_variable:
                raise ConfigError(f"unknown setting {variable} ({place})", hint=_nearest(variable, by_variable))
            found.offer(by_variable[variable], variables[variable], f"{place} {variable}")
    base, gateway = (variables.get(name, "").strip() for name in ("LLM_BASE_URL", "LLM_GATEWAY_URL"))
    if base and gateway and base.rstrip("/") != gateway.rstrip("/") and "llm_base_url" not in found.values:
        raise ConfigError(
            f"LLM_BASE_URL and LLM_GATEWAY_URL name two endpoints ({place})", hint="both set llm_base_url; keep one"
        )
    for short, (name, read) in SHORT_NAMES.items():
        value = variables.get(short, "").strip()
        if value and name not in found.values:
            try:
                found.offer(name, read(value), f"{place} {short}")
            except ValueError as error:
                raise ConfigError(f"{short} {error} ({place})") from error
    for variable in VECTOR_NAMES:
        if variables.get(variable, "").strip():
            found.notices.append(f"{variable} ({place}) has no effect: vectors live in the graph store, which store_url names")


def _flatten(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flatten(cast("Mapping[str, object]", value), f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _read_dotenv(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    try:
        # Literal values: interpolation would read the process's environment behind the caller's back.
        pairs = dotenv_values(path, interpolate=False, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}", hint="make it readable UTF-8 text or remove it") from error
    return {name: value for name, value in pairs.items() if value is not None}


def _config_file(named: str | None, cwd: Path, user_config: Path) -> Path | None:
    if named:
        path = cwd / Path(named).expanduser()
        if not path.is_file():
            raise ConfigError(f"{CONFIG_VARIABLE} names {path}, which is not a file", hint="create it or unset the name")
        return path
    return next((path for path in (cwd / CONFIG_FILE, user_config) if path.is_file()), None)


def _read_toml(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not TOML: {error}", hint="mend the line or remove the file") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}", hint="make it readable UTF-8 text or remove it") from error


def _nearest(name: str, known: Mapping[str, object]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
    return f"the nearest name is {near[0]}; `hindsight-graph config show` lists all" if near else ""


def _validate(found: _Found) -> Settings:
    tables: dict[str, Any] = {}
    for name, value in found.values.items():
        *parents, last = name.split(".")
        table = tables
        for parent in parents:
            table = table.setdefault(parent, {})
        table[last] = value
    try:
        return Settings(**tables)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in problem["loc"])
        name = max((known for known in found.known if f"{where}.".startswith(f"{known}.")), key=len, default=where)
        if name not in found.known:
            raise ConfigError(f"{name} is a group of settings, not a value", hint=_nearest(name, found.known)) from None
        setting = found.known[name]
        shown = MASK if setting.secret else json.dumps(problem["input"], ensure_ascii=False, default=str)
        shown = re.sub(r"//[^/\s]*@", f"//{MASK}@", shown)
        what = problem["msg"].removeprefix("Value error, ")
        raise ConfigError(
            f"{name} is {shown} ({found.origins.get(name, 'default')}): {what[:1].lower()}{what[1:]}",
            hint=setting.description,
        ) from None
