"""`remember` and `retain`: what goes in."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hindsight_graph.cli.call import Call, progress
from hindsight_graph.cli.times import TIME_HELP, parse_time
from hindsight_graph.errors import InputError

if TYPE_CHECKING:
    from hindsight_graph.models.result import Receipt

Names = list[str] | None


def remember(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The statement; - reads it from stdin.")],
    kind: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="fact, preference, action, result, constraint; told from the words when absent."),
    ] = None,
    entity: Annotated[Names, typer.Option(metavar="NAME", help="What it is about. Repeatable; switches extraction off.")] = None,
    relation: Annotated[
        Names, typer.Option(metavar="TEXT", help="As 'Checkout DEPENDS_ON payment'. Repeatable; switches extraction off.")
    ] = None,
    raw_ref: Annotated[str | None, typer.Option(metavar="REF", help="Your name for the source, as chat:7.")] = None,
    occurred_at: Annotated[
        str | None, typer.Option(metavar="TIME", help=f"When it happened; now when absent. {TIME_HELP}")
    ] = None,
    valid_to: Annotated[str | None, typer.Option(metavar="TIME", help="Until when it holds.")] = None,
    session: Annotated[str | None, typer.Option(metavar="ID", help="The session it belongs to.")] = None,
    tag: Annotated[Names, typer.Option(metavar="TAG", help="A tag. Repeatable.")] = None,
    visibility: Annotated[str | None, typer.Option(metavar="WORD", help="private (its agent) or shared.")] = None,
    origin: Annotated[
        str, typer.Option(metavar="WORD", help="user, operator, agent, tool, document, web, import: decides the trust.")
    ] = "user",
    confidence: Annotated[float | None, typer.Option(metavar="0..1", help="How sure it is.")] = None,
    importance: Annotated[float, typer.Option(metavar="NUMBER", help="1 is normal.")] = 1.0,
    priority: Annotated[int, typer.Option(metavar="NUMBER", help="Higher wins in a conflict.")] = 0,
    ttl_days: Annotated[float | None, typer.Option(metavar="DAYS", help="Days to live; 0 for ever; by kind when absent.")] = None,
    media_type: Annotated[
        str | None, typer.Option(metavar="TYPE", help="Of the attachment that raw_ref names, as image/png.")
    ] = None,
    task_type: Annotated[str | None, typer.Option(metavar="WORD", help="The type of task.")] = None,
    outcome: Annotated[str | None, typer.Option(metavar="OUTCOME", help="success, failure or partial.")] = None,
    tool: Annotated[Names, typer.Option(metavar="NAME", help="A tool that was used. Repeatable.")] = None,
    error_code: Annotated[str | None, typer.Option(metavar="CODE", help="The error code it is about.")] = None,
    slot: Annotated[
        tuple[str, str, str] | None,
        typer.Option(metavar="SUBJECT ATTRIBUTE VALUE", help="A single-valued attribute: a newer value replaces it."),
    ] = None,
    payload: Annotated[str | None, typer.Option(metavar="JSON", help="Anything else, a JSON object.")] = None,
    idempotency_key: Annotated[str | None, typer.Option(metavar="KEY", help="The same call again gives the same answer.")] = None,
    *,
    call: Call,
) -> None:
    """Remember one statement; prints what became of it."""
    given: dict[str, Any] = {
        "kind": kind,
        "entities": entity or None,
        "relations": relation or None,
        "raw_ref": raw_ref,
        "occurred_at": parse_time(occurred_at, "--occurred-at"),
        "valid_to": parse_time(valid_to, "--valid-to"),
        "session_id": session,
        "tags": tag or (),
        "visibility": visibility,
        "origin": origin,
        "confidence": confidence,
        "importance": importance,
        "priority": priority,
        "ttl_days": ttl_days,
        "media_type": media_type,
        "task_type": task_type,
        "outcome": outcome,
        "tools": tool or (),
        "error_code": error_code,
        "slot": None if slot is None else dict(zip(("subject", "attribute", "value"), slot, strict=True)),
        "payload": _payload(payload),
        "idempotency_key": idempotency_key,
    }
    if text == "-":
        from hindsight_graph.cli.reading import read_text  # noqa: PLC0415

        text = read_text("-")
    with call.engine() as memory:
        receipt = memory.remember(text, **given)
        _show(call, receipt)


def retain(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Messages (JSON, JSONL) or a document (Markdown, text); - reads from stdin.")
    ],
    form: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="FORMAT", help="json, jsonl, markdown or text; told from the name or content when absent."
        ),
    ] = None,
    session: Annotated[str | None, typer.Option(metavar="ID", help="The session of messages that name none.")] = None,
    origin: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="user, operator, agent, tool, document, web, import. When absent: messages by their role, a document as user, "
            "since you vouch for the file you name.",
        ),
    ] = None,
    defer: Annotated[bool, typer.Option("--defer", help="Commit now, extract at the next start.")] = False,
    idempotency_key: Annotated[str | None, typer.Option(metavar="KEY", help="The same call again gives the same answer.")] = None,
    *,
    call: Call,
) -> None:
    """Keep a conversation or a document; prints what was kept, merged and dropped, and why.

    A message is an object with content, and optionally role, name, occurred_at (ISO 8601 with a zone), raw_ref, session_id,
    tool_calls, tool_call_id: our own form or that of OpenAI. JSON is a list of them, JSONL one per line.
    """
    from hindsight_graph.cli.reading import read_messages  # noqa: PLC0415

    source = read_messages(file, form)
    with call.engine() as memory, progress("retaining", len(source.messages)) as moved, source.named_errors():
        receipt = memory.retain(
            source.messages,
            session_id=session,
            origin=origin or source.origin,
            defer=defer,
            idempotency_key=idempotency_key,
            progress=moved,
        )
    _show(call, receipt)


def _show(call: Call, receipt: "Receipt") -> None:
    from hindsight_graph.cli.render.receipts import receipt_view  # noqa: PLC0415

    call.show(receipt, lambda: receipt_view(receipt))
    for text in receipt.notes:
        call.note(text)
    if receipt.job_id is not None:
        call.note(f"extraction is job {receipt.job_id}; `hindsight-graph status` and any other command take it up")


def _payload(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        value: Any = json.loads(text)
    except ValueError as error:
        raise InputError(f"--payload is not JSON: {error}", hint="""as '{"ticket": 7}'""") from error
    if not isinstance(value, dict):
        raise InputError(f"--payload is a JSON {type(value).__name__}, not an object", hint="""as '{"ticket": 7}'""")
    return value  # pyright: ignore[reportUnknownVariableType]
