create table t (id int primary key, email text, active bool, a int, b int);
insert into t values (1,'A@x',true,1,1),(2,'b@x',false,1,2);
create unique index t_email on t (lower(email));
insert into t values (3,'a@X',true,1,3);
insert into t values (3,'c@X',true,1,3);
create unique index t_a on t (a) where active;
delete from t where id=3;
create unique index t_a on t (a) where active;
insert into t values (4,'d',true,1,4);
insert into t values (4,'d',false,1,4);
update t set active = true where id = 4;
insert into t (id,email,active,a,b) values (5,'e',true,5,5) returning *;
insert into t values (6,'e',true,6,6) on conflict do nothing;
insert into t values (6,'e',true,6,6) on conflict (lower(email)) do nothing;
insert into t values (6,'e',true,6,6) on conflict (lower(email)) do update set b = excluded.b returning id, b;
insert into t values (6,'f',true,5,6) on conflict (a) where active do update set b = 60 returning id, b;
insert into t values (6,'f',true,5,6) on conflict (a) do update set b = 60 returning id, b;
insert into t values (6,'f',true,5,6) on conflict on constraint t_a do nothing;
insert into t values (7,'g',true,5,6) on conflict (upper(email)) do nothing;
select * from t order by id;
select t from t order by id limit 1;
select row_to_json(t) from t order by id limit 1;
table t order by 1 limit 1;
create unique index t_ab on t (a, b) include (id);
insert into t values (8,'h',false,1,2);
insert into t values (8,'h',false,1,9);
create unique index t_nn on t (b) nulls not distinct;
insert into t values (9,'i',false,1,null);
insert into t values (10,'j',false,1,null);
\d t
select conname, contype from pg_constraint where conrelid='t'::regclass order by 1;
select indexdef from pg_indexes where tablename='t' order by 1;
alter table t add column z int default 7;
insert into t values (11,'K',false,3,11,12) returning *;
insert into t values (12,'k',false,3,12,12) returning *;
alter table t rename column email to mail;
insert into t values (12,'k',false,3,12,12) returning *;
alter table t drop column active;
\d t
insert into t values (12,'k',3,12,12) returning *;
drop index t_email;
insert into t values (12,'k',3,13,12) returning *;
create table t2 (like t including all);
\d t2
insert into t2 values (12,'k',3,13,12) returning *;
insert into t2 values (13,'k',3,13,12) returning *;
alter index t_ab rename to t_ab2;
insert into t values (22,'k',3,13,12) returning *;
create table u (a int, b text);
create unique index u_a on u (a);
insert into u values (1,'x');
insert into u values (1,'y') on conflict (a) do update set b = 'z';
alter table u add constraint u_pk primary key using index u_a;
\d u
insert into u values (1,'x');
drop index u_a;
drop index u_pk;
create table v (a int references u(a));
create unique index on u (b);
create table w (b text references u(b));
insert into w values ('z');
insert into w values ('q');
drop index u_b_idx;
copy t2 from stdin;
20	q	1	1	1
21	r	1	2	1
\.
select * from t2 order by 1;
create unique index on t2 ((id % 2)) ;
insert into t2 select g, 'x', g, g, g from generate_series(100,101) g;
truncate t2;
create unique index on t2 ((id % 2)) ;
insert into t2 select g, 'x', g, g, g from generate_series(100,101) g;
insert into t2 select g, 'x', g, g, g from generate_series(102,103) g;
begin; create unique index on u ((b || 'x')); insert into u values (5,'z'); rollback;
begin; create unique index on u ((b || 'x')); insert into u values (5,'zz'); commit;
insert into u values (6,'zz');
