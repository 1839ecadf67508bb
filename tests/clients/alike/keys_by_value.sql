-- Keys of types whose equal values may differ: each is found, and refused, by any of them; rows keep what was written.
create type pair as (a numeric, b text);
create type span as range (subtype = interval);
create domain amount as numeric;
create table samples (n serial, t text, a text, b text, c text);
insert into samples (t, a, b, c) values ('numeric', '1.0', '1.00', '2'), ('numeric', '0', '0.000', '1'), ('numeric', 'NaN', 'NaN', '1'),
 ('numeric(10,2)', '1.0', '1.00', '2'), ('float8', '0', '-0', '1'), ('float4', '0', '-0', '1'), ('interval', '1 day', '24:00', '1 mon'),
 ('interval', '1 mon', '30 days', '31 days'), ('char(5)', 'a', 'a  ', 'b'), ('bpchar', 'a', 'a  ', 'b'),
 ('timetz', '10:00+00', '10:00:00+00:00', '11:00+01'), ('jsonb', '{"a": [1.0, "1.0"]}', '{"a": [1.00, "1.0"]}', '{"a": [1.0, "1.00"]}'),
 ('bit varying', '101', '101', '1010'), ('macaddr', '08:00:2b:01:02:03', '08002b010203', '08:00:2b:01:02:04'),
 ('inet', '10.0.0.1', '10.0.0.1/32', '10.0.0.1/24'), ('cidr', '10.0.0.0/8', '10/8', '10.0.0.0/16'),
 ('numeric[]', '{1.0,NULL}', '{1.00,NULL}', '{1}'), ('float8[]', '{0,NaN}', '{-0,NaN}', '{NaN,0}'), ('interval[]', '{1 day}', '{24:00}', '{25:00}'),
 ('bpchar[]', '{a}', '{"a "}', '{b}'), ('jsonb[]', '{"1.0"}', '{"1.00"}', '{"2"}'), ('pair', '(1.0,)', '(1.00,)', '(1,y)'),
 ('numrange', '[1.0,2.0)', '[1.00,2)', '[1,2]'), ('nummultirange', '{[1.0,2.0)}', '{[1.00,2)}', '{}'), ('int4range', '[1,2]', '[1,3)', '[1,4)'),
 ('span', '["1 day","2 days")', '["24:00","48:00")', '[,"1 day"]'), ('amount', '1.0', '1.00', '2'), ('uuid', '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-00000000000A', '00000000-0000-0000-0000-00000000000b');
\set VERBOSITY verbose
select format(s, t, a, b, c) from samples, unnest(array[
$$create table p (r %1$s primary key, v int)$$,
$$insert into p values (%2$L, 1), (%3$L, 2)$$,
$$insert into p values (%2$L, 1)$$,
$$insert into p values (%3$L, 2)$$,
$$insert into p select %3$L::%1$s, 2$$,
$$insert into p values (%4$L, 3), (%3$L, 4) on conflict (r) do update set v = p.v + 10, r = excluded.r$$,
$$select * from p order by v$$,
$$select v from p where r = %2$L::%1$s$$,
$$select v from p where r in (%2$L::%1$s, %4$L::%1$s) order by v$$,
$$create table f (n int, r %1$s references p on update cascade on delete cascade, unique (r, n))$$,
$$insert into f values (1, %2$L), (2, %3$L), (3, %4$L)$$,
$$insert into f values (1, %3$L)$$,
$$insert into f select n, %3$L::%1$s from generate_series(2, 6) n$$,
$$insert into f values (1, %3$L), (7, %3$L) on conflict do nothing returning n$$,
$$select count(*) from f join p using (r)$$,
$$select count(*), count(distinct r) from f$$,
$$select r is not distinct from %2$L::%1$s, count(*) from f group by r order by 2, 1$$,
$$select distinct count(*) over (partition by r) from f order by 1$$,
$$update p set r = %2$L where r = %3$L::%1$s$$,
$$merge into p using (select %3$L::%1$s as r) s on p.r = s.r when matched then update set v = 100 when not matched then insert values (s.r, 7)$$,
$$delete from p where r = %3$L::%1$s$$,
$$select n from f$$,
$$insert into f values (8, %2$L)$$,
$$alter table p drop constraint p_pkey cascade$$,
$$insert into p values (%2$L, 5), (%3$L, 6)$$,
$$create unique index on p (r) where v < 6$$,
$$insert into p values (%3$L, 4)$$,
$$alter table p add unique (r, v), add exclude using btree (r with =)$$,
$$delete from p where v = 5$$,
$$alter table p add constraint again unique (r)$$,
$$update p set r = %4$L$$,
$$drop table p, f$$
]) with ordinality u(s, i) order by n, i \gexec
