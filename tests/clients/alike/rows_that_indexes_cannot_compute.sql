-- An index refuses rows that it cannot be computed of, from when it is made until it goes: written one by one, many at once, by COPY and MERGE.
create table e (a int, b text, d jsonb, n numeric(6,2), ts timestamptz default '2020-01-01 00:00+00');
create index ei on e ((1/a));
insert into e values (0,'x');
insert into e values (1,'x'),(0,'y');
insert into e(a) select g from generate_series(-2,2) g;
select a, b from e;
insert into e values (2,'z'), (null, 'n'); update e set a = 0; update e set a = a - 2 where b = 'z'; select a, b from e order by b;
insert into e values (0) on conflict do nothing;
merge into e using (values (0)) v(x) on false when not matched then insert (a) values (v.x);
copy e (a) from stdin;
3
0
\.
begin; insert into e values (7); savepoint s; insert into e values (0); rollback to s; commit; select a, b from e order by a;
drop index ei; insert into e(a,b) values (0,'q'); create index ei on e ((1/a));
delete from e where a = 0; create index ei on e ((1/a)); reindex index ei; insert into e values (0); drop index ei;
create index ep on e ((1/a)) where a <> 0; insert into e(a, b) values (0,'r'), (5,'s'); drop index ep;
create index epp on e (a) where 10/a > 1; insert into e(a,b) values (0,'p'); delete from e where a = 0; create index epp on e (a) where 10/a > 1; insert into e(a,b) values (0,'p'); drop index epp;
truncate e; create index e2 on e ((b::int)); insert into e(a,b) values (1,'abc'); insert into e(a,b) values (1,'12'); update e set b = 'x'; update e set b = b || '3'; select b from e;
create table j (id serial primary key, d jsonb); create index on j (((d->>'age')::int)); create index on j ((d->>'name')); create index on j (((d->'tags'->>0)::date));
insert into j(d) values ('{"age": "x"}'); insert into j(d) values ('{"age": 5, "name": "q"}'), ('{"age": "7"}'), ('{}'), (null); insert into j(d) values ('{"tags": ["nodate"]}'); insert into j(d) values ('{"tags": ["2020-01-01"]}');
update j set d = jsonb_set(d, '{age}', '"old"') where id = 2; update j set d = jsonb_set(d, '{age}', '8') where (d->>'age')::int = 5 returning d; select d from j order by id; insert into j(d) select jsonb_build_object('age', 'k' || g) from generate_series(1,3) g;
insert into j(id, d) values (2, '{"age": 1}') on conflict (id) do update set d = '{"age": "bad"}'; insert into j(id, d) values (2, '{"age": 1}') on conflict (id) do update set d = excluded.d returning d;
create index on e using gin (to_tsvector('english', b)); create index on e (lower(b), date_trunc('day', ts at time zone 'UTC')); insert into e(b) values ('77');
create table f (a float8); create index on f (sqrt(a)); insert into f values (-1); insert into f values (4); create index on f (ln(a)); insert into f values (0); select * from f;
create table big (a int); create index on big ((a + 1)); insert into big values (2147483647); insert into big values (2147483646);
create table pt (k int, a int) partition by list (k); create table p1 partition of pt for values in (1); create table p2 partition of pt for values in (2); create index on pt ((1/a)); insert into pt values (1,0); insert into pt values (2,1),(1,0); insert into p2 values (2,0); update pt set a = 0; insert into pt values (1,1); update pt set k = 2, a = 0; select * from pt;
create function inv(int) returns int language sql immutable as 'select 10/$1'; create table fu (a int); create index on fu (inv(a)); 
create temp table tt (a int); create index on tt ((1/a)); insert into tt values (0); insert into tt values (1);
prepare p(int) as insert into tt values ($1); execute p(2); execute p(0); select * from tt;
-- A row that ON CONFLICT does not write is not computed, also where that takes a query or triggers are there.
create table oc (id int primary key, a int, b float8 default 1); create index on oc ((1/a)); create index on oc (acos(b)); insert into oc values (1,1);
insert into oc values (1,0) on conflict do nothing; insert into oc values (1,0,5) on conflict (id) do update set a = 5; insert into oc values (1,5) on conflict (id) do update set a = 0; insert into oc values (2,0) on conflict do nothing; insert into oc values (2,1,3) on conflict (id) do nothing; select * from oc;
insert into oc select g, 0, 7 from generate_series(1,1) g on conflict (id) do update set a = oc.a + 1; insert into oc select g, 0, 7 from generate_series(1,2) g on conflict (id) do update set a = oc.a + 1; select * from oc;
create function same() returns trigger language plpgsql as $$ begin return new; end $$; create trigger s before insert on oc for each row execute function same();
insert into oc values (1,0,5) on conflict do nothing; insert into oc values (3,0) on conflict do nothing; insert into oc values (3,1,5) on conflict do nothing; insert into oc values (3,1) on conflict do nothing; select * from oc order by id;
-- Partitions' rows are asked from when the index of the table above is there, and before a table with rows becomes a partition.
create table dp (a int, b int) partition by list (a); create table dp1 partition of dp for values in (1); create table dp3 (a int, b int);
insert into dp values (1, 1); insert into dp1 values (1, 2); insert into dp3 values (3, 1); insert into dp1 select 1, 5; insert into dp select 1, 6;
create index dpi on dp ((1/b)); insert into dp values (1, 0); insert into dp1 values (1, 0); insert into dp1 select 1, 0; insert into dp select 1, 0; update dp set b = 0; update dp1 set b = 0 where b = 1;
alter table dp attach partition dp3 for values in (3); insert into dp3 values (3, 0); insert into dp values (3, 0);
drop index dpi; insert into dp1 values (1, 0); insert into dp values (1, 0); insert into dp3 values (3, 0); select * from dp order by 1, 2;
create table dp4 (a int, b int); insert into dp4 values (4, 0); create index dpi on dp ((1/b)) where a > 3; alter table dp attach partition dp4 for values in (4); update dp4 set b = 1; alter table dp attach partition dp4 for values in (4); insert into dp values (4, 0); select * from dp where a > 3;
