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
create table constants_of_no_type(a int, b text); insert into q values (1,'x');
alter table constants_of_no_type alter b type date using 'nope';
alter table constants_of_no_type alter b type date using 'nope'::date;
alter table constants_of_no_type alter b type int using '5'::int + 'x'::int;
alter table constants_of_no_type alter b type int using b::int;
alter table constants_of_no_type add c date default 'nope';
alter table constants_of_no_type add c date default 'nope'::date;
alter table constants_of_no_type alter a set default 'nope';
alter table constants_of_no_type alter b type bool using 'maybe';
create table constants_of_no_type_2(a date default 'nope');
