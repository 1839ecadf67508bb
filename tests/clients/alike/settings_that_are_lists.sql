-- Settings that are lists take several values, each quoted by itself where it has to be.
set local_preload_libraries to 'Mixed/Case', 'c:/''a"/path', '', plain;
show local_preload_libraries;
set session_preload_libraries = 'a b', c;
show session_preload_libraries;
create function with_lists() returns int language sql immutable as 'select 1' set search_path to public, "Other" set local_preload_libraries to "Mixed/Case", 'c:/''a"/path', '';
select proconfig from pg_proc where proname = 'with_lists';
select pg_get_functiondef('with_lists()'::regprocedure);
set unix_socket_directories = 'a', 'b';
set work_mem = 1, 2;
reset local_preload_libraries;
show local_preload_libraries;
