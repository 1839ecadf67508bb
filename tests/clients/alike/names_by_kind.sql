-- One name for a table, a function, a collation: each kind has names of its own; types share them with tables.
create table fa(op text);
create function fa() returns trigger language plpgsql as $$ begin return null; end $$;
create function fb() returns int language sql as 'select 1';
create table fb(op text);
select fb(); 
create type fa as (x int);
create domain fa as int;
create collation fa from "C";
create type en as enum ('a'); create table en (a int); create function en() returns int language sql as 'select 1';
