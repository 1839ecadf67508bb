-- Bodies of the standard's form that run: statements that write, several of them, procedures; what they name, they need.
create table log (id serial, said text, old bool default false);
create procedure note(what text) begin atomic
  insert into log (said) values (what);
  delete from log where old and said = note.what;
end;
call note('a'); call note('b'); select said, old from log order by id;
select pg_get_functiondef('note'::regproc);
create procedure nothing(x text) begin atomic end; call nothing(''); select pg_get_functiondef('nothing'::regproc);
create function empty() returns int begin atomic end;
create procedure bad(x text) language sql begin atomic create table y (a int); end;
create procedure bad(x text) language sql begin atomic insert into log (nocol) values (x); end;
create procedure bad(x text) language sql begin atomic insert into nolog (said) values (x); end;
create procedure bad(x text) language sql begin atomic insert into log (said) values (y); end;
create procedure bad(x text) language sql begin atomic insert into log (said) values (1 + x); end;
create procedure bad(x text) language sql begin atomic call note(x); end;
create procedure bad(x text) language sql begin atomic commit; end;
create function poly(x anyelement) returns anyelement begin atomic select x; end;
create function ret(x text) returns int begin atomic insert into log (said) values (x) returning id; end;
select ret('c') > 0; select pg_get_functiondef('ret'::regproc);
create function several(x int) returns setof int begin atomic
  select 1; update log set said = said || '!' where id = x; select id from log where id <= x order by id;
end;
select * from several(2); select pg_get_functiondef('several'::regproc);
create function marked(x int) returns void begin atomic update log set old = true where id = x; end;
select marked(1); select said, old from log order by id;
drop table log; alter table log drop column said;
alter table log rename to diary; alter table diary rename column said to told;
call note('d'); select told, old from diary order by id; select pg_get_functiondef('marked'::regproc);
drop procedure note; drop table diary cascade;
select proname from pg_proc where pronamespace = 'public'::regnamespace order by 1;
create procedure swapped(inout a int, inout b int) begin atomic select b, a; end; call swapped(1, 2);
create function plus(a int) returns int begin atomic select 2;; ReTuRN a + 1;; end; select plus(4);
select pg_get_functiondef('plus'::regproc);
create procedure many(a out int, variadic b int[]) language sql as 'select b[1] + b[2]'; call many(null, 4, 5, 6);
