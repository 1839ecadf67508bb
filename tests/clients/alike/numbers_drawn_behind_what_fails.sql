-- A constant that is no value of its column is found before a number is drawn for the row, wherever the two stand.
create table parcels (name text, number serial, weight smallint, line int generated always as identity, code varchar(3));
insert into parcels (name, weight) values ('b', 40000);
insert into parcels (name) values ('c') returning number, line;
insert into parcels (name, weight) values ('b', 40000::int8);
insert into parcels (name, weight) values ('b', 40000.5);
insert into parcels (name, weight) values ('b', 30000 + 20000);
insert into parcels (name, code) values ('b', 'abcd');
insert into parcels (name) values ('c') returning number, line;
prepare coded as insert into parcels (code) values ('abcd');
execute coded;
prepare weighed as insert into parcels (weight) values ($1::int);
execute weighed (40000);
insert into parcels (name) values ('c') returning number, line;
begin;
savepoint a;
insert into parcels (name, weight) values ('b', 40000);
rollback to a;
insert into parcels (name) values ('c') returning number, line;
commit;
-- What a row itself is refused for comes when it has its number.
alter table parcels add check (weight < 10);
insert into parcels (weight) values (11);
insert into parcels (name) values ('c') returning number, line;
