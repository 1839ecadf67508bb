-- Definitions' expressions name columns, whatever the variables of the body are called whose statement writes the rows.
create table gj(id int generated always as identity primary key, key text unique, attempts int default 0, max_attempts int, rev int default 0, ok boolean generated always as (attempts < max_attempts) stored not null, check (max_attempts > 0));
create function gadd(k text, max_attempts int) returns gj language plpgsql as $$ declare v gj; begin
 insert into gj as jobs (key, max_attempts) select k, gadd.max_attempts on conflict (key) do update set rev = jobs.rev + 1 returning * into v; return v; end $$;
create function gadd2(k text, max_attempts int) returns gj language plpgsql as $$ declare v gj; begin
 insert into gj (key, max_attempts) values (k, gadd2.max_attempts) returning * into v; return v; end $$;
create function gadd3(k text, max_attempts int, attempts int) returns setof gj language plpgsql as $$ begin
 return query update gj set attempts = gadd3.attempts where key = k returning *; end $$;
create function gadd4(k text, max_attempts int) returns gj language sql as $$ 
 insert into gj as jobs (key, max_attempts) values (k, $2) on conflict (key) do update set rev = jobs.rev + 1 returning *; $$;
create function gadd5(k text, max_attempts int) returns gj language plpgsql as $$ declare v gj; begin
 insert into gj as jobs (key, max_attempts) values (k, gadd5.max_attempts) on conflict (key) do update set rev = jobs.rev + 1 returning * into v; return v; end $$;
create function gadd6(max_attempts int, attempts int) returns bigint language plpgsql as $$ declare n bigint; begin
 insert into gj (key, max_attempts) select 'k' || g, gadd6.max_attempts from generate_series(1, 3) g; get diagnostics n = row_count;
 merge into gj using (values ('m')) x(k) on key = x.k when matched then update set rev = 9 when not matched then insert (key, max_attempts) values (x.k, 7);
 return n; end $$;
create function gadd7(max_attempts int, attempts int) returns bigint language plpgsql as $$ declare n bigint; begin
 update gj set attempts = gj.attempts + 1 from generate_series(1, 1) g where gj.id > g; get diagnostics n = row_count; return n; end $$;
select gadd('a', 3); select gadd('a', 4); select gadd2('b', 5); select * from gadd3('a', 6, 9); select gadd4('c', 6); select gadd4('c', 6); select gadd5('d', 6); select gadd5('d', 6); select gadd6(3, 4); select gadd6(3, 4); select gadd7(3, 4);
select * from gj order by id;
drop table gj cascade;
drop function gadd6, gadd7;
create table ck(id int primary key, a int check (a > 0), b int default 5, c int);
create unique index on ck ((a + c)); create index on ck (b) where c > 0;
create function f1(id int, a int, c int) returns void language plpgsql as $$ begin insert into ck (id, a, c) values (f1.id, f1.a, f1.c); end $$;
create function f2(id int, a int, c int) returns void language plpgsql as $$ begin insert into ck (id, a, c) select f2.id, f2.a, f2.c; end $$;
create function f3(id int, a int, c int) returns void language plpgsql as $$ begin update ck set a = f3.a where ck.id = f3.id; end $$;
create function f4(id int, a int, c int) returns void language plpgsql as $$ begin update ck set a = ck.a + 1 from generate_series(1,1) where true; end $$;
create function f5(id int, a int, c int) returns void language plpgsql as $$ begin insert into ck values (f5.id, f5.a, 1, f5.c) on conflict on constraint ck_pkey do update set a = excluded.a; end $$;
select f1(1, 2, 3); select f2(2, 5, 3); select f3(1, 7, 0); select f4(1, 1, 1); select f5(2, 77, 5); select f1(7, -1, 2); select f1(8, 78, 2);
select * from ck order by 1;
alter table ck enable row level security; create policy p on ck using (a > 0 and c is not null) with check (a < 100); create role beside_r; grant all on ck to beside_r; set role beside_r;
select f1(11, 12, 13); select f3(11, 14, 0); select f1(12, 120, 13); select * from ck order by 1;
reset role; drop table ck; drop role beside_r;
create table pt (k int, v int check (v > 0)) partition by range (k); create table pt1 partition of pt for values from (0) to (100); create table pt2 partition of pt default;
create function f6(k int, v int) returns void language plpgsql as $$ begin insert into pt values (f6.k, f6.v), (f6.k + 1000, f6.v); update pt set v = pt.v + f6.v where pt.k = f6.k; end $$;
select f6(4, 5); select tableoid::regclass, * from pt order by 2;
create domain dd as int check (value > 0); create table td (value int, d dd); create function f7(value int, d dd) returns void language plpgsql as $$ begin insert into td values (f7.value, f7.d); end $$; select f7(1, 2); select * from td;
create function trg() returns trigger language plpgsql as $$ declare v int := 3; k int := 8; begin new.v := new.v + v; return new; end $$; create trigger tr before insert on pt for each row when (new.v > 0) execute function trg(); insert into pt values (5, 6); select * from pt order by 1; drop table pt, td; drop function f1, f2, f3, f4, f5, f6, f7, trg; drop domain dd;
create table uv (a int, b int default 7, g int generated always as (a * 2) stored, check (a < 50)); create unique index on uv ((a + 1));
create function fv(a int) returns void language plpgsql as $$
#variable_conflict use_variable
begin insert into uv (a) values (a + 1); update uv set b = a where uv.a = a + 1; insert into uv select a + 2; end $$;
select fv(5); select fv(48); select fv(49); select fv(5); select * from uv order by a;
create function fg(a int) returns setof uv language plpgsql as $$
#variable_conflict use_column
begin return query insert into uv (a) values (fg.a) returning *; return query update uv set a = uv.a + 100 where uv.a = fg.a returning *; end $$;
select * from fg(20);
