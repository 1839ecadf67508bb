"""What users define, in the place of its call: functions in SQL, routines that run, operators, casts and aggregates."""
