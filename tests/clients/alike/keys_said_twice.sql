create table t1 (c0 int unique, c1 int, primary key (c0));
\d t1
create table t2 (c0 int primary key unique, c1 int, unique(c0));
\d t2
create table t3 (c0 int, c1 int unique, unique(c1), unique(c1), constraint k unique(c1), primary key(c0,c1), unique(c0,c1), unique(c1,c0));
\d t3
create table t4 (c0 int constraint u1 unique, primary key(c0));
\d t4
create table t5 (c0 int unique deferrable, primary key(c0));
\d t5
create table t6 (c0 int unique nulls not distinct, c1 int unique, unique nulls not distinct (c1));
\d t6
alter table t1 add unique(c0);
\d t1
create table h(c0 text primary key, c1 bool) partition by hash(c0);
create table h0 partition of h for values with (modulus 2, remainder 0);
create table h1 partition of h for values with (modulus 2, remainder 1);
insert into h values ('a',true),('c',false),('c',null) on conflict(c0) do update set c1=excluded.c1;
select * from h order by 1;
insert into h values ('a',true),('c',false),('c',null) on conflict(c0) do nothing;
select * from h order by 1;
insert into h values ('a',true),('c',false),('c',null) on conflict(c0) do update set c1=excluded.c1;
insert into h select * from (values ('x',true),('y',false),('x',null)) v on conflict(c0) do update set c1=excluded.c1;
select * from h order by 1;
create function tf() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger tr after update of c0 on h for each row execute function tf();
delete from h;
insert into h values ('a',true),('c',false),('c',null) on conflict(c0) do update set c1=excluded.c1;
insert into h values ('a',true),('c',false),('c',null) on conflict(c0) do nothing;
select * from h order by 1;
delete from h;
prepare p(text,bool,text,bool) as insert into h values ($1,$2),($3,$4),('d',true) on conflict(c0) do update set c1=excluded.c1;
execute p('c',true,'c',false);
select * from h order by 1;
create table n(c0 text primary key, c1 bool);
create trigger tr after update of c0 on n for each row execute function tf();
insert into n values ('a',true),('c',false),('c',null) on conflict(c0) do update set c1=excluded.c1;
create trigger tr2 before insert on n for each row execute function suppress_redundant_updates_trigger();
prepare p5(text,text,text,text,text) as insert into h values ($1,true),($2,null),($3,false),($4,true),($5,null) on conflict (c0) do update set c1 = excluded.c0 = '';
execute p5('é','a','c','abc','c');
execute p5('é','a','c','abc','d');
execute p5('é','a','c','abc','d');
select * from h order by 1;
insert into h select k, true from unnest(array['q','w','e','r','t','q']) k on conflict (c0) do update set c1 = false;
insert into h select k, true from unnest(array['q','w','e','r','t','q']) k on conflict (c0) do nothing;
select * from h order by 1;
