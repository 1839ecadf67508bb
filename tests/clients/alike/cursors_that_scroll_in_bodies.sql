-- FETCH and MOVE of PL/pgSQL in all directions, arguments of cursors by name, and what diagnostics tell.
create table t(id int primary key, a text);
insert into t select i, 'r'||i from generate_series(1,6) i;
create view v as select id, upper(a) as b from t;
do $$ declare r v%rowtype; begin select * into r from v where id=2; raise notice '% %', r, r.b; r.b := 'z'; raise notice '%', r; end $$;
create function fv() returns v language plpgsql as $$ declare r v%rowtype; begin r.id := 5; r.b := 'q'; return r; end $$;
select * from fv();
select fv();
create function fvs() returns setof v language plpgsql as $$ declare r v%rowtype; begin for r in select * from v loop r.b := r.b || '!'; return next r; end loop; end $$;
select * from fvs();
create function gv(x v) returns text language plpgsql as $$ begin return x.b; end $$;
select gv(v) from v;
select gv(v.*) from v where id < 3;
do $$ declare r v; begin r := row(1, 'x'); raise notice '%', r; select v.* into r from v limit 1; raise notice '%', r.b; end $$;
create schema s; 
create function s.off(i int) returns int language plpgsql as $$ begin return 1/i; end $$;
select s.off(0);
do $$ declare a text; b text; c text; d text; e text; f text; g text; h text; i text; j text;
begin
  begin
    insert into t values (1, 'dup');
  exception when others then
    get stacked diagnostics a = returned_sqlstate, b = message_text, c = pg_exception_detail, d = pg_exception_hint, e = pg_exception_context, f = column_name, g = constraint_name, h = pg_datatype_name, i = table_name, j = schema_name;
    raise notice '%|%|%|%|%|%|%|%|%|%', a,b,c,d,e,f,g,h,i,j;
  end;
  begin
    insert into t values (null, 'dup');
  exception when others then
    get stacked diagnostics a = returned_sqlstate, b = message_text, c = pg_exception_detail, d = pg_exception_hint, e = pg_exception_context, f = column_name, g = constraint_name, h = pg_datatype_name, i = table_name, j = schema_name;
    raise notice '%|%|%|%|%|%|%|%|%|%', a,b,c,d,e,f,g,h,i,j;
  end;
  begin
    raise exception 'x' using column = 'c', constraint = 'd', datatype = 'e', table = 'f', schema = 'g', hint='h', detail='i';
  exception when others then
    get stacked diagnostics a = returned_sqlstate, b = message_text, c = pg_exception_detail, d = pg_exception_hint, e = pg_exception_context, f = column_name, g = constraint_name, h = pg_datatype_name, i = table_name, j = schema_name;
    raise notice '%|%|%|%|%|%|%|%|%|%', a,b,c,d,e,f,g,h,i,j;
  end;
end $$;
create domain pos as int check (value > 0);
do $$ declare x pos; h text; g text; j text; begin x := 0; exception when others then
    get stacked diagnostics g = constraint_name, h = pg_datatype_name, j = schema_name; raise notice '%|%|%', g, h, j; end $$;
select 0::pos;
do $$ declare c cursor for select * from t order by id; r t; x int;
begin
 open c;
 fetch last from c into r; raise notice '%', r;
 fetch prior from c into r; raise notice '%', r;
 fetch first from c into r; raise notice '%', r;
 fetch absolute 3 from c into r; raise notice '%', r;
 fetch relative 2 from c into r; raise notice '%', r;
 fetch relative -1 from c into r; raise notice '%', r;
 fetch backward from c into r; raise notice '%', r;
 fetch absolute 17 from c into r; raise notice '% %', r, found;
 move first from c; fetch c into r; raise notice '%', r;
 move forward 2 from c; fetch c into r; raise notice '%', r;
 move backward all from c; fetch c into r; raise notice '%', r;
 move all in c; get diagnostics x = row_count; raise notice '% %', x, found;
 fetch c into r; raise notice '% %', r, found;
 fetch forward 1 from c into r;
 move relative 0 from c; 
 close c;
end $$;
do $$ declare c no scroll cursor for select * from t order by id; r t;
begin open c; fetch c into r; fetch prior from c into r; end $$;
do $$ declare c refcursor; r t; begin open c no scroll for select * from t order by id; fetch next from c into r; fetch first from c into r; end $$;
do $$ declare c refcursor; r t; begin open c scroll for execute 'select * from t order by id'; fetch last from c into r; raise notice '%', r; fetch absolute -2 from c into r; raise notice '%', r; move -2 from c; fetch c into r; raise notice '%', r; end $$;
do $$ declare c refcursor; r t; begin open c for select * from t order by id; fetch 2 from c into r; end $$;
do $$ declare c refcursor; r t; begin open c for select * from t order by id; fetch all from c into r; end $$;
do $$ declare c cursor (lo int, hi int) for select * from t where id between lo and hi order by id; r t; begin open c(hi := 4, lo := 2); fetch c into r; raise notice '%', r; close c; open c(3, hi := 5); fetch c into r; raise notice '%', r; close c; for q in c(lo := 5, hi := 6) loop raise notice '%', q; end loop; end $$;
do $$ declare c cursor (lo int, hi int) for select 1; begin open c(lo := 4, lo := 2); end $$;
do $$ declare c cursor (lo int, hi int) for select 1; begin open c(lo := 4, zz := 2); end $$;
do $$ declare c cursor (lo int, hi int) for select 1; begin open c(4, lo := 2); end $$;
do $$ declare c cursor (lo int, hi int) for select 1; begin open c(lo := 2); end $$;
do $$ declare c cursor (lo int, hi int) for select 1; begin open c; end $$;
create function rc() returns refcursor language plpgsql as $$ declare c refcursor := 'cc'; r t; begin open c for select * from t order by id; fetch c into r; fetch c into r; return c; end $$;
begin; select rc(); fetch next from cc; fetch prior from cc; fetch backward 5 from cc; fetch all from cc; commit;
begin; select rc(); do $$ declare c refcursor := 'cc'; r t; begin fetch last from c into r; raise notice '%', r; move backward 2 from c; fetch c into r; raise notice '%', r; end $$; commit;
select * from t order by id;
-- what fails under a function that is off the path says where
create function s.tells(i int) returns text language plpgsql as $$ declare c text; begin perform s.off(i); return 'ok'; exception when others then get stacked diagnostics c = pg_exception_context; return c; end $$;
select s.tells(0);
