-- Longer than Python reads unasked, and shorter than a number may be.
SELECT length(repeat('9', 5000)::numeric::text);
SELECT repeat('9', 5000)::int;
SELECT repeat('9', 5000)::bigint;
SELECT repeat('9', 5000)::smallint;
SELECT repeat('9', 5000)::money;
SELECT ('[' || repeat('9', 5000) || ']')::jsonb -> 0 IS NULL, (('[' || repeat('9', 5000) || ']')::jsonb ->> 0)::numeric > 5;
SELECT (('[' || repeat('9', 5000) || ']')::jsonb -> 0)::numeric IS NULL;
SELECT '[1]'::jsonb #>> ARRAY[repeat('9', 5000)];
SELECT format('%' || repeat('9', 5000) || 's', 'x');
SELECT to_date(repeat('9', 5000), 'YYYY');
SELECT ('{' || repeat('9', 5000) || '}')::int[];
DO $$ DECLARE n text := repeat('9', 5000); z text := repeat('0', 5000); v text;
BEGIN
  EXECUTE 'SELECT length((' || n || ' * 2)::text) || '' '' || (000' || z || '7 + 1) || (-000' || z || '7)' INTO v;
  RAISE NOTICE '%', v;
END $$;
DO $$ BEGIN EXECUTE 'SELECT ' || repeat('9', 5000) || '::int'; END $$;
