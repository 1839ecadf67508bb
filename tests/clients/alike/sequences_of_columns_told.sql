-- Who wants to hear of everything hears of the sequences that columns bring with them.
set client_min_messages = debug1;
create table told_a (id serial, v int, big bigserial);
create table told_b (id int generated always as identity, small smallserial);
create table told_c (like told_b including identity, c serial);
create table told_d (id int not null);
alter table told_d alter id add generated always as identity;
create temp table told_e (id serial);
create table "Told F" ("The Id" serial) partition by range ("The Id");
do $$ begin create table told_g (id serial); end $$;
set client_min_messages = log;
create table told_h (id serial);
reset client_min_messages;
create table told_i (id serial);
