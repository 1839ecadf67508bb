-- What stands on a relation, down to views: from a rule's rows in pg_depend to the view that the rule is of (asked by dbt, which drops with CASCADE).
create schema marts;
create table orders (id int primary key, amount numeric);
create view marts.staged as select id, amount from orders where amount > 0;
create materialized view marts.totals as select count(*) as n, sum(amount) as amount from marts.staged;
create view both_of_them as select s.id, t.n from marts.staged s cross join marts.totals t;
select distinct dependent_namespace.nspname as dependent_schema, dependent_class.relname as dependent_name,
       referenced_namespace.nspname as referenced_schema, referenced_class.relname as referenced_name
from pg_class as dependent_class
join pg_namespace as dependent_namespace on dependent_namespace.oid = dependent_class.relnamespace
join pg_depend as dependent_depend on dependent_depend.refobjid = dependent_class.oid
    and dependent_depend.classid = 'pg_rewrite'::regclass and dependent_depend.refclassid = 'pg_class'::regclass
    and dependent_depend.deptype = 'i'
join pg_depend as joining_depend on joining_depend.objid = dependent_depend.objid
    and joining_depend.classid = 'pg_rewrite'::regclass and joining_depend.refclassid = 'pg_class'::regclass
    and joining_depend.refobjid != dependent_depend.refobjid
join pg_class as referenced_class on referenced_class.oid = joining_depend.refobjid
join pg_namespace as referenced_namespace on referenced_namespace.oid = referenced_class.relnamespace
    and referenced_namespace.nspname != 'information_schema' and referenced_namespace.nspname not like 'pg\_%'
order by dependent_schema, dependent_name, referenced_schema, referenced_name;
select d.deptype, d.refobjid::regclass from pg_rewrite r join pg_depend d on d.objid = r.oid and d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass where d.deptype = 'i' and d.refobjid >= 16384 order by 2::regclass::text, 1;
drop view marts.staged cascade;
select count(*) from pg_depend where classid = 'pg_rewrite'::regclass and refobjid >= 16384;
