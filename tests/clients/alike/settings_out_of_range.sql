-- Numbers that settings cannot hold, and set_config() without a name or a value.
set work_mem = '1 banana';
set work_mem = '99999999999GB';
set work_mem = 2147483648;
set work_mem = '1e400';
set random_page_cost = '1e400';
set work_mem = 2147483647;
show work_mem;
set vacuum_cost_delay = '5 parsecs';
set geqo_threshold = '5 kB';
set statement_timeout = '-5';
select set_config(null, '1', false);
select set_config('work_mem', '5MB', null);
show work_mem;
select set_config('work_mem', null, false);
show work_mem;
