-- Upserts look at the key that ON CONFLICT names before others; what catalogs say of domains and of indexes' classes of operators.
create domain txt as text collate "C" not null default 'x';
create domain dbad as int collate "C"; create domain dbad as text collate nope;
\dD
create table t1(a varchar(10), b text, c char(3), d jsonb, e text[]);
create index i1 on t1 (a varchar_pattern_ops, b text_pattern_ops desc, c bpchar_pattern_ops);
create index i2 on t1 using gin (d); create index i3 on t1 using gin (d jsonb_path_ops); create index i4 on t1 using gin (e); create index i5 on t1 using hash(b); create index i6 on t1 using brin (b);
create index i7 on t1(a,b,c);
select i.relname, amname, (select array_agg(opcname order by n) from unnest(indclass::oid[]) with ordinality u(o,n) join pg_opclass oc on oc.oid = u.o) from pg_index join pg_class i on i.oid=indexrelid join pg_am on pg_am.oid = i.relam where indrelid='t1'::regclass order by 1;
create table u(id int primary key, a int unique, b int unique, n text);
insert into u values (1,1,1,'x'),(2,2,2,'y');
insert into u values (1,1,1,'c'),(2,2,2,'d') on conflict (b) do update set n = excluded.n returning *;
insert into u values (9,1,1,'e') on conflict (a) do update set n = excluded.n returning *;
insert into u values (9,1,2,'f') on conflict (a) do update set n = excluded.n returning *;
insert into u values (9,1,7,'g') on conflict (b) do update set n = excluded.n;
insert into u values (1,9,9,'h') on conflict (a) do nothing;
insert into u values (1,9,9,'h') on conflict do nothing;
insert into u select 1, 1, g, 'k' from generate_series(1,2) g on conflict (b) do update set n = excluded.n || 'z' returning *;
insert into u values (1,1,1,'c'),(1,1,1,'d') on conflict (b) do update set n = excluded.n returning *;
create domain dn as numeric(5,2) default 1.5; select typname, pg_get_expr(typdefaultbin, 0), typdefault, typcollation from pg_type where typname in ('dn', 'txt') order by 1;
create table l0(a int, b text, c jsonb, d timestamptz);
create index on l0 (coalesce(a,1)); create index on l0 ((a+1)); create index on l0 (upper(b), a); create index on l0 ((c->>'x')); create index on l0((b::varchar(5))); create index on l0 (date_trunc('day', d at time zone 'UTC')); create index on l0((case when a>1 then 1 end)); create index on l0 (substring(b from 1 for 2)); create index on l0 (trim(b)); create index on l0(greatest(a,2)); create index on l0 (extract(year from (d at time zone 'UTC'))); create index on l0((b || 'x')); create index on l0 (md5(b), (a*2));create index on l0 ((a is null)); create index on l0 ((nullif(a,2)));
create index on l0((b collate "C")); create index on l0 (cast(a as text)); create index on l0 ((array[a]));
create table l1 (like l0 including indexes);
select tablename, indexname from pg_indexes where tablename in ('l0','l1') order by 1,2;
select user, current_user, session_user as u;
