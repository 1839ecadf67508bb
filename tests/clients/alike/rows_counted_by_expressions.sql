-- ROW_COUNT is of the last statement, or of the last expression that is a query; one over variables counts nothing.
create table t (id int primary key, a int);
insert into t select g, g from generate_series(1, 5) g;
do $$
declare n int; x int := (select 1); s text;
begin
  get diagnostics n = row_count; raise notice 'declared %', n;
  update t set a = a; get diagnostics n = row_count; raise notice 'updated %', n;
  x := (select max(a) from t); get diagnostics n = row_count; raise notice 'assigned %', n;
  update t set a = a; if exists (select from t) then get diagnostics n = row_count; raise notice 'if %', n; end if;
  update t set a = a; x := count(*) from t; get diagnostics n = row_count; raise notice 'from %', n;
  update t set a = a; x := n from t where false; get diagnostics n = row_count; raise notice 'no row %', n;
  update t set a = a; for x in select a from t loop null; end loop; get diagnostics n = row_count; raise notice 'loop %', n;
  update t set a = a; x := 5 + n; get diagnostics n = row_count; raise notice 'plain %', n;
  update t set a = a; s := 'select from ' || x; get diagnostics n = row_count; raise notice 'string %', n;
  update t set a = a; x := extract(year from date '2024-01-01'); get diagnostics n = row_count; raise notice 'extract %', n;
  update t set a = a; if x is distinct from n then get diagnostics n = row_count; raise notice 'distinct from %', n; end if;
  update t set a = a; raise notice 'said %', (select 1 where false); get diagnostics n = row_count; raise notice 'raise %', n;
  update t set a = a; x := (array[1, 2])[(select 1)]; get diagnostics n = row_count; raise notice 'within %', n;
  update t set a = a; for x in 1..(select 2) loop null; end loop; get diagnostics n = row_count; raise notice 'bound %', n;
  update t set a = a; case (select 1) when 1 then null; end case; get diagnostics n = row_count; raise notice 'case %', n;
end $$;
