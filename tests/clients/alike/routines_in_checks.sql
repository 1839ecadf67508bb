-- CHECKs that call functions in PL/pgSQL: of every way that rows are written.
create function is_mail(text) returns boolean language plpgsql immutable as $$
begin
  if $1 = 'raise' then raise exception 'no mail: %', $1 using errcode = '22000'; end if;
  return $1 ~ '^[^@]+@[^@]+$';
end $$;
create function enough(int) returns boolean language sql as $$ select count(*) >= $1 from (values (1), (2), (3)) v $$;
create table users (id int primary key, mail text check (is_mail(mail)), n int default 1 check (n > 0));
insert into users values (1, 'a@b');
insert into users values (2, 'nothing');
insert into users values (2, 'raise');
insert into users values (2, null), (3, 'c@d');
insert into users select i, 'u' || i || case when i < 9 then '@x' else '' end from generate_series(4, 9) i;
insert into users select i, 'u' || i || '@x' from generate_series(4, 9) i;
update users set mail = 'bad' where id = 1;
update users set mail = 'good@x' where id = 1 returning *;
update users set mail = mail || id;
update users set mail = 'x' || id where n = 1 and id > 3;
insert into users values (1, 'q') on conflict (id) do update set mail = excluded.mail;
insert into users values (1, 'q@r') on conflict (id) do update set mail = 'none';
insert into users values (1, 'q@r') on conflict (id) do update set mail = excluded.mail returning *;
merge into users u using (values (1, 'm'), (50, 'm@m')) v (id, mail) on u.id = v.id when matched then update set mail = v.mail when not matched then insert (id, mail) values (v.id, v.mail);
merge into users u using (values (1, 'm@m'), (50, 'm@m')) v (id, mail) on u.id = v.id when matched then update set mail = v.mail when not matched then insert (id, mail) values (v.id, v.mail);
copy users from stdin;
61	c@d	1
\.
copy users from stdin;
60	c@d	1
\.
begin;
insert into users values (70, 'e@f');
savepoint s;
insert into users values (71, 'ef');
rollback to s;
insert into users values (72, 'g@h');
commit;
with w as (insert into users values (80, 'nope') returning id) select * from w;
with w as (insert into users values (80, 'yes@') returning id) select * from w;
with w as (insert into users values (80, 'yes@it') returning id) select * from w;
select * from users order by id;
prepare ins (int, text) as insert into users values ($1, $2);
execute ins (90, 'p@q');
execute ins (91, 'pq');
execute ins (92, 'r@s');
do $$ begin insert into users values (93, 'pq'); exception when check_violation then raise notice 'refused: %', sqlerrm; end $$;
create function before_users() returns trigger language plpgsql as $$ begin new.mail := new.mail || '!'; return new; end $$;
create trigger t before insert on users for each row execute function before_users();
insert into users values (94, 'pq');
insert into users values (94, 'p@q') returning mail;
drop trigger t on users;
create view v as select id, mail from users where id > 5 with check option;
insert into v values (95, 'x');
insert into v values (95, 'x@y');
alter table users add constraint wide check (is_mail(lower(mail)) or id = 0);
alter table users add constraint wider check (is_mail(lower(mail)) and id < 50);
alter table users add check (enough(n)), alter n set default 2;
update users set n = 4 where id = 1;
update users set n = 3 where id = 1;
\d users
drop function is_mail(text);
create or replace function is_mail(text) returns boolean language plpgsql immutable as $$ begin return true; end $$;
insert into users values (100, 'anything');
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'users'::regclass order by 1;
drop function is_mail(text) cascade;
insert into users values (101, 'anything else');
create table child (id int references users on update cascade on delete set null, check (enough(id)));
insert into users values (2000, 'f@k');
insert into child values (1), (2);
update users set id = 3000 where id = 2;
update users set id = 0 where id = 2;
select * from child order by 1;


create table allowed (code text primary key, n int);
insert into allowed values ('a', 1), ('b', 2);
create function is_allowed(text) returns boolean language sql stable as 'select exists (select 1 from allowed where code = $1)';
create function next_n() returns int language sql stable as 'select max(n) + 1 from allowed';
create function total(int) returns boolean language sql stable as 'select coalesce(sum(n), 0) + $1 < 10 from coded';
create table coded (id int primary key, code text check (is_allowed(code)), n int default next_n());
alter table coded add check (total(n));
insert into coded values (1, 'a'), (2, 'b');
insert into coded values (3, 'c');
insert into coded (id, code, n) values (3, 'a', 4);
insert into coded (id, code, n) values (3, 'a', 3);
update coded set code = 'x' where id = 1;
update coded set code = 'b' where id = 1;
insert into allowed values ('x', 9);
update coded set code = 'x' where id = 1;
select * from coded order by id;
truncate coded;
insert into coded select i, 'a', 0 from generate_series(1, 3000) i;
insert into coded select i, case when i = 5500 then 'none' else 'a' end, 0 from generate_series(4000, 6000) i;
select count(*) from coded;
drop table allowed;
drop table allowed cascade;
