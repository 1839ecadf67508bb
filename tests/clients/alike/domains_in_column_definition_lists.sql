-- Column definition lists that say domains.
create domain pct as numeric(6,2) check (value between 0 and 100); create domain em as text; create domain ia as int[];
create table o (p pct, e em, a ia); insert into o values (1.5, 'x', '{1,2}'), (null, null, null);
create function r1() returns setof record language plpgsql as $$ begin return query select * from o; end $$;
select * from r1() as (a pct, b em, c ia); select pg_typeof(a), pg_typeof(b), pg_typeof(c), a + 1, b || 'z', c[1] from r1() as (a pct, b em, c ia);
create function r2() returns setof record language sql as $$ select * from o $$; select * from r2() as (a pct, b em, c ia); select pg_typeof(a), pg_typeof(b), pg_typeof(c), c[2] from r2() as (a pct, b em, c ia);
create function r3() returns record language sql as $$ select 5::pct, 'y'::em $$; select * from r3() as (a pct, b em); 
select * from r1() as (a pct, b em); create table made as select * from r1() as (a pct, b em, c ia); \d made
