// purpose: The server's clock, to compare with ours.
// mode: read
// scope: system
// returns: now: integer, milliseconds since 1970
// since: 5.26
RETURN timestamp() AS now
