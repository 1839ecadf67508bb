-- Attributes of ICU's locales: numbers by their values, large letters first, punctuation passed over.
create collation numbers (provider = icu, locale = 'en-u-kn-true');
create collation numbers_too (provider = icu, locale = 'en@colNumeric=yes');
create collation alone (provider = icu, locale = 'en-u-kn');
create collation large (provider = icu, locale = 'und-u-kf-upper');
create collation large_too (provider = icu, locale = 'de@colCaseFirst=upper');
create collation small (provider = icu, locale = 'en-u-kf-lower');
create collation passed (provider = icu, locale = 'und-u-ka-shifted');
create collation passed_too (provider = icu, locale = 'en@colAlternate=shifted');
create collation several (provider = icu, locale = 'sv-SE-u-kf-upper-kn-true');
create collation several_too (provider = icu, locale = 'sv_SE@colNumeric=yes;colCaseFirst=upper;collation=standard');
create collation levels (provider = icu, locale = 'en-u-kn-true-ks-level2');
create collation usual (provider = icu, locale = 'en-u-kn-false-ka-noignore-co-standard');
create table f (n int, name text);
insert into f select row_number() over (), name from unnest(array[
  'a10', 'a2', 'a1', 'a02', 'a002', 'A2', 'a10b', 'a10B', 'a9', 'b', 'B', '10', '9', '100', '099', 'file 12.txt', 'file 2.txt', 'file-3.txt', 'File 3.txt',
  'v1.2.10', 'v1.2.9', 'v1.10.1', '123456789012', '99999999999', '100000000', '99999999', 'a', 'A', 'ab', 'Ab', 'aB', 'AB', 'zebra', 'Zebra', 'Ångström',
  'ångström', 'öl', 'Öl', 'ol', 'co-op', 'coop', 'co op', 'co_op', 'COOP', 'de luge', 'de-luge', 'deluge', 'de Luge', 'demark', 'a$b', 'a+b', 'x0', 'x00', 'x', '', ' ', '0'
]) name;
select name from f order by name collate numbers, n;
select name from f order by name collate numbers_too desc, n;
select string_agg(name, ',' order by name collate alone, n) from f;
select string_agg(name, ',' order by name collate large, n) from f;
select string_agg(name, ',' order by name collate large_too, n) from f;
select string_agg(name, ',' order by name collate small, n) from f;
select string_agg(name, ',' order by name collate passed, n) from f;
select string_agg(name, ',' order by name collate passed_too, n) from f;
select string_agg(name, ',' order by name collate several, n) from f;
select string_agg(name, ',' order by name collate several_too, n) from f;
select string_agg(name, ',' order by name collate levels, n) from f;
select string_agg(name, ',' order by name collate usual, n) from f;
select max(name collate numbers), min(name collate numbers) from f where name like 'a%';
select name from f where name collate numbers between 'a2' and 'a10' order by n;
select 'a10' < 'a9' collate numbers, 'a02' = 'a2' collate numbers, 'a' < 'A' collate large, greatest('a9' collate numbers, 'a10');
create table versions (v text collate numbers primary key, n int);
insert into versions values ('1.10', 1), ('1.9', 2), ('1.09', 3), ('2', 4), ('10', 5), (null, 6);
insert into versions values ('1.10', 1), ('1.9', 2), ('1.09', 3), ('2', 4), ('10', 5);
select * from versions order by v;
select * from versions where v > '1.9' order by v desc limit 2;
select * from versions where v = '1.9';
insert into versions values ('1.9', 7) on conflict (v) do update set n = 7 returning *;
create index on versions (v desc);
select v, rank() over (order by v), lag(v) over (order by v) from versions order by v;
select collname, collprovider, collisdeterministic, colliculocale from pg_collation where collname in ('numbers', 'several_too') order by 1;
create collation wrong (provider = icu, locale = 'en-u-kn-true', deterministic = nonsense);
