-- AND and OR of CHECKs and domains from left to right: functions that run are not asked where it is known already.
create function nt(text, boolean) returns boolean language plpgsql as $$ begin if $1 is null then raise exception 'null given'; end if; raise notice 'asked %', $1; return $2; end $$;
create table sc (a int check (a > 0 and nt('sc', true)));
insert into sc values (0);
insert into sc values (1), (null);
create table sc2 (a int check (a > 0 or nt('sc2', false)));
insert into sc2 values (1);
insert into sc2 values (0);
create table sc3 (a int check (case when a > 0 then nt('c', true) else true end), b text check (b is null or nt(b, true)));
insert into sc3 values (0), (1);
insert into sc3 values (0, 'q'), (1, 'r');
create table sc4 (id int, b text, constraint c check (b is null or id = 0 or (id > 1 and nt(b, true) and id < 5)), constraint d check (not (b = 'no' or (b is not null and nt(b || 'd', false)))));
insert into sc4 values (1, null), (0, 'x'), (null, null), (null, 'y');
insert into sc4 values (1, 'a');
insert into sc4 values (2, 'a');
insert into sc4 values (6, 'a');
insert into sc4 values (2, 'no');
create domain sd as text check (value is null or value = 'free' or nt(value, value <> 'bad'));
select null::sd, 'free'::sd, 'x'::sd;
select 'bad'::sd;
create table st (s sd); insert into st values (null), ('free'), ('y'); insert into st values ('bad');
update st set s = 'z' where s is null;
create domain se as int check (value > 0 and nt(value::text, value < 5));
select 3::se, null::se;

select 7::se;
select x from (values (1), (null), (3)) v(x) where x is null or nt(x::text, x > 1);
select x from (values (1), (null), (3)) v(x) where not (x is null or nt(x::text, x > 1));
