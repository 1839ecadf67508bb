-- Within CASE a DEFAULT may have the words with which a column's constraints begin.
create table x1 (f text default case when true then null else 'a' end);
create table x2 (f text default case when true then 'b' else null end not null);
create table x3 (f text default case when true then 'b' when false then null::text end unique);
create table x4 (f bool default case when true then 1 is null else 2 > 1 end not null);
create table x5 (f text default case when 1 > 0 then null::text else 'a' end check (f > 'a'));
create table x6 (f text default case when 'a' collate "C" > 'b' then 'c' end collate "C" unique);
create table x7 (f int default case when true then null else 2 end null, g int not null default 1);
alter table x7 add h int default case when 1 is not null then 3 end not null;
create domain d1 as text default case when true then null else 'b' end not null;
create domain d2 as text default case when true then 'x' else null::text end check (value > 'a');
insert into x4 default values;
insert into x7 default values;
table x4;
table x7;
select table_name, column_name, column_default, is_nullable from information_schema.columns where table_name like 'x_' order by 1, 2;
create table x9 (a d1, b d2);
create table x8 (f int default case when true then null);
