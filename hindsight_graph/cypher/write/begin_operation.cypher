// purpose: Leave a mark in the ledger; a second attempt of the same write fails on it.
// mode: write
// scope: tenant
// param $tenant: string
// param $operation: string, id made by the client
// returns: nothing
// since: 5.26
CREATE (:Operation {tenant: $tenant, id: $operation, at: timestamp()})
