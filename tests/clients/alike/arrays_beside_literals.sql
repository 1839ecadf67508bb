-- Beside an array in ARRAY[...] a literal, or a parameter without a type, is an array as well, cast or not (psycopg2 writes lists of nulls so).
select array['{NULL,NULL}', array[1,null]]::int[];
select array[array[1,null], '{2,3}']::text[];
select array['{1,2}', '{3,4}']::int[];
select array[array[array[1]], '{{2}}']::int[];
select array[array['{1}', array[2]], array[array[3], '{4}']]::int[];
select array[null, array[1,2]]::int[];
select array['x', array[1]]::int[];
select array['{1}', array[1,2]]::int[];
select array['{NULL,NULL}', array[1,null]::int[]]::int[];
prepare p as select array[$1, array[1,2]]::int[]; execute p('{3,4}');
select array['{NULL,NULL}', array[1,null]]; select array[array['a'], null]::text[];
