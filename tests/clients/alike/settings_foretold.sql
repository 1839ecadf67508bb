-- A value for sessions and calls to come may name what is not there yet; one for now may not.
set default_text_search_config = no_such_words;
create function told() returns text language sql set default_text_search_config = no_such_words as $$ select 'x' $$;
set check_function_bodies = off;
create function told() returns text language sql set default_text_search_config = no_such_words as $$ select current_setting('default_text_search_config') $$;
create function refused() returns text language sql set work_mem = '-3' as $$ select 'x' $$;
select told();
alter function told set default_text_search_config = still_none;
reset check_function_bodies;
alter function told set default_text_search_config = nor_this;
select told();
alter function told set default_text_search_config = simple;
select told();
alter database :DBNAME set default_text_search_config = nor_that;
alter database :DBNAME reset default_text_search_config;
-- Names that begin like an extension are its own once it is loaded.
set plpgsql.of_mine = true;
show plpgsql.of_mine;
load 'plpgsql';
show plpgsql.of_mine;
set plpgsql.of_mine = true;
select set_config('plpgsql.of_mine', 'on', false);
show plpgsql.extra_warnings;
set plpgsql.extra_warnings = 'none';
set of_mine.anything = 'goes';
show of_mine.anything;
load 'no_such_library';
