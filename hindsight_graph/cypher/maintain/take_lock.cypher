// purpose: Take the migration lock, if nobody holds it; the server's clock decides.
// mode: write
// scope: system
// param $owner: string
// param $lease: integer, milliseconds
// returns: taken: boolean
// since: 5.26
MERGE (m:Meta {key: 'lock'})
SET m.touched = timestamp()
WITH m, m.owner IS NULL OR m.owner = $owner OR m.until < timestamp() AS taken
SET m.owner = CASE WHEN taken THEN $owner ELSE m.owner END, m.until = CASE WHEN taken THEN timestamp() + $lease ELSE m.until END
RETURN taken
