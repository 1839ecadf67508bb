-- A body that answers otherwise each time is asked for each row, and once.
create table o(id int primary key, name text); insert into o values (0,'updated'),(1,'b'),(2,'c');
create sequence s;
create function f(out a bigint, out b int) language sql as $$select nextval('s'), 2$$;
create function g() returns bigint language sql as $$select nextval('s')$$;
create function h(i int) returns bigint language sql as $$select nextval('s') + i$$;
create function k(i int, out a bigint, out b int) language sql as $$select nextval('s'), i$$;
create function m() returns setof bigint language sql as $$select nextval('s') union all select nextval('s')$$;
create function r(out a float, out b int) language sql as $$select random(), 2$$;
select g() from o; select h(10) from o; select k(1) from o; select k(id) from o order by id; select m() from o; select (f()).a from o; select id, x.* from o, f() x; select id, x.* from o, k(id) x order by id; select count(distinct (r()).a) from o; select count(distinct r()) from o; select currval('s');
select f() from generate_series(1,3);
select id, (k(id)).a from o order by 1;
select f() from o;
create function say(i int) returns int language plpgsql as $$ begin raise notice 'called %', i; return i; end $$;
create function w_f() returns setof record language sql as 'select say(1)';
create function w_g() returns setof int language sql as 'select say(2)';
create function w_h(out a int, out b int) returns setof record language sql as 'select say(3), 2';
create function w_i(out a int, out b int) language sql as 'select say(4), 2';
select w_f(); select w_g(); select w_h(); select * from w_h(); select w_i(); select (w_i()).*; select (w_i()).a; select w_i() from o; 
