-- FOR over a cursor opens it by its name: what is in the loop fetches from it, and does not close it. And what CALL may be given.
create table t1 (k int primary key, v text); insert into t1 values (1,'a'),(2,'b'),(3,'c');
create procedure pr(x int, inout y text) language plpgsql as $$ begin y := coalesce(y, '') || coalesce(x, -1); end $$;
do $$ declare a int[] := '{4,5}'; ta text[] := '{x,y}'; r record; t text := 'z'; j int := 2; begin
call pr(a[j], t); raise notice '%', t;
call pr(a[1], t); raise notice '%', t;
call pr(case when j > 1 then a[j] end, t); raise notice '%', t;
call pr((a[1:2])[2], ta[1]); raise notice '%', ta;
end $$;
do $$ declare t text; begin call pr((select 1), t); end $$;
call pr((select 1), 'a');
call pr(1 + (select 1), 'a');
do $$ declare c1 cursor for select k, v from t1 order by k; r record; s record; begin
for r in c1 loop raise notice 'r %', r; fetch c1 into s; raise notice 's %', s; end loop; end $$;
do $$ declare c1 cursor for select k, v from t1 order by k; r record; begin
for r in c1 loop update t1 set v = v || '!' where current of c1; end loop; end $$;
table t1;
do $$ declare c1 cursor for select k, v from t1 order by k; r record; s record; begin
for r in c1 loop for s in c1 loop null; end loop; end loop; end $$;
do $$ declare c1 cursor for select k, v from t1 order by k; r record; s record; begin
for r in c1 loop close c1; end loop; end $$;
do $$ declare c1 cursor for select k, v from t1 order by k; r record; begin
for r in c1 loop raise notice '%', c1; move c1; end loop; raise notice '%', c1; end $$;
do $$ declare c1 cursor for select k, v from t1 order by k; r record; begin
c1 := 'mine'; for r in c1 loop raise notice '%', c1; exit; end loop; raise notice '%', c1; open c1; close c1; end $$;
do $$ declare c1 cursor for select k, v from t1 order by k; r record; begin
open c1; for r in c1 loop null; end loop; end $$;
do $$ begin assert false, ''; end $$;
