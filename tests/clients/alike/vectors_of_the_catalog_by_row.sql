create table users_role(id int primary key, "order" int, parent_id int, value text);
create index o on users_role("order"); create index p on users_role(parent_id);
SELECT  DISTINCT ON (t.relname, ic.relname, k.i) t.relname as table_name, ic.relname AS indexname, k.i AS index_order, i.indisunique as is_unique, am.amname as method, ic.reloptions as with,
        coalesce(a.attname, pg_get_indexdef(i.indexrelid, k.i, false)) AS column_name,
         i.indoption[k.i-1] & 1 = 1 AS descending, i.indoption[k.i-1] & 2 = 2 AS nulls_first,
        pg_get_expr( i.indpred, i.indrelid) as where, opc.opcname
      FROM pg_class t
          LEFT JOIN pg_index i ON t.oid = i.indrelid
          LEFT JOIN pg_class ic ON ic.oid = i.indexrelid
		  CROSS JOIN LATERAL (SELECT unnest(i.indkey), generate_subscripts(i.indkey, 1) + 1) AS k(attnum, i)
          LEFT JOIN pg_attribute AS a
            ON i.indrelid = a.attrelid AND k.attnum = a.attnum
          JOIN pg_namespace c on c.oid = t.relnamespace
        LEFT JOIN pg_am AS am ON ic.relam = am.oid
        JOIN pg_opclass opc ON opc.oid = ANY(i.indclass)
      WHERE c.nspname = 'public' AND t.relname = 'users_role';
select 1;
create table a(id int primary key, ks int[], m int[][], j jsonb, r int4range[]); insert into a select g, array[g, g+1], array[[g,2],[3,g]], jsonb_build_array(g, '{"a":1}'::jsonb), array[int4range(g,g+2)] from generate_series(1,5) g;
select a.id, x.* from a cross join lateral (select unnest(a.ks), generate_subscripts(a.ks,1)) x(k, i) where a.id < 4 order by 1,2,3;
select a.id, x.* from a cross join lateral (select unnest(a.m)) x(k) where a.id < 3 order by 1,2;
select a.id, x.* from a cross join lateral (select jsonb_array_elements(a.j)) x(k) where a.id < 3 order by 1,2;
select a.id, (select sum(u) from unnest(a.ks) u) from a where id < 4 order by 1;
select a.id, (select array_agg(u+1) from unnest(a.m) u) from a where id < 4 order by 1;
select a.id, x.* from a cross join lateral (select unnest(a.r)) x(k) where a.id < 3 order by 1,2;
select i.indexrelid::regclass, (select array_agg(att.attname order by o) from unnest(i.indkey) with ordinality u(k,o) join pg_attribute att on att.attrelid=i.indrelid and att.attnum=u.k) from pg_index i where i.indrelid='a'::regclass;
create index aid on a(id, j); create index aid2 on a(id desc);
select i.indexrelid::regclass::text, x.* from pg_index i cross join lateral (select unnest(i.indkey) as k, unnest(i.indoption) as o, unnest(i.indclass) c) x where i.indrelid='a'::regclass order by 1,2;
select i.indexrelid::regclass::text, x.n from pg_index i cross join lateral (select count(*) n from pg_attribute t where t.attrelid = i.indrelid and t.attnum = any(i.indkey)) x where i.indrelid='a'::regclass order by 1,2;
select i.indexrelid::regclass::text, x.n from pg_index i left join lateral (select string_agg(t.attname, ',' order by t.attnum) n from pg_attribute t where t.attrelid = i.indrelid and t.attnum = any(i.indkey)) x on true where i.indrelid='a'::regclass order by 1,2;
select c.conname, x.n from pg_constraint c left join lateral (select string_agg(t.attname, ',' order by t.attnum) n from pg_attribute t where t.attrelid = c.conrelid and t.attnum = any(c.conkey)) x on true where c.conrelid='a'::regclass order by 1,2;
select c.relname, x.* from pg_class c cross join lateral (select unnest(c.reloptions)) x where c.relname ~ '^a' order by 1;
select a.attname, l.* from pg_attribute a cross join lateral (select unnest(a.attoptions), a.attname) l where attrelid='a'::regclass order by 1;
select indexrelid::regclass::text from pg_index where indrelid = 'a'::regclass and indkey = '1'::int2vector order by 1;
select indexrelid::regclass::text, indkey::int2[] from pg_index where indrelid = 'a'::regclass order by 1;
select indkey, count(*) from pg_index where indrelid = 'a'::regclass group by 1 order by 1;
select distinct indclass, indkey, indkey[0], array_position(indkey, 4::int2) from pg_index where indrelid = 'a'::regclass order by 1, 2;
select a.indexrelid::regclass::text, b.indexrelid::regclass::text from pg_index a join pg_index b on a.indrelid = b.indrelid and a.indkey = b.indkey and a.indexrelid <> b.indexrelid where a.indrelid = 'a'::regclass order by 1,2;
select p.proname, proargtypes, x.n from pg_proc p cross join lateral (select string_agg(format_type(u, null), ',' order by o) n from unnest(p.proargtypes) with ordinality u(u, o)) x where proname in ('int4pl','lower') order by 1,2;
create table vectors(a int primary key);
select indkey = '1', indkey <> '2 3', indkey < '1 2', '1 2' = indkey, indclass = '1978' from pg_index where indexrelid = 'vectors_pkey'::regclass;
select indkey @> '1', indkey && '1 2' from pg_index where indexrelid = 'vectors_pkey'::regclass;
select proargtypes = '23 23' from pg_proc where proname = 'int4pl';
select oid::regprocedure from pg_proc where proname in ('lower','upper') and proargtypes = '25' order by 1;
select oid::regprocedure from pg_proc where proname in ('lower','upper') and proargtypes = '' order by 1;
select indkey in ('1', '2 3'), array_position(indkey, 1::int2), indkey || 3::int2, array_to_string(indkey, ',') from pg_index where indexrelid = 'vectors_pkey'::regclass;
select '1 2'::int2vector = '1 2', coalesce(null, '1 2'::int2vector) = '1 2'::int2vector;
