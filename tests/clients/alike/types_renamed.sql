-- Definitions name types as they are called now, wherever they are.
create type mood as enum('a','b'); create table mm (m mood default 'b'::mood check (m <> 'a'::mood)); create view mv as select 'a'::mood as x; create index mi on mm ((m = 'a'::mood));
create domain dm as mood check (value <> 'a'::mood);
alter type mood rename to mood2;
insert into mm values ('b'); insert into mm default values; table mv; select 'b'::dm;
\d mm
create schema s; alter type mood2 set schema s; insert into mm values ('b'); insert into mm default values; table mv; select 'b'::dm;
\d mm
