-- A serial's numbers are drawn once for a row, also by the first INSERT after a unique index has come.
create table drawn_once (id bigserial primary key, name varchar(30) not null);
create unique index drawn_once_name on drawn_once (name);
insert into drawn_once (name) values ('x') returning id;
insert into drawn_once (name) values ('y') returning id;
create unique index drawn_once_lower on drawn_once (lower(name));
insert into drawn_once (name) values ('z') returning id;
begin;
create unique index drawn_once_both on drawn_once (name, id);
insert into drawn_once (name) values ('u') returning id;
insert into drawn_once (name) values ('v'), ('w');
commit;
insert into drawn_once (name) values ('t') on conflict do nothing returning id;
select * from drawn_once order by id;
drop table drawn_once;
