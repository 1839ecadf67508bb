-- Collations that users make: by language and level, some of which call texts equal that differ.
create collation ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
create collation if not exists ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
create collation ci (provider = icu, locale = 'und');
create collation ai (provider = icu, locale = 'de-u-ks-level2', deterministic = false);
create collation sv (provider = icu, locale = 'sv-SE');
create collation nd (provider = icu, locale = 'und', deterministic = false);
create collation bytes from "C";
create collation german from "de-x-icu";
create collation x from "default";
create collation x from nosuch;
create collation x (foo = bar);
create collation x (provider = icu);
create collation x (provider = nosuch, locale = 'x');
create collation x (locale = 'C', deterministic = false);
create collation x (locale = 'C', lc_collate = 'C');
create collation x (lc_collate = 'C');
create collation cloc (locale = 'C');
create table t (id int primary key, a text collate ci, b varchar(20) collate ai, c text collate sv, d text collate nd, e text);
insert into t values (1,'Anna','Émile','zebra',E'e\u0301','Anna'),(2,'ANNA','emile','ärta',E'\u00e9','anna'),(3,'bo','EMIL','ås','E','x'),(4,null,null,null,null,null);
select id from t where a = 'anna' order by id;
select id from t where a <> 'anna' order by id;
select id from t where 'aNNa' = a and b = 'emile' order by id;
select id from t where a in ('ANNA','BO') order by id;
select id from t where a not in ('ANNA','c') order by id;
select id from t where a = any (array['anna','x']) order by id;
select id from t where a = all (array['anna','ANNA']) order by id;
select id, a < 'BO', a <= 'BO', a > 'anna', a >= 'ANNA', a between 'anna' and 'ANNA' from t order by id;
select id from t where a is distinct from 'anna' order by id;
select id from t where a is not distinct from 'anna' order by id;
select count(*) from t group by a order by 1;
select count(*), b from t group by b order by 1, 2;
select count(distinct a), count(distinct b), count(distinct d), count(a) from t;
select distinct on (a) a, id from t order by a, id;
select count(*) from (select distinct a from t) x;
select x.id, y.id from t x join t y on x.a = y.a order by 1, 2;
select x.id, y.id from t x join t y using (a) order by 1, 2;
select id from t where a in (select e from t) order by id;
select id from t where e in (select a from t) order by id;
select id from t where exists (select 1 from t y where y.a = t.e and y.id <> t.id) order by id;
select id, rank() over (order by a), count(*) over (partition by a), dense_rank() over (order by b) from t order by id;
select id, case a when 'ANNA' then 1 else 0 end, nullif(a, 'anna'), coalesce(a, 'x') from t order by id;
select id from t where d = U&'\00e9' order by id;
select id, a from t order by a, id;
select id, c from t order by c;
select c from t where c > 'z' order by c;
select id from t where a = (select e from t where id = 2) order by id;
select id from t where (select a from t where id = 1) = e order by id;
select 'a' = 'A' collate ci, 'a' = 'A' collate ai, 'a' = 'á' collate sv, 'a' = 'á' collate ci, 'ab' collate ci = 'AB';
select id from t where e = 'ANNA' collate ci order by id;
select id from t where lower(e) collate ci = 'ANNA' order by id;
select a || 'x' = 'ANNAX' from t order by id;
select id, length(a), substr(a, 1, 2) = 'AN', left(a, 1) || b from t where id = 3;
select a = b from t;
select a = e from t order by id;
select id from t where a like 'A%';
select id from t where a ilike 'A%';
select id from t where a ~ 'A';
select position('n' in a) from t;
select strpos(a, 'n') from t;
select replace(a, 'n', 'm') from t;
select split_part(a, 'n', 1) from t;
update t set e = 'found' where a = 'anna' returning id;
delete from t where b = 'EMIL' returning id;
with q as (select a from t) select count(*) from q where a = 'ANNA';
create view v as select a, id from t where a = 'anna' collate ci;
select id from v where a = 'ANNA' order by id;
\d+ v
select id from (select a, id from t) z where a = 'ANNA' order by id;
create table t2 as select a, c from t; select count(*) from t2 where a = 'anna';
\d t2
create table ck (a text collate ci check (a <> 'bad'));
insert into ck values ('BAD');
insert into ck values ('good');
prepare p as select id from t where a = $1 order by id; execute p('ANNA'); execute p('bo');
select collation for (a), collation for ('x' collate ci), collation for (c) from t limit 1;
select collname, collprovider, collisdeterministic, collencoding, collcollate, collctype, colliculocale from pg_collation where oid >= 16384 order by 1;
\dO
\d t
alter collation ci rename to ci2;
\d ck
insert into ck values ('bAd');
select id from t where a = 'ANNA' order by id;
table v;
create schema s; alter collation ci2 set schema s;
select 'a' = 'A' collate s.ci2, 'a' = 'A' collate ci2;
\d ck
select attname, attcollation::regcollation from pg_attribute where attrelid = 't'::regclass and attnum > 0 order by attnum;
comment on collation s.ci2 is 'no case';
alter collation s.ci2 refresh version;
alter collation s.ci2 owner to tidewire;
drop collation "C";
drop collation nosuch;
drop collation if exists nosuch;
drop collation bytes, german, cloc;
create table keyed (a text collate sv primary key); insert into keyed values ('a'),('A'); insert into keyed values ('a');
alter table t alter c type text collate "C"; 
alter table t alter e type text collate s.ci2; select id from t where e = 'FOUND' order by id;
\set VERBOSITY terse
drop collation s.ci2;
drop collation s.ci2 cascade;
\d t
-- VALUES have the collations of what is in them.
create collation ci_values (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
select * from (values ('a' collate ci_values), ('A'), ('b')) v(x) where x = 'A' order by x collate "C";
select count(*) from (values ('a' collate ci_values), ('A'), ('b')) v(x) group by x order by 1;
select * from (values ('b' collate "en-x-icu"), ('A'), ('a'), ('B')) v(x) order by x;
values ('b' collate "en-x-icu"), ('A'), ('a'), ('B') order by 1;
-- What a function returns has the collation of its arguments, whatever its body has.
create function in_ci() returns text language sql as $$select 'a' collate ci_values$$;
select in_ci() = 'A', in_ci() = 'A' collate ci_values;
create function through(x text) returns text language sql as 'select x';
select through('a' collate ci_values) = 'A', through('a') = 'A';
