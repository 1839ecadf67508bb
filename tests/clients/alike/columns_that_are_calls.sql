-- A function of a row said as its column, and a column said as a function: how PostgREST names computed columns.
create table people (id int primary key, fn text, ln text);
insert into people values (1, 'Ada', 'L'), (2, 'Alan', 'T');
create function full_name(people) returns text language sql stable as $$ select $1.fn || ' ' || $1.ln $$;
create function others(people) returns setof people language sql stable as $$ select * from people where id <> $1.id $$;
create function initials(p people) returns text language plpgsql as $$ begin return left(p.fn, 1) || left(p.ln, 1); end $$;
create function wrong(p people) returns text language plpgsql as $$ begin return p.full_name; end $$;
select p.id, p.full_name, p.initials from people p order by p.full_name;
select people.full_name from people where people.full_name like 'Al%';
select "public"."people"."full_name" from "public"."people" order by 1;
select full_name from people; select p.wrong from people p;
select id(p), fn(p.*), full_name(p) from people p order by id(p);
select fn(row(1, 'a', 'b')::people), (row(1, 'a', 'b')::people).full_name;
select p.others from people p where p.id = 1; select (p.others).fn, (p.others).full_name from people p where p.id = 1;
select fn(others(p)), (p).full_name, (p.*).full_name from people p where p.id = 1;
select p.row_to_json, p.count from people p group by p.id order by 1;
select count(*) as n, p.full_name from people p group by p.full_name having p.full_name > '' order by 2;
update people set ln = people.initials where id = 1 returning people.full_name;
create view shown as select p.full_name as whole, p.id from people p; select * from shown order by 2;
prepare one as select p.full_name from people p where p.id = $1; execute one(2);
select p.nosuch from people p; select p.idd from people p; select upper(p.nosuch) from people p;
select p.upper from people p; select p.text from people p; select p.name from people p; select p.date from people p;
select nosuch(p) from people p; select public.nosuch(p) from people p; select nosuch(1); select (1).x; select (p.others).nosuch from people p;
select s.id, s.full_name from (select * from people) s order by 1;

-- A plus before a name leaves nothing of it.
select +n, + (n), - n, + +n, +n::int, +abs(n), (+n)::int8, +n + 1, n from (values (3)) v(n);
select * from (select +n from (values (3)) v(n)) s order by 1;
