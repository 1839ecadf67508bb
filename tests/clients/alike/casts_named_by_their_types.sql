-- Casts to users' types name their columns by the type alone.
create schema n1; create type n1.mood as enum ('sad', 'ok'); create table n1.tt (a int, b text); create type "My Type" as (a int); create domain dom as int; create type plain as enum ('x');
select 'sad'::n1.mood, '{sad,ok}'::n1.mood[], '(1,x)'::n1.tt, '{"(1,x)"}'::n1.tt[], '(1)'::"My Type", 1::dom, 'x'::plain, '{x}'::plain[], cast('x' as plain);
select null::n1.tt, (null::n1.tt).a, case when true then 'x'::plain end, array['x'::plain], '{1}'::dom[];
select n1.mood 'sad', plain 'x';
