-- INTO is of the first query of a UNION.
select 1 into first_of union select 2;
select * from first_of order by 1;
select 1 union select 2 into second_of;
select 1 from first_of union all select 2 into second_of from first_of;
select 1 into first_one union select 2 into second_of;
select 1 union select 2 from first_of into second_of;
insert into first_of select 3 union select 4;
with w as (select 1 union select 2) insert into first_of select * from w;
select count(*) from first_of;
