// purpose: Memories, things and episodes by words, Chinese and English.
// mode: read
// scope: tenant
// param $tenant: string
// param $words: string, a query of the full-text index memory_text
// returns: score, node
// since: 5.26
CALL db.index.fulltext.queryNodes('memory_text', $words) YIELD node, score
WHERE node.tenant = $tenant
RETURN score, node ORDER BY score DESC LIMIT 25
