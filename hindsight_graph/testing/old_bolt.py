"""A server that speaks Bolt 4.4 as Neo4j 4.4 does, as far as a client that asks for its version goes.

Just enough of the protocol (Bolt 4.4 and PackStream, neo4j.com/docs/bolt/current): handshake, HELLO, RUN, PULL, and SUCCESS for
the rest. A real one is no longer published for the Java of today.
"""

import asyncio
import struct
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

_HELLO, _GOODBYE, _RUN, _PULL = 0x01, 0x02, 0x10, 0x3F
_SUCCESS, _RECORD = 0x70, 0x71
_OURS = (4, 4)


def pack(value: Any) -> bytes:
    """Return a string, a short list or a short map in PackStream."""
    if isinstance(value, str):
        data = value.encode()
        return (bytes([0x80 + len(data)]) if len(data) < 16 else bytes([0xD0, len(data)])) + data
    if isinstance(value, list):
        return bytes([0x90 + len(value)]) + b"".join(map(pack, value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return bytes([0xA0 + len(value)]) + b"".join(pack(key) + pack(item) for key, item in value.items())


def message(tag: int, body: Any) -> bytes:
    """Return a message with one field, in one chunk."""
    data = bytes([0xB1, tag]) + pack(body)
    return struct.pack(">H", len(data)) + data + b"\0\0"


async def read_message(reader: asyncio.StreamReader) -> bytes:
    """Return the next message, its chunks together; keep-alive chunks are skipped."""
    data = b""
    while True:
        (size,) = struct.unpack(">H", await reader.readexactly(2))
        if size:
            data += await reader.readexactly(size)
        elif data:
            return data


def accepts(offers: bytes) -> bool:
    """Whether one of the four offers (0, range, minor, major) of a handshake covers Bolt 4.4."""
    for start in range(0, 16, 4):
        _, span, minor, major = offers[start : start + 4]
        if (major, minor) >= _OURS and major == _OURS[0] and minor - span <= _OURS[1]:
            return True
    return False


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        await reader.readexactly(4)
        writer.write(bytes([0, 0, 4, 4]) if accepts(await reader.readexactly(16)) else bytes(4))
        asked = b""
        while True:
            data = await read_message(reader)
            tag = data[1]
            if tag == _GOODBYE:
                return
            if tag == _HELLO:
                writer.write(message(_SUCCESS, {"server": "Neo4j/4.4.42", "connection_id": "bolt-1"}))
            elif tag == _RUN:
                asked = data
                writer.write(message(_SUCCESS, {"fields": ["version", "edition"]}))
            elif tag == _PULL:
                if b"dbms.components" in asked:
                    writer.write(message(_RECORD, ["4.4.42", "community"]))
                writer.write(message(_SUCCESS, {"type": "r", "db": "neo4j"}))
            else:
                writer.write(message(_SUCCESS, {}))
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


@asynccontextmanager
async def old_server() -> AsyncGenerator[str]:
    """Yield the Bolt address of such a server."""
    server = await asyncio.start_server(_serve, "127.0.0.1", 0)
    try:
        yield f"bolt://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
