-- The schema of a collation is entered by those who may.
\set VERBOSITY verbose
create schema hid;
create collation hid.cx (locale = 'C');
create role reader_of_collations;
set role reader_of_collations;
select 'a' collate hid.cx;
select 'a' < 'b' collate hid.cx;
select 'a' collate hid.nope;
select 'a' collate nos.cx;
select 'x' collate nope;
reset role;
grant usage on schema hid to reader_of_collations;
set role reader_of_collations;
select 'a' collate hid.cx;
select 'x' collate nope;
reset role;
select 'a' collate hid.nope;
select 'a' collate pg_catalog."default", 'b' collate pg_catalog."C";
revoke usage on schema hid from reader_of_collations;
drop collation hid.cx; drop schema hid;
drop role reader_of_collations;
