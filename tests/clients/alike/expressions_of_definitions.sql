create table g1 (a int, b int generated always as (c) stored);
create table g2 (a int, b int generated always as (b + 1) stored);
create table g3 (a int, b int generated always as (random()) stored);
create table g4 (a int, b int generated always as (a) stored, c int generated always as (b) stored);
create table g7 (a int, b int generated always as (sum(a)) stored);
create table g8 (a int, b int generated always as ((select 1)) stored);
create table g10 (a int, b bool generated always as (a) stored);
create table g11 (a int, b text generated always as (a || 'x') stored); insert into g11 values (5); select * from g11; \d g11
create table g12 (a int check (c > 0)); create table g13 (a int check (g99.a > 0)); create table g14 (a int, check (a)); create table g15 (a int check (a > 'x'));
create table dup1 (a int, primary key (b)); create table dup2 (a int, unique (a, a)); create table dup3 (a int constraint x check (a>0), constraint x check (a<9)); create table dup4 (a int, a text);
alter table g11 add column z int generated always as (b || 'q') stored; alter table g11 add column z text generated always as (b || 'q') stored; alter table g11 add column zz text generated always as (nosuch) stored; alter table g11 add column zz int default nosuch; alter table g11 add check (nosuch > 1);
comment on table attmp_wrong is 'x'; comment on column g11.nosuch is 'x'; comment on type nosuch is 'x'; comment on index nosuch is 'x'; comment on view g11 is 'c';
create table at1 (a text default 'x'); alter table at1 alter a type int using a::int; alter table at1 alter column a set default 'x'; alter table at1 alter a type varchar(1); insert into at1 default values; alter table at1 alter a type varchar(1) using 'toolong'; create table at2(a int default '5'); \d at2
create table at3(a int default 'x'); insert into at3 default values;
create table at4 (id int); alter table at4 alter id add generated always as identity; create table at5 (v text not null); alter table at5 alter v add generated always as identity;
create table k1 (a int check (sum(a) > 1)); create table k2 (a int default sum(1)); create table k3 (a int, check (a > generate_series(1,3))); 
create table k4 (a int default generate_series(1,3));
