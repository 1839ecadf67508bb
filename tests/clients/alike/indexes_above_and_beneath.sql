-- Indexes of partitioned tables and what is said of them; expressions without an order are no keys.
create table p(a int, c text) partition by range (a); create index pi on p(a);
select relhassubclass from pg_class where relname = 'pi';
create table p1 partition of p for values from (1) to (2);
select relhassubclass from pg_class where relname = 'pi';
create index po on only p (c);
create index p1c on p1 (c);
select relhassubclass from pg_class where relname = 'po';
alter table po attach partition p1c for values from (10) to (20);
alter index po attach partition p1c;
select relhassubclass from pg_class where relname = 'po';
drop index concurrently pi;
drop index concurrently if exists nothing;
drop index concurrently p1c;
create table pt(a int, j json, x xml);
create index on pt ((point(a, a)));
create index on pt ((j));
create index on pt ((j->'a'));
create index on pt ((j->>'a'), (a = 1), (array[a]), (row(a)));
create index on pt using gist ((point(a, a)));
create index on pt using hash ((j->'a'));
create index on pt using gin ((array[a]));
create index on pt ((x));
\d pt
