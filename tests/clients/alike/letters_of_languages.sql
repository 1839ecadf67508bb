-- Upper and lower case, ILIKE, regular expressions, GREATEST and LEAST under ICU's collations; classes of characters under the default one.
create table words (id int primary key, e text collate "en-x-icu", t text collate "tr-x-icu", s varchar(20) collate "sv-x-icu");
insert into words values (1, 'Straße', 'KISA', 'Ängel'), (2, 'ΟΔΟΣ', 'ıİiI', 'zebra'), (3, 'l''été d''ÉLAN', 'ISTANBUL', 'Öl'), (4, 'foo.bar 1abc x:y', 'i̇', null), (5, 'ABC', 'abc', 'Ö');
select id, lower(e), upper(e), initcap(e) from words order by id; select id, lower(t), upper(t), initcap(t) from words order by id;
select id, lower(s), upper(s), initcap(s) from words order by id; select lower(upper(e)) = lower(e) from words order by id;
select id from words where e ilike 'STRASSE' or e ilike '%été%' or e ilike 'a_c' order by id; select id from words where t ilike 'kısa' order by id; select id from words where t ilike 'kisa' order by id;
select id from words where e not ilike '%B%' order by id; select 'Türkiye' collate "en-x-icu" ilike '%KI%', 'Türkiye' collate "tr-x-icu" ilike '%KI%', 'a_c' collate "en-x-icu" ilike 'A\_C', 'abc' collate "en-x-icu" ilike 'A\_C';
select id, greatest(s, 'Z'), least(s, 'Z'), greatest(s, null) from words order by id; select greatest(e, 'b'), least('b', e, 'B') from words order by id;
select id from words where e ~ '^[[:alpha:]]+$' order by id; select id from words where s ~* '^ä' order by id; select id from words where e !~ '[[:lower:]]' order by id; select id from words where e !~* 'É' order by id;
select regexp_replace(e, '[[:upper:]]', '_', 'g'), regexp_match(s, '\w+'), regexp_split_to_array(e, '\s'), regexp_count(e, '[[:punct:]]'), regexp_substr(e, '\w+', 2) from words order by id;
select c, c ~ '[[:alpha:]]' a, c ~ '[[:digit:]]' d, c ~ '[[:punct:]]' p, c ~ '\w' w, c ~ '\s' s, c ~ '\d' n, c ~ '\D' x, c ~ '[^\s\d]' y from (values ('é'), ('$'), ('_'), (E'\u00a0'), ('ª'), ('Ⅷ'), ('«')) v(c);
select c, c ~ '[[:alpha:]]' a, c ~ '[[:digit:]]' d, c ~ '[[:punct:]]' p, c ~ '\w' w, c ~ '\s' s, c ~ '\d' n, c ~ '\D' x, c ~ '[^\s\d]' y from (select c collate "en-x-icu" from (values ('é'), ('$'), ('_'), (E'\u00a0'), ('ª'), ('Ⅷ'), ('«')) v(c)) v(c);
select 'Élan' ~ '^[[:upper:]][[:lower:]]+$', 'naïve café' ~ '^[[:alpha:] ]+$', regexp_replace('naïve-café', '\W', '', 'g'), regexp_split_to_array(E'a\u2003b c', '\s+'), 'Straße9' ~ '^\w+$', '٣' similar to '[[:digit:]]';
create index on words (lower(e)); create view shown as select lower(e) as l from words where e ilike 'a%'; select * from shown; select pg_get_viewdef('shown');
select max(lower(t)), count(*) from words group by upper(e) order by upper(e); select lower(e) l from words order by l, 1; select lower(e collate "C") < 'b' from words order by id;
create collation ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false); select lower('ABC' collate ci), upper('é' collate ci) = 'É', initcap('xY' collate ci); select 'a' collate ci ilike 'A';
