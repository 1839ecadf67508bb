-- What does not become a parent or a child's trigger, in PostgreSQL's words.

create table p (id int primary key, a int);
create table c (x int) inherits (p);
create function f() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger t after insert on c referencing new table as n for each row execute function f();
create trigger t after insert on p referencing new table as n for each row execute function f();
create view v as select 1 as id;
alter table c inherit v;
create materialized view m as select 1 as id;
alter table c inherit m;
create sequence s;
alter table c inherit s;

