-- What ALTER COLUMN TYPE ... USING computes of constants is computed where there is no row, too.
create table e (a int, b text default 'x');
alter table e alter a type int using 1/0;
alter table e alter a type bigint using a / 0;
alter table e alter a type bigint using (a + 1/0);
alter table e alter a type int using case when a > 0 then 1 else 2/0 end;
alter table e alter a type int using 5;
\d e
insert into e values (1, 'y');
alter table e alter a type int using 1/0;
-- What USING gives is looked at before the default.
alter table e alter b type boolean using length(b);
alter table e alter b type boolean using true;
alter table e alter b type boolean;
select * from e;
