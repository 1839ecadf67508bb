-- A schema of tables, keys, views and sequences, looked at, altered and taken down.
create schema hr; create table hr.dept (id int primary key, name text unique not null); create table hr.emp (id int generated always as identity primary key, dept_id int not null references hr.dept on delete restrict on update cascade, name varchar(30) not null, salary numeric(8,2) default 0 check (salary >= 0), email text, unique (dept_id, name), constraint email_fmt check (email ~ '@'));
comment on table hr.emp is 'Employees'; comment on column hr.emp.salary is 'per month'; create index emp_email on hr.emp (lower(email)) where email is not null; create view hr.v as select e.name, d.name as dept from hr.emp e join hr.dept d on d.id = e.dept_id;
\d hr.emp
\d+ hr.emp
\d hr.dept
\di hr.*
\dn+ hr
insert into hr.emp (id, dept_id, name) values (1,1,'x'); insert into hr.emp (dept_id,name) values (1,'x'); insert into hr.dept values (1,'A'),(2,'B'); insert into hr.emp (dept_id,name,email) values (1,'x','bad'); insert into hr.emp (dept_id,name) values (1,'x') returning id; insert into hr.emp overriding system value values (100,1,'y') returning id; insert into hr.emp (dept_id,name) values (1,'x');
delete from hr.dept where id=1; update hr.dept set id=10 where id=1; select id, dept_id from hr.emp order by id; drop table hr.dept; drop schema hr; alter table hr.emp drop constraint email_fmt, add column age int check (age between 0 and 150), alter column name set data type text, alter column email set not null; alter table hr.emp alter column email set default 'none@'; alter table hr.emp rename column age to years; alter table hr.emp rename constraint emp_age_check to years_ok; \d hr.emp
alter table hr.emp drop column dept_id cascade; \d hr.emp
drop view hr.v; 
truncate hr.dept; truncate hr.dept cascade; select setval('hr.emp_id_seq', 50), currval('hr.emp_id_seq'), nextval('hr.emp_id_seq'), lastval(); select last_value, is_called from hr.emp_id_seq; alter sequence hr.emp_id_seq restart with 5 increment by 5 maxvalue 20 cycle; select nextval('hr.emp_id_seq'),nextval('hr.emp_id_seq'),nextval('hr.emp_id_seq'),nextval('hr.emp_id_seq'),nextval('hr.emp_id_seq'); \d hr.emp_id_seq
create type color as enum ('red','green'); alter type color add value 'blue' before 'green'; select enum_range(null::color), 'blue'::color < 'green'::color; select 'pink'::color; alter type color rename value 'red' to 'crimson'; select enum_first(null::color); drop type color; 
revoke all on hr.emp from app; drop role app; reassign owned by tidewire to tidewire; \ddp
