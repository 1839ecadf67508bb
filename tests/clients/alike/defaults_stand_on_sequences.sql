-- What a default names is in pg_depend, however the default came: pg_dump asks there what it must make first.

create table t (id integer not null, label text);
create sequence t_id_seq as integer owned by t.id;
alter table only t alter column id set default nextval('t_id_seq'::regclass);
create schema elsewhere;
create sequence elsewhere."Of Labels";
alter table t alter label set default 'I-' || nextval('elsewhere."Of Labels"');
create table u (id int default nextval('t_id_seq'), s serial, plain text default 'nextval', later int default nextval('t_id_seq'::text::regclass));
select c.relname, a.attname, refclassid::regclass, s.relname as on_relation, p.refobjsubid, p.deptype from pg_depend p join pg_attrdef d on d.oid = p.objid join pg_class c on c.oid = d.adrelid join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum join pg_class s on s.oid = p.refobjid where p.classid = 'pg_attrdef'::regclass and p.refclassid = 'pg_class'::regclass and c.relname in ('t', 'u') order by 1, 2, 4, 5;
alter table t alter label drop default;
select count(*) from pg_depend where refobjid = 'elsewhere."Of Labels"'::regclass;
