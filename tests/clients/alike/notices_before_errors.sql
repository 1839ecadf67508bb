-- What a statement has to say before it is refused is said all the same.
create table emp(salary int, x int); create table stud() inherits(emp); alter table stud add manager int;
alter table emp rename salary to manager;
alter table emp rename salary to x;
create table p(a int, b int) partition by list(a);
create table p1 partition of p (b with options generated always as identity) for values in (1);
CREATE OPERATOR === ( "Leftarg" = box, "Rightarg" = box, "Procedure" = area_equal_function, "Hashes");
create table gt(a int, b int generated always as (a*2) stored);
create table gx(x int, b int default 10) inherits(gt);
drop table if exists nosuch, p1x, emp;
drop table if exists nosuch, emp cascade;
-- contexts call types by their names
create function ch(char, bpchar[]) returns int language plpgsql as $$begin raise 'x'; end$$;
select ch('a', null);
select jsonb_path_query('"12:34"', '$.datetime("aaa")');
