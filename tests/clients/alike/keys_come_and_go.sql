-- Keys come and go, one statement after the other: each change of a key has the table read back under its new one.
create table atacc1 (test int not null);
alter table atacc1 add constraint "atacc1_pkey" primary key (test);
alter table atacc1 drop constraint "atacc1_pkey";
alter table atacc1 alter column test drop not null;
insert into atacc1 values (null),(1),(1); select * from atacc1 order by 1;
drop table atacc1;
create table b (i int primary key, u int unique);
insert into b select g, g from generate_series(1,1000) g;
alter table b drop constraint b_pkey; alter table b drop constraint b_u_key; alter table b add primary key (u); alter table b add unique (i);
alter table b drop column i; alter table b add column z int default 7; alter table b drop constraint b_pkey;
select count(*), sum(u), sum(z) from b; insert into b values (1,1); update b set z=8 where u=1; select count(*) from b where z=8; drop table b;
-- A key that has just been added costs no number of a sequence.
CREATE TABLE drawn (id serial PRIMARY KEY, p int, t text);
ALTER TABLE drawn ADD UNIQUE (p, t);
INSERT INTO drawn (p, t) VALUES (1, 'x'), (1, 'y') RETURNING id;
INSERT INTO drawn (p, t) VALUES (2, 'z');
SELECT max(id), last_value FROM drawn, drawn_id_seq GROUP BY last_value;
DROP TABLE drawn;
