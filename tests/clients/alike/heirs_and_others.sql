-- Parents and children with keys, triggers, policies, rights, views, sequences and locks.

create table items (id serial primary key, label text unique, n int not null default 1);
create table books (pages int, isbn text) inherits (items);
create table comics (id int, drawn bool, label text, n int default 5, primary key (id)) inherits (items);
\d books
\d comics
insert into items (label) values ('a'), ('b');
insert into books (label, pages) values ('a', 10), ('a', 20);
insert into comics (label, drawn) values ('x', true);
insert into comics (id, label) values (1, 'y');
insert into comics (id, label) values (1, 'z');
select tableoid::regclass, * from items order by id, label;
select * from items where id = 1 order by label;
select * from items where id = 1 for update;
select * from items where id in (1, 3) order by id, label;
select * from items i join books b using (id) order by id;
update items set n = n + 1 where id = 1;
update items set id = 2 where id = 1;
update items set label = 'b' where label = 'y' and id = 1;
select tableoid::regclass, * from items order by id, label;
create table owners (who text, item int references items);
insert into owners values ('me', 2);
insert into owners values ('me', 3);
delete from items where id = 2;
delete from items where label = 'a' and id > 2;
insert into items (id, label) values (2, 'again') on conflict (id) do update set label = excluded.label;
insert into items (id, label) values (6, 'six') on conflict (label) do nothing;
select tableoid::regclass, * from items order by id, label;
create unique index on items (lower(label));
create index on books (pages);
update items set label = upper(label);
insert into books (id, label, pages) values (20, 'SIX', 3), (21, 'SIX', 3);
update items set n = 0 where label = 'SIX';
select tableoid::regclass, * from items order by id, label;
select * from only items order by label;
create table genres (item int primary key, of int);
insert into genres values (20, 7);
update items set n = g.of from genres g where g.item = items.id;
select tableoid::regclass, id, n from items where n = 7;
delete from items using genres g where g.item = items.id;

-- Columns of children that are computed.
create table circles (r float8, area float8 generated always as (r * r * 3) stored);
create table rings (inner_r float8, hole float8 generated always as (inner_r * inner_r * 3) stored, wide float8 generated always as (r + inner_r) stored) inherits (circles);
create unique index on rings ((r + inner_r * 1000));
insert into circles values (1);
insert into rings (r, inner_r) values (2, 1), (3, 2);
update circles set r = r * 10 where r > 1;
select * from circles order by r;
select * from rings order by r;
update circles set r = 7;
select * from rings order by inner_r;

-- Triggers: the statement's are those of the table that is named, the rows' those of whose rows they are.
create function told() returns trigger language plpgsql as $$ begin raise notice '% % % on %', tg_name, tg_when, tg_op, tg_table_name; return coalesce(new, old); end $$;
create trigger items_s after update or delete or insert on items for each statement execute function told();
create trigger items_r before update or delete or insert on items for each row execute function told();
create trigger books_s before update or delete or insert on books for each statement execute function told();
create trigger books_r after update or delete or insert on books for each row execute function told();
update items set n = 100 where id = 3;
update items set n = 100 where id in (6, 21);
update only items set n = 101;
delete from items where id in (3, 21);
insert into books (id, label) values (30, 'thirty');
update books set n = 4;
update items set n = 4 where false;
alter table items disable trigger user;
alter table books disable trigger user;
create function louder() returns trigger language plpgsql as $$ begin new.isbn := new.isbn || '!'; new.label := new.label || '?'; return new; end $$;
create trigger louder before update on books for each row execute function louder();
update books set isbn = 'i';
update items set n = 3;
select * from books order by id;

-- Views.
create view all_items as select id, label, n from items;
create view only_items as select id, label from only items;
select * from all_items order by id, label;
select * from only_items order by id, label;
update all_items set n = 9 where id = 30;
insert into all_items values (40, 'forty', 1);
delete from all_items where id = 1;
select * from books;
select pg_get_viewdef('all_items'), pg_get_viewdef('only_items');
create view checked as select * from items where n < 50 with check option;
update checked set n = 60 where id = 30;
update checked set n = 40 where id = 30;
select id, n from books;


-- Rights are those of the table that is named.
create role alike_heirs_reader;
grant select, update (n), delete on items to alike_heirs_reader;
set role alike_heirs_reader;
select count(*) from items;
select * from books;
update items set n = 11 where id = 30;
update items set label = 'no' where id = 30;
delete from items where id = 40;
truncate items;
create table mine () inherits (items);
reset role;

-- Policies, too.
alter table items enable row level security;
create policy some on items for all using (n < 20) with check (n < 15);
alter table books enable row level security;
insert into books (id, label, n) values (50, 'fifty', 18), (51, 'fifty-one', 25);
set role alike_heirs_reader;
select id, n from items order by id;
update items set n = n + 1 where id in (50, 51);
update items set n = 2 where id in (50, 51);
delete from items where id in (50, 51);
reset role;
select id, n from items order by id;
drop policy some on items;
alter table items disable row level security;

-- Others.
begin;
lock table items;
rollback;
declare c cursor with hold for select id from items order by id;
fetch 2 from c;
close c;
create table like_books (like books including all);
\d like_books
create table as_items as select * from items;
select count(*) from as_items;
select id, (items.*) is null from items where id = 30;
select id from items where exists (select from books b where b.id = items.id) order by id;
select i.id, (select count(*) from items) from items i where i.id = 30;
select id from items union select id from only items order by 1;
with recursive r as (select 30 as x union select id from items join r on r.x > 100) select * from r;
select a.id from items a left join items b on b.id = a.id and b.n > 1000 where a.id = 30;
insert into items (id, label) select id + 1000, label || 'more' from items where id = 30;
select id, label from only items where id > 1000;
drop table like_books, as_items, owners;
drop view all_items, only_items, checked;
drop table items cascade;
drop role alike_heirs_reader;
