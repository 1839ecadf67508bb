-- Domains whose conditions call functions in PL/pgSQL, and functions whose body is a query.
create function is_mail2(text) returns boolean language plpgsql immutable as $$ begin return $1 like '%@%'; end $$;
create table okays (a int); insert into okays values (1), (2);
create function is_okay(int) returns boolean language sql stable as 'select $1 in (select a from okays)';
create domain mail as text check (is_mail2(value));
create domain okay as int check (is_okay(value));
select 'a@b'::mail;
select 'ab'::mail;
select 1::okay, null::okay;
select 3::okay;
create table dt (id int primary key, m mail, o okay);
insert into dt values (1, 'x@y', 1);
insert into dt values (2, 'xy', 1);
insert into dt values (2, 'x@y', 7);
insert into dt select i, 'x@' || i, 2 from generate_series(10, 2000) i;
insert into dt select i, 'x' || i, 2 from generate_series(3010, 5000) i;
update dt set m = 'q' where id = 1;
update dt set o = o + 1 where id = 10;
update dt set o = o + 1 where id = 1 returning *;
copy dt from stdin;
9	nomail	1
\.
select count(*) from dt;
do $$ declare m mail; begin m := 'a@b'; m := 'ab'; end $$;
create function takes(m mail) returns text language sql as 'select m || ''!''';
select takes('a@b');
select takes('ab');
prepare p as insert into dt values ($1, $2, $3);
execute p(20000, 'ab', 1);
execute p(20000, 'ab@', 1);
alter domain mail add check (is_mail2(value || 'x'));
