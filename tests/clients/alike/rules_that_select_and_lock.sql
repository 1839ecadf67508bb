-- A rule that puts a SELECT in an UPDATE's place answers with its rows, whether it locks them or not.
create table shown (f1 int, f2 int);
insert into shown values (1, 2), (11, 12);
create rule r1 as on update to shown do instead select * from shown where f1 = 1;
update shown set f2 = f2 + 1;
create or replace rule r1 as on update to shown do instead select * from shown where f1 = 1 for update;
update shown set f2 = f2 + 1;
create or replace rule r1 as on update to shown do instead select f2 from shown where f1 = 11 for share of shown;
update shown set f2 = f2 + 1;
create or replace rule r1 as on update to shown do also select 'also ' || f1 as what from shown order by f1 for no key update;
update shown set f2 = f2 + 1;
select * from shown order by f1;
