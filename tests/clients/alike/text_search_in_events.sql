-- What event triggers are told of text search objects.
create function told() returns event_trigger language plpgsql as $$ declare r record; begin
  for r in select * from pg_event_trigger_ddl_commands() loop raise notice '% % %', r.command_tag, r.object_type, r.object_identity; end loop; end $$;
create function gone() returns event_trigger language plpgsql as $$ declare r record; begin
  for r in select * from pg_event_trigger_dropped_objects() loop raise notice '% % % %', tg_tag, r.object_type, r.object_identity, r.original; end loop; end $$;
create event trigger e1 on ddl_command_end execute function told();
create event trigger e2 on sql_drop execute function gone();
create text search dictionary d (template = simple);
create text search configuration c (copy = simple);
alter text search configuration c rename to "C 2";
alter text search configuration "C 2" alter mapping for word with d;
alter text search dictionary d (accept = false);
drop text search dictionary d cascade;
