-- Columns that every table has are neither dropped nor renamed, which is said as it is.
create table a (x int);
alter table a drop xmin;
alter table a drop column if exists xmin;
alter table a drop column tableoid cascade;
alter table a rename xmin to y;
alter table a alter ctid type text;
alter table a drop nobody;
alter table a drop column if exists nobody;
alter table a rename nobody to y;
create view v as select x from a;
alter table v rename xmin to y;
alter view v rename column nobody to y;
