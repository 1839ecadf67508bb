-- A function that returns records runs once for each row that asks, whatever is made of the record.
create function one(i int, out a int, out b text) as $$ begin raise notice 'one %', i; a := i; b := 'x'; end $$ language plpgsql;
create function many(n int) returns table(a int, b text) as $$ begin raise notice 'many %', n; return query select g, 'z' || g from generate_series(1, n) g; end $$ language plpgsql;
select one(1);
select one(1)::text, to_json(one(2)), row_to_json(one(3)), to_jsonb(one(4));
select one(1) = row(1, 'x'::text), one(2) < row(3, 'a'::text);
select format('%s', one(1)), concat(one(2), '!'), length(one(3)::text), coalesce(one(4)::text, 'n');
select one(g) from generate_series(1, 2) g;
select many(2); select row_to_json(many(2)); select many(2)::text;
select count(*), max(v::text) from (select many(3) v) s;
select json_agg(v) from (select many(2) v) s; select array_agg(v::text) from (select many(2) as v offset 0) s;
select (one(5)).a; select (many(2)).b;
select case when true then one(6) end; select nullif(one(7)::text, 'x');
create table kept (r text); insert into kept select one(8)::text; insert into kept select many(2)::text; select * from kept order by 1;
create function stable_one(i int, out a int, out b text) stable as $$ begin a := i; b := 'y'; end $$ language plpgsql;
select stable_one(1), row_to_json(stable_one(2));
