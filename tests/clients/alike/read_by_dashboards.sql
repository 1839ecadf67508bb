-- What dashboards and reports ask: statistics of tables and databases, percentiles, weeks and quarters.
create table p (n numeric(10,2), i int, f float8, t text, d date, b numeric);
insert into p values (1.5,1,1,'a','2024-01-01',1),(2.5,2,2,'b','2024-01-02',2),(3.25,3,3,'c','2024-01-03',33333333333333333333333.5);
select percentile_disc(array[0.25,0.75]) within group (order by n) from p;
select percentile_disc(array[0.25,0.75]) within group (order by i) from p;
select percentile_disc(array[0.25,0.75]) within group (order by t) from p;
select percentile_disc(array[0.25,0.75]) within group (order by d) from p;
select percentile_disc(array[0.25,0.75]) within group (order by b) from p;
select percentile_cont(array[0.25,0.75]) within group (order by n) from p;
select percentile_cont(array[0.25,0.75]) within group (order by i desc) from p;
select percentile_disc(0.5) within group (order by n) from p;
select array_agg(n) from p;
select percentile_disc(array[0.25,0.75]) within group (order by n desc), percentile_cont(array[0.25,0.75]) within group (order by f desc) from p;
select t, percentile_disc(array[0.5]) within group (order by n) from p group by t order by t;
create table sales (id int primary key, region text, amount numeric(10,2), at timestamptz, d date, ok boolean);
insert into sales select g, case when g % 2 = 0 then 'n' else 's' end, g * 1.5, timestamptz '2024-01-01' + g * interval '7 hours', date '2024-01-01' + g, g % 3 = 0 from generate_series(1, 50) g;
create view sv as select region, sum(amount) s from sales group by region;
create materialized view smv as select * from sv;
SELECT db.oid > 0 as did, db.datname as name, ta.spcname as spcname, db.datallowconn, pg_catalog.has_database_privilege(db.oid, 'CREATE') as cancreate, datdba > 0 as owner, descr.description, datistemplate FROM pg_catalog.pg_database db LEFT OUTER JOIN pg_catalog.pg_tablespace ta ON db.dattablespace = ta.oid LEFT OUTER JOIN pg_catalog.pg_shdescription descr ON ( db.oid=descr.objoid AND descr.classoid='pg_database'::regclass ) WHERE db.datname = current_database() ORDER BY datname;
SELECT indexrelid::regclass, idx_scan >= 0, idx_tup_read >= 0 FROM pg_catalog.pg_stat_all_indexes WHERE relname = 'sales';
SELECT relname, seq_scan >= 0, n_live_tup >= 0, last_vacuum FROM pg_catalog.pg_stat_all_tables where relname = 'sales';
SELECT heap_blks_read >= 0 FROM pg_statio_user_tables where relname = 'sales';
select stats_reset is null or true, datname from pg_stat_database where datname = current_database();
SELECT c.relname,a.attname, pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) as def_value, dsc.description, dep.objid FROM pg_catalog.pg_attribute a INNER JOIN pg_catalog.pg_class c ON (a.attrelid=c.oid) LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON (a.attrelid=ad.adrelid AND a.attnum = ad.adnum) LEFT OUTER JOIN pg_catalog.pg_description dsc ON (c.oid=dsc.objoid AND a.attnum = dsc.objsubid) LEFT OUTER JOIN pg_depend dep on dep.refobjid = a.attrelid AND dep.deptype = 'i' and dep.refobjsubid = a.attnum and dep.classid = dep.refclassid WHERE NOT a.attisdropped AND c.relkind not in ('i','I','c') AND c.oid='sales'::regclass and a.attnum > 0 ORDER BY a.attnum;
SELECT * FROM pg_catalog.pg_event_trigger; select * from pg_catalog.pg_foreign_server; select * from pg_publication; select * from pg_policies;
select round(extract(epoch from pg_postmaster_start_time() at time zone 'UTC')) > 0 as startup_time, round(extract(epoch from current_timestamp)) > 0, pg_is_in_recovery();
SELECT floor(extract(epoch from at)/86400)*86400 AS "time", region AS metric, sum(amount) FROM sales WHERE at BETWEEN '2024-01-02T00:00:00Z' AND '2024-01-05T00:00:00.000Z' GROUP BY 1,2 ORDER BY 1,2;
SELECT date_trunc('week', "public"."sales"."at" + INTERVAL '1 day') - INTERVAL '1 day' AS w, COUNT(*) AS "count", COUNT(distinct "public"."sales"."region") FROM "public"."sales" WHERE "public"."sales"."at" >= CAST('2024-01-01' AS date) GROUP BY 1 ORDER BY 1 LIMIT 3;
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount), percentile_disc(array[0.25,0.75]) within group (order by amount), mode() within group (order by region) FROM sales;
SELECT ns.nspname, t.oid > 0, t.typname, t.typtype, t.typnotnull, t.elemtypoid FROM (SELECT typ.oid, typ.typnamespace, typ.typname, typ.typtype, typ.typrelid, typ.typnotnull, typ.relkind, elemtyp.oid AS elemtypoid, elemtyp.typname AS elemtypname, elemcls.relkind AS elemrelkind, CASE WHEN elemproc.proname='array_recv' THEN 'a' ELSE elemtyp.typtype END AS elemtyptype FROM (SELECT typ.oid, typnamespace, typname, typrelid, typnotnull, relkind, typelem AS elemoid, CASE WHEN proc.proname='array_recv' THEN 'a' ELSE typ.typtype END AS typtype, CASE WHEN proc.proname='array_recv' THEN typ.typelem WHEN typ.typtype='r' THEN rngsubtype WHEN typ.typtype='m' THEN (SELECT rngtypid FROM pg_range WHERE rngmultitypid = typ.oid) WHEN typ.typtype='d' THEN typ.typbasetype END AS elemtypoid FROM pg_type AS typ LEFT JOIN pg_class AS cls ON (cls.oid = typ.typrelid) LEFT JOIN pg_proc AS proc ON proc.oid = typ.typreceive LEFT JOIN pg_range ON (pg_range.rngtypid = typ.oid)) AS typ LEFT JOIN pg_type AS elemtyp ON elemtyp.oid = elemtypoid LEFT JOIN pg_class AS elemcls ON (elemcls.oid = elemtyp.typrelid) LEFT JOIN pg_proc AS elemproc ON elemproc.oid = elemtyp.typreceive) AS t JOIN pg_namespace AS ns ON (ns.oid = typnamespace) WHERE (typtype IN ('b', 'r', 'm', 'e', 'd') OR (typtype = 'c' AND relkind='c') OR (typtype = 'p' AND typname IN ('record', 'void', 'unknown')) OR (typtype = 'a' AND (elemtyptype IN ('b', 'r', 'm', 'e', 'd') OR (elemtyptype = 'p' AND elemtypname IN ('record', 'void')) OR (elemtyptype = 'c' AND elemrelkind='c')))) and t.typname in ('int4','_int4','int4range','int4multirange','record','void','sales','_sales') ORDER BY 3;
SELECT result.TABLE_CAT, result.TABLE_SCHEM, result.TABLE_NAME, result.COLUMN_NAME, result.KEY_SEQ, result.PK_NAME FROM (SELECT NULL AS TABLE_CAT, n.nspname AS TABLE_SCHEM, ct.relname AS TABLE_NAME, a.attname AS COLUMN_NAME, (information_schema._pg_expandarray(i.indkey)).n AS KEY_SEQ, ci.relname AS PK_NAME, information_schema._pg_expandarray(i.indkey) AS KEYS, a.attnum AS A_ATTNUM FROM pg_catalog.pg_class ct JOIN pg_catalog.pg_attribute a ON (ct.oid = a.attrelid) JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid) JOIN pg_catalog.pg_index i ON ( a.attrelid = i.indrelid) JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid) WHERE true AND n.nspname = 'public' AND ct.relname = 'sales' AND i.indisprimary ) result where result.A_ATTNUM = (result.KEYS).x ORDER BY result.table_name, result.pk_name, result.key_seq;
select count(*) from pg_stat_bgwriter;
select count(*) from pg_stat_archiver;
select count(*) from pg_stat_wal;
select sum(xact_commit) >= 0, sum(tup_inserted) >= 0 from pg_stat_database;
select obj_description('public'::regnamespace), obj_description('int4pl(int4,int4)'::regprocedure, 'pg_proc'), obj_description('int4'::regtype, 'pg_type');
\do+ #>>
\da+ sum
\dc utf8_to*
\dF
\dFd e*
