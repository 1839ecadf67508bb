-- plpgsql.extra_warnings and extra_errors: variables that are called as one further out is.
create function s0(in1 int) returns void as $$ declare in1 int; begin end $$ language plpgsql;
set plpgsql.extra_warnings to 'shadowed_variables';
create or replace function s1(in1 int) returns table (out1 int) as $$
declare
in1 int;
out1 int;
begin
end $$ language plpgsql;
create or replace function s2(in1 int) returns void as $$
declare f1 int;
begin
  declare
    f1 int;
    in1 alias for $1;
    found bool;
  begin
  end;
end $$ language plpgsql;
create or replace function s3(a int) returns int as $$
declare
  c1 cursor (a int, b int) for select 1;
  b int;
begin
  for a in 1 .. 2 loop end loop;
  return 1;
end $$ language plpgsql;
select s1(1), s3(1);
do $$ declare f int; begin declare f int; begin end; end $$;
set plpgsql.extra_errors to 'shadowed_variables';
create or replace function s4(f1 int) returns boolean as $$ declare f1 int; begin return 1; end $$ language plpgsql;
select s4(1);
select s1(1);
set plpgsql.extra_errors to 'none';
set plpgsql.extra_warnings to 'all';
create or replace procedure s5(f1 int) as $$ declare f1 int; begin end; $$ language plpgsql;
set check_function_bodies to off;
create or replace function s6(f1 int) returns boolean as $$ declare f1 int; begin return 1; end $$ language plpgsql;
set check_function_bodies to on;
create or replace function s6(f1 int) returns boolean as $$ #variable_conflict use_column
 declare "F1" int; f1 int; begin return 1; end $$ language plpgsql;
create function s7() returns trigger as $$ declare new int; tg_op text; begin return null; end $$ language plpgsql;
