\set SHOW_CONTEXT errors
-- Variables that must not change: not by CALL either.
create procedure doubled(inout n int) language plpgsql as $$ begin n := n * 2; end $$;
do $$ declare x constant int := 3; begin call doubled(x); raise notice '%', x; end $$;
do $$ declare x int := 3; begin call doubled(x); raise notice '%', x; end $$;
-- NOT NULL without a default.
do $$ declare x int not null; begin null; end $$;
do $$ declare
  x   record not null; begin null; end $$;
