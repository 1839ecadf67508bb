-- What an added column's DEFAULT comes to is computed, whether there are rows or not
create table fvoc (a int);
alter table fvoc add column b int default 1/0;
alter table fvoc add column b int default (1/(a-a));
alter table fvoc add column b int default 'x';
alter table fvoc add column b int default ('1'||'x')::int;
alter table fvoc add column b int default 4/2, add column c int default 4/0;
\d fvoc
alter table fvoc add column c int default length(repeat('x', 3)), add column ts timestamptz default now(), add column r float8 default random(), add column u uuid default gen_random_uuid();
alter table fvoc add column d int not null default null;
alter table fvoc add s varchar(3) default 'abc'||'def';
alter table fvoc add s char(3) default 'abc   ';
alter table fvoc add ss varchar(3)[] default array['abc'||'def'];
\d fvoc
alter table if exists fvoc_none add column if not exists z int default 1/0;
alter table fvoc add column if not exists a int default 1/0;
do $$ begin execute 'alter table fvoc add zz int default 5/0'; end $$;
begin; create table fvoc_2 (a int); alter table fvoc_2 add b int default 3/(2-1); insert into fvoc_2 values (1); alter table fvoc_2 add c int default 3/(2-1) + 1; select * from fvoc_2; rollback;
-- One that has to be computed for each row is computed for none
alter table fvoc add v int default (random()*0)::int/0;
-- CREATE TABLE and SET DEFAULT compute nothing
create table fvoc_3 (a int default 1/0); alter table fvoc_3 alter a set default 2/0; \d fvoc_3
-- Tables above others
create table fvoc_4 (a int) partition by range (a); create table fvoc_5 partition of fvoc_4 for values from (1) to (2); alter table fvoc_4 add b int default 1/0;
create table fvoc_6 (a int); create table fvoc_7 () inherits (fvoc_6); alter table fvoc_6 add b int default 1/0; alter table fvoc_6 add b int default 4/2; insert into fvoc_7 values (1); select * from fvoc_6;
