-- A domain's default is shown as any other: its functions with their schema where the search path does not find them.
create function eight(int) returns int language sql immutable as 'select $1';
create schema aside;
create function aside.nine() returns int language sql immutable as 'select 9';
create sequence numbers;
create domain d1 as int default eight(8);
create domain d2 as int default aside.nine();
create domain d3 as int default 5;
create domain d4 as text default 'x';
create domain d5 as varchar(5) default 'y' || 'z';
create domain d6 as bigint default nextval('numbers');
create domain d7 as int default null;
create domain d8 as int default -1;
create domain d9 as timestamptz default now();
create domain d10 as numeric(5,2) default 3;
create domain d11 as int default '7';
create domain d12 as int[] default '{1,2}';
create domain d13 as date default current_date;
create domain d14 as d4;
create domain d15 as d4 default 'q';
create domain d16 as bool default true;
create domain d17 as int default 4 + 5 * 2;
select typname, typdefault from pg_type where typname like 'd_' or typname like 'd__' and typtype = 'd' order by typname;
select domain_name, domain_default from information_schema.domains where domain_name like 'd_' or domain_name like 'd__' order by 1;
\dD
create table t (a d1, b d2, c d6, x int);
insert into t (x) values (1);
select * from t;
