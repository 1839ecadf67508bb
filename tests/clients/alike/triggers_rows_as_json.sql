-- Rows as JSON in triggers, and rows that are not there: OLD of an INSERT, NEW of a DELETE.
set timezone = 'Europe/Berlin';
create table j (id int primary key, b bool, n numeric(10,2), f float8, t text, v varchar(10), c char(5), u uuid, d date, ts timestamp, tz timestamptz, js json, jb jsonb, "Odd ""name" int);
create table l (n serial primary key, a jsonb, b jsonb, c json, d json);
create function lg() returns trigger language plpgsql as $$ begin insert into l (a,b,c,d) values (to_jsonb(old), to_jsonb(new), row_to_json(new), to_json(old)); return null; end $$;
create trigger lg after insert or update or delete on j for each row execute function lg();
insert into j values (1, true, 1.50, 1.5e10, 'x "y" \ é' || chr(10), 'v', 'ab', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '2024-02-29', '2024-02-29 12:00:00.5', '2024-07-01 00:00+00', '{"a":  1}', '{"b":  1, "a": 2}', 7);
insert into j (id) values (2);
update j set f = 'nan', n = null, d = 'infinity', ts='-infinity' where id = 1;
update j set tz = '2024-01-01 00:00:00.123456+05:30' where id = 1;
delete from j where id = 2;
select * from l order by n;
create function ch() returns trigger language plpgsql as $$ begin
 raise notice '% old null % new null % distinct % same %', tg_op, old is null, new is null, old is distinct from new, old = new;
 raise notice '% %', old, new;
 return coalesce(new, old); end $$;
create table k (a int, b text);
create trigger ch before insert or update or delete on k for each row execute function ch();
insert into k values (1, 'x');
insert into k values (null, null);
update k set b = b;
update k set b = 'y' where a = 1;
delete from k;
