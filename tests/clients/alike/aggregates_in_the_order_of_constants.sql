-- An aggregate over rows in the order of a constant has them in any order.
create table g (a int, b text); insert into g values (1, 'x'), (2, 'y'), (3, 'x');
select b, percentile_disc(0.25) within group (order by ''::text desc) from g group by b order by 1;
select mode() within group (order by 'q'::text), percentile_disc(0.5) within group (order by 3), percentile_cont(0.5) within group (order by 2.0::float8), percentile_disc(0.5) within group (order by date '2024-01-01'), percentile_disc(array[0.5]) within group (order by 'a'::text) from g;
select array_agg(a order by 'c'::text), string_agg(b, ',' order by null::text), rank('x'::text) within group (order by 'a'::text), array_agg(distinct 'x'::text order by 'x'::text) from g;
