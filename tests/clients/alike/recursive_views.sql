create recursive view rv (n) as select 1 union all select n + 1 from rv where n < 3;
select * from rv;
create or replace recursive view public.rv (n) as values (1) union all select n + 1 from rv where n < 5;
select sum(n) from rv;
create recursive view rv2 as select 1;
create temp recursive view rt (a, "B") as select 1, 'x' union all select a + 1, "B" from rt where a < 2;
select * from rt order by 1;
\d rv
create recursive table x (a int);
drop view rv;
