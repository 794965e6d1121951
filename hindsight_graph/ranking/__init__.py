"""Pure functions of ranking: statistics, fusion, decay, profiles, budget. No I/O."""
