-- Foreign keys into partitioned tables at work: self references over leaves, actions, rows that move, deferral.
create table p (a int primary key, s text);
create table c (id int, a int references p) partition by list (id);
create table c1 partition of c for values in (1) partition by list (a);
create table c11 partition of c1 default;
insert into p values (1),(2);
insert into c values (1,1);
delete from p where a=1;
drop table p;
begin; drop table p cascade; rollback;
alter table p drop constraint p_pkey;
-- self references over leaves
create table s (a int, b text, up int, primary key (a), foreign key (up) references s) partition by range (a);
create table s1 partition of s for values from (0) to (10);
create table s2 partition of s for values from (10) to (20);
create table s3 partition of s for values from (20) to (30) partition by range (a);
create table s31 partition of s3 for values from (20) to (25);
create table s32 partition of s3 for values from (25) to (30);
insert into s values (1,'a',11),(11,'b',21),(21,'c',26),(26,'d',1);
insert into s values (2,'a',3);
insert into s values (2,'a',3),(3,'x',2);
delete from s where a=1;
delete from s where a in (2,3);
delete from s;
insert into s values (1,'a',1);
update s set a = 12 where a = 1;
update s set a = 12, up = 12 where a = 1;
select tableoid::regclass, * from s;
update s set a = 22, up = 22 where a = 12;
update s3 set a = 27, up = 27 where a = 22;
update s3 set a = 22 where a = 27;
select tableoid::regclass, * from s;
insert into s31 values (23, 'x', 27), (24, 'y', 23);
insert into s31 values (20, 'x', 28);
copy s from stdin;
4	x	13
13	y	4
\.
copy s from stdin;
5	x	14
\.
insert into s select n, 'n', case when n > 4 then n - 1 end from generate_series(5, 9) n;
select tableoid::regclass, * from s order by a;
truncate s1;
truncate s1 cascade;
select count(*) from s;
alter table s detach partition s2;
drop table s1;
\d s1
\d s2
\d s
drop table s2;
drop table s cascade;
-- actions
create table k (a int, b int, c int default 7, primary key (a, b)) partition by list (a);
create table k1 partition of k for values in (1, 2);
create table k2 (c int, b int not null, a int not null); alter table k attach partition k2 for values in (3, 4, 0);
insert into k select a, b from generate_series(0, 4) a, generate_series(0, 4) b;
create table f_c (id serial primary key, a int, b int, foreign key (a, b) references k on delete cascade on update cascade);
create table f_n (id serial primary key, a int, b int, foreign key (a, b) references k on delete set null (b) on update set null);
create table f_d (id serial primary key, a int default 0, b int default 0, foreign key (a, b) references k on delete set default on update set default);
create table f_r (id serial primary key, a int, b int, foreign key (a, b) references k match full on delete restrict on update restrict);
create table f_l (id serial primary key, a int, b int, foreign key (a, b) references k deferrable initially deferred);
insert into f_c (a, b) select a, b from k where a <> 0 order by a, b;
insert into f_n (a, b) select a, b from f_c order by id;
insert into f_d (a, b) select a, b from f_c order by id;
insert into f_r (a, b) values (1, 1), (null, null);
insert into f_r (a, b) values (1, null);
insert into f_c (a, b) values (1, null), (null, 9), (9, null);
insert into f_c (a, b) values (9, 9);
begin; insert into f_l (a, b) values (9, 9); select 1; commit;
begin; insert into f_l (a, b) values (2, 9); insert into k values (2, 9); commit;
delete from k where a = 1 and b = 1;
update k set b = 8 where a = 1 and b = 1;
update k set a = 3, b = 8 where a = 1 and b = 1;
delete from k where a = 1 and b = 2;
delete from k2 where b = 2;
update k set b = b + 10 where b = 3;
update k set a = 5 - a, b = b + 100 where a in (2,3) and b = 4;
update k set a = case a when 1 then 4 else 1 end, b = b + 20 where a in (1, 4) and b = 4;
select tableoid::regclass, * from k order by a, b;
select * from f_c order by id; select * from f_n order by id; select * from f_d order by id; select * from f_r; select * from f_l;
delete from k where a = 2 and b = 9;
begin; delete from k where a = 2 and b = 9; set constraints all immediate; rollback;
begin; delete from k where a = 2 and b = 9; insert into k values (2, 9); commit;
begin; update k set a = 4 where a = 2 and b = 9; commit;
begin; update k set a = 4 where a = 2 and b = 9; update k set a = 2 where a = 4 and b = 9; commit;
begin; update k set a = 4 where a = 2 and b = 9; update f_l set a = 4; commit;
select * from f_l;
delete from k where b = 0 and a = 0;
merge into k using (values (1, 0), (2, 0)) v(a, b) on k.a = v.a and k.b = v.b when matched and v.a = 1 then delete when matched then update set a = 3, b = 30;
select tableoid::regclass, * from k order by a, b;
select * from f_c order by id;
with x as (delete from k where a = 3 and b = 30 returning *) select * from x;
select count(*) from f_c;
insert into k values (1, 1) on conflict (a, b) do update set b = 77;
insert into k values (1, 10) on conflict (a, b) do update set b = 77;
select a, b from f_n order by id;
-- not root
create table nr (a int references k);
create table g (a int primary key) partition by range (a);
create table g1 partition of g for values from (0) to (10) partition by range (a);
create table g11 partition of g1 for values from (0) to (5);
create table g12 partition of g1 for values from (5) to (10);
create table g2 partition of g for values from (10) to (20);
create table h (a int references g1 on update cascade);
create table hl (a int references g11 on update cascade on delete cascade);
insert into g values (1), (2), (3), (11);
insert into h values (2); insert into hl values (3);
update g set a = 6 where a = 1;
update g set a = 7 where a = 2;
update g1 set a = 7 where a = 2;
select * from h;
update g set a = 12 where a = 7;
update g set a = 13 where a = 3;
drop table h;
update g set a = 8 where a = 3;
select * from hl;
\d g11
\d h
