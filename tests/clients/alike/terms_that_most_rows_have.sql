-- Of a term that many rows have an index of parts keeps no list: what it leads to is asked for it.
create table marked (id int primary key, tags text[], words tsvector);
insert into marked select i, array['g' || i % 500, 'h' || i % 7, case when i % 3 = 0 then null else 'NULL' end], to_tsvector('simple', 'w' || i % 500 || ' other' || i % 7) from generate_series(1, 30000) g(i);
create index on marked using gin (tags);
create index on marked using gin (words);
analyze marked;
select count(*), sum(id) from marked where tags @> array['g17', 'h3'];
select count(*), sum(id) from marked where words @@ to_tsquery('simple', 'w17 & other3');
select pg_sleep(2);
select count(*), sum(id) from marked where tags @> array['g17', 'h3'];
select count(*), sum(id) from marked where tags @> array['g17', 'h9'];
select count(*), sum(id) from marked where tags @> array['g17', 'NULL'];
select count(*), sum(id) from marked where tags @> array['g17', null];
select count(*), sum(id) from marked where tags && array['g17', 'g18'];
select count(*), sum(id) from marked where words @@ to_tsquery('simple', 'w17 & other3');
select count(*), sum(id) from marked where words @@ to_tsquery('simple', 'w17 & !other3');
drop table marked;
