-- What programs are told of where they are, and what INTO STRICT tells.
create function inner_func(int) returns int as $$
declare _context text;
begin
  get diagnostics _context = pg_context;
  raise notice '***%***', _context;
  return 2 * $1;
end;
$$ language plpgsql;
create or replace function outer_func(int) returns int as $$
declare myresult int;
begin
  raise notice 'calling down into inner_func()';
  myresult := inner_func($1);
  raise notice 'inner_func() done';
  return myresult;
end;
$$ language plpgsql;
create or replace function outer_outer_func(int) returns int as $$
declare myresult int;
begin
  select outer_func($1) into myresult;
  perform inner_func(1);
  execute 'select inner_func(5)';
  return myresult;
end;
$$ language plpgsql;
select outer_outer_func(10);
do $$ declare c text; begin get current diagnostics c = pg_context; raise notice '%', c; end $$;
do $$ declare c text; begin get stacked diagnostics c = pg_context; raise notice '%', c; end $$;
create type xy_tuple as (x int, y int);
create function foreach_test(anyarray) returns void as $$ declare r record; begin foreach r in array $1 loop raise notice '%', r; end loop; end $$ language plpgsql;
select foreach_test(ARRAY[(10,20),(40,69),(35,78)]::xy_tuple[]);
select foreach_test(ARRAY[[(10,20),(40,69)],[(35,78),(88,76)]]::xy_tuple[]);
create or replace function foreach_test(anyarray) returns void as $$ declare x int; y int; begin foreach x, y in array $1 loop raise notice 'x = %, y = %', x, y; end loop; end $$ language plpgsql;
select foreach_test(ARRAY[(10,20),(40,69),null,(35,78)]::xy_tuple[]);
create or replace function foreach_test(anyarray) returns void as $$ declare v xy_tuple; begin foreach v in array $1 loop raise notice '% %', v, v.y; end loop; end $$ language plpgsql;
select foreach_test(ARRAY[(10,20),(40,69)]::xy_tuple[]);
do $$ begin assert 1=0, 'no'; end $$;
set plpgsql.check_asserts = off;
do $$ begin assert 1=0, 'no'; raise notice 'on'; end $$;
reset plpgsql.check_asserts;
create table foo (f1 int, f2 int); insert into foo values (1,2),(3,4),(5,6);
set plpgsql.print_strict_params to true;
create or replace function stricttest() returns void as $$
declare x record; p1 int := 2; p3 text := $a$'Valame Dios!' dijo$a$;
begin
  select * from foo where f1 = p1 and f1::text = p3 into strict x;
end$$ language plpgsql;
select stricttest();
create or replace function stricttest() returns void as $$
declare x record; p1 int := 2; p3 text := 'foo';
begin
  select * from foo where f1 > p1 or f1::text = p3 into strict x;
end$$ language plpgsql;
select stricttest();
create or replace function stricttest() returns void as $$
declare x record; begin select * from foo where f1 > 3 into strict x; end$$ language plpgsql;
select stricttest();
create or replace function stricttest() returns void as $$
declare x record; begin execute 'select * from foo where f1 = $1 or f1::text = $2' using 0, 'foo' into strict x; end$$ language plpgsql;
select stricttest();
create or replace function stricttest() returns void as $$
declare x record; begin execute 'select * from foo where f1 > $1' using 1 into strict x; end$$ language plpgsql;
select stricttest();
create or replace function stricttest() returns void as $$
#print_strict_params off
declare x record; p1 int := 2;
begin select * from foo where f1 > p1 into strict x; end$$ language plpgsql;
select stricttest();
reset plpgsql.print_strict_params;
create or replace function stricttest() returns void as $$
#print_strict_params on
declare x record; r foo; p1 int := 2;
begin r.f2 := 9; select * from foo where f1 > p1 and r.f2 = 9 and r.f1 is null into strict x; end$$ language plpgsql;
select stricttest();
-- what is computed each time it is asked for is no constant, though it is given some
create table taken (id int primary key); insert into taken values (3);
create function fails_writing() returns int language plpgsql as $$ begin insert into taken values (3); return 3; end $$;
create function fails_always() returns int immutable language plpgsql as $$ begin return 1 / 0; end $$;
create function fails_of(int) returns int stable language plpgsql as $$ begin return 1 / $1; end $$;
create function calls_writing() returns int language plpgsql as $$ begin return fails_writing(); end $$;
create function calls_always() returns int language plpgsql as $$ begin return fails_always(); end $$;
create function calls_of() returns int language plpgsql as $$ begin return fails_of(0); end $$;
select calls_writing(); select calls_writing(); select calls_always(); select calls_of(); select calls_of();
-- who handles an error is told of everything around, not only of what the error has come through
create function notes(text) returns text language plpgsql as $$
declare c text;
begin
  execute 'select ' || $1; return 'no error';
exception when others then
  get stacked diagnostics c = pg_exception_context; return c;
end $$;
create function takes_notes(text) returns text language plpgsql as $$
declare said text := notes($1);
begin return said || E'\n--\n' || (select notes($1)); end $$;
select notes('1 / 0'); select takes_notes('1 / 0'); select takes_notes('fails_writing()');
do $$ begin raise notice '%', takes_notes('fails_writing()'); end $$;
create function notes_of_rows() returns trigger language plpgsql as $$ begin new.said := notes('fails_writing()'); return new; end $$;
create table noted (id int, said text); create trigger t before insert on noted for each row execute function notes_of_rows();
insert into noted values (1); select * from noted;
create procedure note_it() language plpgsql as $$ begin insert into noted values (2); end $$;
call note_it(); select * from noted where id = 2;
