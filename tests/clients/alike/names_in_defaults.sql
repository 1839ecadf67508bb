-- nextval('s') in a default is the sequence itself: no search path turns it, and it follows renames.
create schema app; create table app.a (id serial primary key, n int default nextval('app.a_id_seq')); \d app.a
set search_path = app; \d a
create table x (k int, n int default nextval('a_id_seq'));
reset search_path;
insert into app.x values (1) returning *;
\d app.x
alter table app.a rename to b; alter sequence app.a_id_seq rename to s2; \d app.x
insert into app.x values (1) returning *;
create sequence "Odd ' Name"; create table odd (x int default nextval('"Odd '' Name"')); \d odd
select column_default from information_schema.columns where table_name in ('a','b','x') order by table_name, ordinal_position;
drop sequence app.s2;
create table k (c char(3) default 'a', f float8 default 1.5, n numeric default -1, b bool default (not false), t text default upper('a') || current_date::text, x int default 1+2*3, y int check (y > 0 and (y < 10 or y is null)), z text check (z in ('a','b')), w text check (z like 'a%'), ts timestamptz default now() - interval '1 day');
\d k
select attname, attndims, atttypmod, atthasdef from pg_attribute where attrelid='k'::regclass and attnum > 0 order by attnum;
create sequence inv; create table i2 (no text default 'INV-' || nextval('inv'), k int); insert into i2(k) values (1) returning *;
alter sequence inv rename to inv2; insert into i2(k) values (2) returning *; \d i2
create schema s3; alter sequence inv2 set schema s3; insert into i2(k) values (3) returning *; alter schema s3 rename to s4; insert into i2(k) values (4) returning *; \d i2
drop sequence s4.inv2; drop sequence s4.inv2 cascade; \d i2
create table bad (x int default nextval('nosuch'));
create table lk (like i2 including defaults); alter table lk alter k set default nextval('app.s2'); \d lk
select pg_get_serial_sequence('app.b','id'), pg_get_serial_sequence('lk','k');
create table reg (x regclass default 'i2'::regclass, y regclass default 'pg_class'); insert into reg default values returning *; alter table i2 rename to i3; insert into reg default values returning *; 
