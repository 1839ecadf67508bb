"""Templates of to_char, to_date, to_timestamp and to_number: values shown and read, piece by piece."""
