-- Functions of one name for the rows of several tables: whose row is given says which is meant.
create table people(id int, name text); create table staff(boss text) inherits (people); create table guests(id int, name text);
create type named as (id int, name text); create table pets of named; create view shown as select * from people;
insert into staff values (1, 'ann', 'bo'); insert into guests values (2, 'cy'); insert into pets values (3, 'rex');
create function title(people) returns text language sql as $$ select 'person ' || $1.name $$;
create function title(guests) returns text language sql as $$ select 'guest ' || $1.name $$;
create function title(named) returns text language sql as $$ select 'named ' || $1.name $$;
select title(p), p.title from people p; select title(s), s.title from staff s; select title(g), g.title from guests g order by g.title; select title(p) from pets p;
select title(s) from shown s; select title(null::staff); select title(row(1, 'x')); select title(null);
create function title(staff) returns text language sql as $$ select 'staff ' || $1.boss $$;
select title(s), s.title from staff s; select title(p) from people p; drop function title(staff); select title(s) from staff s;
create function only_people(people) returns int language sql as $$ select $1.id $$; select only_people(g) from guests g; select only_people(s) from shown s; select only_people(s) from staff s;
create function listed(people[]) returns int language sql as $$ select cardinality($1) $$; create function listed(guests[]) returns int language sql as $$ select -cardinality($1) $$;
select listed(array_agg(p)) from people p; select listed(array_agg(g)) from guests g; select listed(array_agg(s)) from staff s;
create procedure told(p people) language plpgsql as $$ begin raise notice '%', p; end $$; create procedure told(g guests) language plpgsql as $$ begin raise notice 'guest %', g; end $$;
call told(row(1, 'x', 'y')::staff); call told(null::staff); call told(row(1, 'x')::guests); call told(row(1, 'x'));
do $$ declare s staff; g guests; begin select * into s from staff; select * into g from guests; raise notice '% %', title(s), title(g); call told(s); call told(g); end $$;
create function both_of(a people, b people) returns text language sql as $$ select 'pp' $$; create function both_of(a people, b staff) returns text language sql as $$ select 'ps' $$;
select both_of(s, s) from staff s; select both_of(p, p) from people p; select both_of(g, g) from guests g;
update guests set name = title(guests) returning title(guests), guests.title; select title(g), count(*) from guests g group by title(g);
-- A parameter's fields are what its star is, and a function that is strict is not called where an argument is known to be NULL: neither are the others computed.
create function fields_of(p people) returns people language sql as $$ select p.* $$; create function more_of(p people) returns table(a int, b text, c int) language sql as $$ select p.*, 1 $$;
select fields_of(p), (fields_of(p)).name from people p; select * from people p, more_of(p); select fields_of(null), fields_of(null) is null;
create sequence s; create function strict_sum(a bigint, b int) returns bigint language sql strict as $$ select a + b $$; create function strict_sum_too(a bigint, b int) returns bigint language plpgsql strict as $$ begin return a + b; end $$;
select strict_sum(nextval('s'), null), strict_sum_too(nextval('s'), null), pg_typeof(strict_sum(null, 1)); select nextval('s');
-- The rows of a function are of the table whose rows it returns.
create function guests_from(n int) returns setof guests language sql stable as $$ select * from guests where id >= n $$; create function guests_run() returns setof guests language plpgsql as $$ begin return query select * from guests; end $$;
select title(g), g.title, pg_typeof(g) from guests_from(1) g; select title(g), g.name from guests_run() g; select title(guests_from) from guests_from(1); select g from guests_from(1) g union all select g from guests g; select title(s) from people p left join guests_from(9) s on true;
create view of_function as select g, title(g), g.title as again from guests_from(1) g; select pg_get_viewdef('of_function'); select * from of_function; select (g).name, pg_typeof(g) from of_function;
