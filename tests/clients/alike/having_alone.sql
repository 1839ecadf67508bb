-- HAVING without GROUP BY: one group, whatever the rows are. Signs in jsonpath where only existence is asked.
create table hv (a int primary key, b int); insert into hv values (0,1),(1,2);
select 1 as one from hv where 1/a = 1 having 1 < 2; select 1 as one from hv where 1/a = 1 having 1 > 2; select 1 as one from hv having 1 < 2; select 1 as one from hv having 1 > 2;
select 1 from hv having true; select (select 1 from hv x where x.a = hv.a having true) from hv; select exists (select 1 from hv where false having true); select 2 having true; select a from hv having true; select count(*) from hv having true; select 1 from hv having count(*) > 5; select now() is not null from hv order by 1 having true; select 1 from hv h join hv k on h.a = k.b having 1=1; begin; select 1 from hv having true; commit; prepare p(int) as select $1 from hv where a = $1 having $1 > 0; execute p(1); execute p(0); select 1 from hv group by a having true; select random() < 2 from hv having true;
drop table hv;
select jsonb '["1",2,0,3]' @? '-$[*]', jsonb '["1"]' @? '-$[*]', jsonb '["1",2]' @? 'strict -$[*]', jsonb '["1",2]' @? '(-$[*]) + 1', jsonb '[1,"2",0,3]' @? '-$[*]', jsonb '["1",2,0,3]' @? '-$[*].abs()';
select jsonb_path_exists('["1",2]', '-$[*]'); select jsonb_path_exists('["1",2]', 'strict -$[*]'); select jsonb_path_query('["1",2]', '-$[*]'); select jsonb_path_query('["1",2]', '$ ? (exists(-$[*]))'); select jsonb '[{"a":"1"},{"a":2}]' @@ 'exists(-$[*].a)', jsonb '["1",2]' @@ '-$[*] < 0', jsonb '["1",2]' @? '$[*] ? (-@ < 0)', jsonb '["1"]' @? '$ ? (exists(-@[*]))';
select jsonb_path_exists('["1",2]', '+$[*]'), jsonb_path_exists('["1"]', '+$[*]'); select jsonb_path_query_first('["1",2]', '+$[*]');
-- asked again, when keys lead to rows: none is looked at then either
create table having_again (a int primary key, b int); insert into having_again values (0,1),(1,2);
select 1 as one from having_again where 1/a = 1 having 1 < 2; select 1 as one from having_again where 1/a = 1 having 1 < 2; select 1 as one from having_again where 1/a = 1 having 1 > 2;
select 1 as one from having_again where a = 0 and 1/a = 1 having true; select 1 as one from having_again where a = 0 and 1/a = 1 having true; select 1 as one from having_again where a = 7 having true; select 1 as one from having_again where a = 7 having true;
select count(*) from having_again where 1/a = 1 having 1 < 2; select (select 1 from having_again x where 1/x.a = h.a having true) from having_again h where h.a = 0; select (select 1 from having_again x where 1/x.a = h.a having true) from having_again h where h.a = 0;
