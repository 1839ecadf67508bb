-- Types of columns that change: their collations, and elements of arrays that are too long; the time of a statement is one.
create table ac(a varchar(20), b text, c varchar(16)[], d text[], e char(5)[]);
alter table ac alter column a type varchar(10) collate "sv-x-icu";
alter table ac alter column b type text collate "C";
alter table ac alter a set data type varchar(30) collate "und-x-icu", alter b type varchar(5);
\d ac
select attname, (select collname from pg_collation where oid=attcollation) from pg_attribute where attrelid='ac'::regclass and attnum>0 order by attnum;
insert into ac(a,c,d,e) values ('z','{abcdefghijkl}','{abc}','{abc}');
alter table ac alter column c type varchar(15)[];
alter table ac alter column c type varchar(5)[];
alter table ac alter column c type varchar(5)[] using c::varchar(5)[];
alter table ac alter column d type varchar(2)[];
alter table ac alter column e type char(2)[];
alter table ac alter column d type int[];
insert into ac(c) values ('{abcdefg}');
insert into ac(c) values (array['abcdefg']);
insert into ac(c) select array['abcdefg'];
update ac set c = d || 'xxxxxxxxxx'::text;
select * from ac;
select statement_timestamp() - statement_timestamp() as z, statement_timestamp() = statement_timestamp(), count(distinct statement_timestamp()) from generate_series(1,5000), pg_sleep(0.05);
begin; select pg_sleep(0.1); select statement_timestamp() > now(), transaction_timestamp() = now(), clock_timestamp() > statement_timestamp(); commit;
select statement_timestamp() <= clock_timestamp(), now() = statement_timestamp();
-- Types whose names want quotes, or are in no schema of the path.
CREATE SCHEMA apart;
CREATE TYPE "Role" AS ENUM ('a', 'b');
CREATE TYPE apart.mood AS ENUM ('sad', 'ok');
CREATE TABLE named (id int, r text, m text);
INSERT INTO named VALUES (1, 'a', 'ok');
ALTER TABLE named ALTER COLUMN r TYPE "Role";
ALTER TABLE named ALTER COLUMN r TYPE "Role" USING ("r"::"public"."Role"), ALTER m TYPE apart.mood USING m::apart.mood;
ALTER TABLE named ADD COLUMN again "Role" DEFAULT 'b', ADD COLUMN moods apart.mood[] DEFAULT '{sad}';
ALTER TABLE named ALTER COLUMN r TYPE "Role" USING r::text::"Role";
ALTER TABLE named ALTER COLUMN r TYPE text, ALTER r TYPE text USING 'b', ALTER COLUMN m TYPE text;
ALTER TABLE named ALTER COLUMN r TYPE text, ALTER COLUMN m TYPE text;
SELECT * FROM named;
\d named
DROP TABLE named;
DROP SCHEMA apart CASCADE;
DROP TYPE "Role";
