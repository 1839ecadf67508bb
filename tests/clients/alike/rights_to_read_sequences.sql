-- Who may read a sequence: SELECT for its row, SELECT or USAGE for its last value.
create role seqr; create sequence s1; create sequence s2; create view sv as select last_value from s1;
grant select on sv to seqr; grant usage on s2 to seqr; set role seqr;
select last_value from s1; select * from sv; select * from s2; select nextval('s2'); select currval('s2');
reset role; grant select on s1, s2 to seqr; set role seqr; select last_value from s1; select last_value, is_called from s2; select count(*) from s1; select nextval('s1'); select currval('s1');
reset role; revoke all on s2 from seqr; grant update on s2 to seqr; set role seqr; select last_value from s2; select nextval('s2'); select setval('s2', 9); select currval('s2'); select last_value from pg_sequences where sequencename = 's2'; select pg_sequence_last_value('s2');
create temp sequence mine; select last_value from mine;
reset role; drop view sv; drop sequence s1, s2; drop owned by seqr; drop role seqr;
