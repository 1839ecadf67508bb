-- Definitions that are refused, by their codes.
\set VERBOSITY sqlstate
create table st_l (a int) partition by list (a);
create table st_l1 partition of st_l for values from (1) to (2);
create table st_r (a int, b int) partition by range (a, b);
create table st_r1 partition of st_r for values in (1);
create table st_r1 partition of st_r for values from (1) to (2, 2);
create table st_h (a int) partition by hash (a);
create table st_h0 partition of st_h for values with (modulus 4, remainder 0);
create table st_h1 partition of st_h for values with (modulus 3, remainder 2);
create table st_h2 partition of st_h for values with (modulus 6, remainder 2);
create table st_h3 partition of st_h for values in (3);
create table st_t (a int, b int not null);
alter table st_t attach partition st_l default;
alter table st_t detach partition st_l;
create unique index st_partial on st_t (b) where a > 1;
create unique index st_expression on st_t ((b + 1));
create index st_double on st_t (b);
alter table st_t add constraint st_late unique (b) deferrable;
alter table st_t replica identity using index st_partial;
alter table st_t replica identity using index st_expression;
alter table st_t replica identity using index st_late;
alter table st_t replica identity using index st_double;
create view st_v as select a from st_t;
create materialized view st_m as select a from st_t;
merge into st_v using st_t on true when matched then delete;
merge into st_m using st_t on true when matched then delete;
create function st_f(a int, out b int) returns table (c int) language sql as 'select 1';
create policy st_p on st_t to public, current_user using (true);
