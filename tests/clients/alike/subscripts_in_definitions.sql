-- Mappers write the parts of documents by subscripts, and compare what the catalog shows with what they have: written otherwise, the index
-- or column is made anew at each migration.
create extension hstore;
create table sid_docs (id int primary key, doc jsonb, pairs hstore, points int[], k text);
create index sid_a on sid_docs ((doc['a']));
create index sid_b on sid_docs using gin ((doc['a']['b']) jsonb_path_ops);
create index sid_c on sid_docs ((doc[0]), ((doc['n'])::int));
create index sid_d on sid_docs ((doc #> array['a']), (doc #>> '{a,b}'));
create index sid_e on sid_docs ((pairs['x']), (pairs -> 'x'));
create index sid_f on sid_docs ((points[1]), (doc[points[1]]));
select indexrelid::regclass, pg_get_indexdef(indexrelid), pg_get_expr(indexprs, indrelid), pg_get_indexdef(indexrelid, 1, true)
from pg_index where indrelid = 'sid_docs'::regclass order by indexrelid::regclass::text;
alter table sid_docs add part jsonb generated always as (doc['a']) stored, add check (doc['n'] <> 'null');
\d sid_docs
create view sid_parts as select id, doc['a']['b'] as b, doc[k] as by_column, doc['list'][0] as first, (doc -> 'a')['b'] as mixed, pairs['x'] as x from sid_docs;
\d+ sid_parts
insert into sid_docs (id, doc, pairs, points, k) values (1, '{"a": {"b": 7}, "n": 5, "list": [3, 4]}', 'x=>1', '{0}', 'n'), (2, '[8, 9]', '', '{1}', null);
select * from sid_parts order by id;
select id, part, doc[0], doc['1'], doc[-1], doc['a']['b']['c'] from sid_docs order by id;
select id from sid_docs where doc['a']['b'] = '7';
select id from sid_docs where doc['n']::int = 5 and pairs['x'] = '1';
select doc['a'] from sid_docs where id = 1;
update sid_docs set doc['a']['b'] = '{"c": 1}', pairs['y'] = 'z' where id = 1 returning doc['a']['b']['c'], pairs['y'], part;
insert into sid_docs values (3, '{"n": null}');
-- Numbers that are made another kind of number are shown as they were written.
create table sid_numbers (
    a float8, b float8 default 2.0::float8, c float8 default 1e3, d float4 default 1.50::float4, e int default 2.50::int, f float8 default -2.0,
    g float8 generated always as (a / 2.0::double precision) stored, h float8 generated always as (a * 1e-3 + .5) stored, check (a < 100.0)
);
\d sid_numbers
insert into sid_numbers (a) values (3) returning *;
