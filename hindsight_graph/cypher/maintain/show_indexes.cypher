// purpose: What every index is and whether it answers.
// mode: read
// scope: system
// returns: name, state, type, populationPercent, properties, options
// since: 5.26
SHOW INDEXES YIELD name, state, type, populationPercent, properties, options
