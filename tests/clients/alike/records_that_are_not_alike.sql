-- Records of unlike columns are compared up to where they differ; what comes before may decide, and no record is no error.
select r = s, r <> s, r is distinct from s, r is not distinct from s from (values (row(1, 2))) a(r), (values (row(2))) b(s);
select r = s from (values (row(1, 2))) a(r), (values (row(1))) b(s);
select r < s, s < r from (values (row(1, 2))) a(r), (values (row(3, 'a'::text))) b(s);
select r < s from (values (row(3, 2))) a(r), (values (row(3, 'a'::text))) b(s);
select r is distinct from s, r is not distinct from s
from (values (1, row(1, 2)), (2, null)) a(i, r), (values (1, row(3, 'a'::text)), (2, null)) b(j, s) order by i, j;
select r = s from (values (row(1, 2))) a(r), (values (row('a'::text, 2))) b(s);
select count(*) from (values (row(1, 2))) a(r), (values (row('a'::text, 2))) b(s) where false and r = s;

create table wide(id int, name text, n int, d date);
create function of_nothing() returns text language plpgsql as $$
declare x record; y record;
begin
  select * into x from wide;
  select 1 into y;
  return concat(x is distinct from y, y is distinct from x, x is not distinct from y, x = y, x is null);
end $$;
select of_nothing();
create function fetched(a refcursor, b refcursor) returns text language plpgsql as $$
declare x record; y record; there bool;
begin
  fetch a into x; there := found; fetch b into y;
  if x is distinct from y or there <> found then return 'differ'; end if;
  return 'alike';
exception when datatype_mismatch then return sqlerrm;
end $$;
begin;
declare c cursor for select * from wide;
declare d cursor for select 1 as i;
declare e cursor for select 'a'::text, 2;
select fetched('c', 'd');
move absolute 0 d;
select fetched('d', 'e');
commit;
