-- What PostgreSQL says of its languages and of the extension that is in every database.
\dx
select obj_description(oid, 'pg_language'), lanname from pg_language order by lanname;
select d.objsubid, d.description, l.lanname from pg_description d join pg_language l on l.oid = d.objoid where d.classoid = 'pg_language'::regclass order by 3;
select obj_description(oid, 'pg_extension'), obj_description(oid) from pg_extension where extname = 'plpgsql';
