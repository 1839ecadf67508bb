-- What ROLLBACK takes back: the role that a transaction has taken, and the cursors it has made. Who may set sequences.
\set VERBOSITY terse
create table beads (a int); insert into beads values (1), (2), (3);
begin; declare h1 cursor with hold for select * from beads order by 1; fetch h1; rollback; fetch h1;
begin; declare h2 cursor with hold for select * from beads order by 1; fetch h2; commit; fetch h2;
begin; savepoint s; declare h3 cursor with hold for select * from beads order by 1; rollback to s; fetch h3; rollback;
begin; fetch h2; rollback; fetch h2; close h2;
create role alike_singer;
begin; set local session authorization alike_singer; rollback; select current_user, session_user;
begin; set role alike_singer; rollback; select current_user, session_user;
begin; set local role alike_singer; select current_user; commit; select current_user, session_user;
begin; savepoint s; set local role alike_singer; rollback to s; select current_user; commit;
begin; set role alike_singer; commit; select current_user; reset role;
create sequence songs; grant select on songs to alike_singer; set role alike_singer;
select setval('songs', 5); select nextval('songs'); select currval('songs');
reset role; grant usage on songs to alike_singer; revoke select on songs from alike_singer; set role alike_singer;
select nextval('songs'); select currval('songs'); select lastval(); select setval('songs', 7, false);
reset role; grant update on songs to alike_singer; revoke usage on songs from alike_singer; set role alike_singer;
select setval('songs', 7, false); select nextval('songs'); select currval('songs'); select lastval();
reset role; drop sequence songs; drop role alike_singer; drop table beads;
-- A cursor that takes another one's name after a savepoint goes with it.
begin;
declare c cursor for select 1 union all select 2;
savepoint s;
close c;
declare c cursor for select 3;
rollback to s;
fetch c;
rollback;
