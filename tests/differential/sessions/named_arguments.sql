-- arguments by name, and defaults of those left out
SELECT make_interval(days => 10), make_interval(1, hours := 5), make_interval(secs => 1.5, years => 2), make_interval();
SELECT make_interval(day => 10);
SELECT make_interval(days => 1, days => 2);
SELECT make_interval(days => 1, 2);
SELECT make_interval(1, years => 2);
SELECT make_timestamp(year => 2020, month => 1, mday => 2, hour => 3, min => 4, sec => 5.5), make_date(month => 2, day => 3, year => 2021);
SELECT jsonb_set('{"a": 1}', path => '{b}', replacement => '2'), jsonb_set(jsonb_in => '{"a": 1}', path => '{b}', create_if_missing => false, replacement => '2');
SELECT lower(x => 'A');
SELECT nofunction(x => 1);
SELECT parse_ident('a.b c', strict => false);
