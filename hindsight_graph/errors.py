"""The one error tree of hindsight_graph.

    HindsightGraphError
    +-- InputError                a caller's argument is wrong; nothing was written
    |   +-- NotFoundError         no such id in this scope (another tenant's id answers the same)
    |   +-- ConflictError         the thing changed meanwhile, or is in a state that forbids the call
    |   |   +-- IdempotencyError  one idempotency key, two different requests
    |   |   +-- LeaseLostError    a job was taken over, cancelled or ended meanwhile; what was done for it is not written
    |   +-- CursorError           a cursor of another query, or a damaged one
    +-- ForbiddenError            the caller's key lacks the scope for it
    +-- ConfigError               a setting is unknown, malformed or out of range
    +-- MissingExtraError         an optional package is not installed; carries the install line
    +-- EmbeddingError            an empty, zero or NaN vector, a wrong dimension, a model that does not load
    |   +-- ModelMismatchError    the store was filled by another embedding model
    +-- ExtractionError           an extractor failed or broke its contract
    +-- LlmError                  an LLM's endpoint refused, is not there, or did not answer in time
    |   +-- LlmFormError          it refuses the form an answer is to have; it is asked in a simpler one
    +-- ServeError                a service cannot listen where it was told to
    +-- ServiceError              a running service refused, or did not answer (only its client raises it)
    +-- StoreError                the store could not do its work
        +-- StoreUnavailableError not reachable, locked beyond the wait, read-only, disk full
        |   +-- StoreStalledError a read did not end in the time it had, or is held back after too many that did not
        +-- StoreCorruptError     content contradicts itself; `doctor` says what
        +-- SchemaError           made by a newer version, or not migrated

Every error says what happened, names the thing and its value, and says the way out in `hint`.
"""


class HindsightGraphError(Exception):
    """Root of all errors raised on purpose.

    Attributes:
        message: What happened, naming the thing and the value; one line.
        hint: What to do about it; may be empty.
        exit_code: The process exit status the CLI gives for it.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class InputError(HindsightGraphError):
    """A caller's argument is wrong; nothing was written."""

    exit_code = 2


class NotFoundError(InputError):
    """No such id in this scope; another tenant's id answers exactly like a missing one."""

    exit_code = 3


class ConflictError(InputError):
    """The thing changed meanwhile, or is in a state that forbids the call."""

    exit_code = 4


class IdempotencyError(ConflictError):
    """One idempotency key was used for two different requests."""


class LeaseLostError(ConflictError):
    """A job was taken over, cancelled or ended meanwhile; what was done for it is not written."""


class CursorError(InputError):
    """A cursor belongs to another query or is damaged."""


class ForbiddenError(HindsightGraphError):
    """The caller's key lacks the scope for it."""


class ConfigError(HindsightGraphError):
    """A setting is unknown, malformed or out of range."""

    exit_code = 2


class MissingExtraError(HindsightGraphError):
    """An optional package is not installed; `hint` is the exact install line."""

    exit_code = 5


class EmbeddingError(HindsightGraphError):
    """A vector is empty, zero, NaN or of a wrong dimension, or a model does not load."""

    exit_code = 6


class ModelMismatchError(EmbeddingError):
    """The store was filled by another embedding model; vectors are never mixed."""


class ExtractionError(HindsightGraphError):
    """An extractor failed or broke its contract."""

    exit_code = 7


class LlmError(HindsightGraphError):
    """An LLM's endpoint refused, is not there, or did not answer in time; the rules do the work then."""

    exit_code = 10


class LlmFormError(LlmError):
    """An LLM's endpoint refuses the form an answer is to have."""


class ServeError(HindsightGraphError):
    """A service cannot listen where it was told to: the port is taken, or the address is none of this machine's."""

    exit_code = 9


class ServiceError(HindsightGraphError):
    """A running service refused, or did not answer; only its client raises it.

    Attributes:
        status: HTTP status; 0 when there was no answer. code: the problem's stable code; may be empty.
    """

    def __init__(self, message: str, *, hint: str = "", status: int = 0, code: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.code = code


class StoreError(HindsightGraphError):
    """The store could not do its work; nothing of the batch was written."""

    exit_code = 8


class StoreUnavailableError(StoreError):
    """The store is not reachable, locked beyond the wait, read-only, or its disk is full."""


class StoreStalledError(StoreUnavailableError):
    """A read did not end in the time it had, or is held back for a while after too many that did not."""


class StoreCorruptError(StoreError):
    """The store's content contradicts itself; `hindsight-graph doctor` says what."""


class SchemaError(StoreError):
    """The store was made by a newer version, or awaits a migration."""
