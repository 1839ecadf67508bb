-- Triggers that set the key of a partition, and rows of partitions in errors: as the table shows them that the statement names.
create table p (a int, b int, c text) partition by list (a);
create table p1 (c text check (c <> 'bad'), b int not null, a int);
alter table p attach partition p1 for values in (1);
create table p2 partition of p for values in (2);
create table p3 partition of p for values in (3) partition by range (b);
create table p31 partition of p3 for values from (0) to (10);
create function up() returns trigger language plpgsql as $$ begin new.a := new.a + 1; return new; end $$;
insert into p values (1, 1, 'x'), (2, 2, 'y'), (3, 3, 'z');
create trigger t before update on p1 for each row execute function up();
update p set c = 'moved' where b = 1 returning tableoid::regclass, *;
insert into p values (1, 1, 'x2');
update p set c = 'moved by key' where a = 1 returning tableoid::regclass, *;
insert into p values (1, 1, 'x3');
update p set c = c || '!';
select tableoid::regclass, * from p order by 1, 2, 3, 4;
insert into p values (1, 1, 'x4');
update p1 set c = 'own';
update p set b = 8 from (values (1)) v(x) where a = v.x returning tableoid::regclass, *;
create trigger t before update on p31 for each row execute function up();
update p set c = 'nowhere' where a = 3;
update p3 set c = 'nowhere' where a = 3;
drop trigger t on p31;
drop trigger t on p1;
create trigger t before update on p for each row execute function up();
insert into p values (1, 1, 'x5');
update p set c = 'by the parents' where a = 1 returning tableoid::regclass, *;
update p set c = 'out' where a = 3;
create trigger i before insert on p for each row execute function up();
insert into p values (1, 1, 'y');
insert into p select 2, 2, 'y';
insert into p1(a, b, c) values (1, 1, 'direct');
drop trigger i on p;
create trigger i before insert on p1 for each row execute function up();
insert into p values (1, 1, 'y');
drop trigger i on p1; drop trigger t on p;
truncate p;
insert into p values (1, 2, 'bad');
insert into p values (1, null, 'good');
insert into p1(a, b, c) values (1, 2, 'bad');
insert into p select g, g, 'bad' from generate_series(1, 2) g;
insert into p values (1, 2, 'ok'), (2, 1, 'bad');
update p set c = 'bad' where a = 1;
update p set c = 'bad', b = null where c = 'ok';
update p1 set c = 'bad';
update p set a = 1 where a = 2;
create view v as select c, a, b from p where b < 100 with check option;
insert into v values ('x', 1, 200);
insert into p values (1, 2, 'bad') on conflict do nothing;
copy p from stdin;
1	\N	n
\.
copy p from stdin;
1	1	bad
\.
merge into p using (values (1)) v(x) on p.a = v.x when matched then update set c = 'bad';
merge into p using (values (7)) v(x) on p.a = v.x when not matched then insert values (1, null, 'bad');
