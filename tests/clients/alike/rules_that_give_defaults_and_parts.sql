-- What a rule inserts may be DEFAULT, and parts of columns: it does what it says, and is shown as PostgreSQL shows it.
create table kept (f1 int default 7, f2 int[], f3 text default 'd');
create table gone (f1 bigint, f2 text);
create rule r1 as on delete to gone do also insert into kept (f1, f2) values (default, array[old.f1]);
create rule r2 as on delete to gone do also insert into kept values (default, array[old.f1]);
create rule r3 as on delete to gone do also insert into kept values (old.f1, array[old.f1], default);
create rule r4 as on delete to gone do also insert into kept (f3, f2, f1) values (default, array[old.f1+1], default);
create rule r5 as on delete to gone do also insert into kept (f2[2], f1) values (old.f1, default);
insert into gone values (4), (5);
delete from gone;
select * from kept order by f1, f2, f3;
\d+ gone

create table counted (id serial primary key, what text, n int generated always as identity);
create table source (a int, b text);
create rule s1 as on insert to source do also insert into counted values (default, new.b, default);
create rule s2 as on update to source where new.a > 1 do also insert into counted (id, what) values (default, 'fixed');
insert into source values (1, 'x'), (2, 'y');
update source set b = 'z';
select id, what, n from counted order by id;
\d+ source

create type both as (if1 int, if2 text[]);
create table parts (f1 int, f2 int[], f3 both, f4 both[]);
create table whole (f1 bigint, f2 text);
create rule r1 as on insert to whole do also insert into parts (f3.if2[1], f3.if2[2]) values (new.f1,new.f2);
create rule r2 as on insert to whole do also insert into parts (f4[1].if1, f4[1].if2[2]) values (1,'fool'),(new.f1,new.f2);
create rule r3 as on insert to whole do also insert into parts (f4[1].if1, f4[1].if2[2]) select new.f1, new.f2;
create rule r4 as on update to whole do also update parts set f3.if2[1] = new.f2, f2[2] = new.f1;
create rule r5 as on delete to whole do also update parts x set f2[:old.f1] = '{1}', f1 = default, f3.if2 = '{a}' where x.f1 = old.f1;
\d+ whole
select pg_get_ruledef(oid) from pg_rewrite where ev_class = 'whole'::regclass order by rulename;
insert into whole values (3, 'x');
select * from parts order by 3, 4;
update whole set f2 = 'other';
select * from parts order by 3, 4;
