-- information_schema's views of roles' grants have what the user's roles gave to PUBLIC, and not what others gave.
create role listed_giver login; create role listed_other login;
create schema listed authorization listed_giver; grant usage on schema listed to listed_other;
set role listed_giver;
create table listed.t (a int, b text); create view listed.v as select a from listed.t;
grant select on listed.t to public; grant update (b) on listed.t to public; grant insert on listed.t to listed_other with grant option;
grant select on listed.v to public;
select grantor, grantee, table_name, privilege_type from information_schema.role_table_grants where table_schema = 'listed' and grantee <> 'listed_giver' order by 2, 3, 4;
select grantor, grantee, table_name, column_name, privilege_type from information_schema.role_column_grants where table_schema = 'listed' and grantee <> 'listed_giver' order by 2, 3, 4, 5;
reset role; set role listed_other;
select grantor, grantee, table_name, privilege_type from information_schema.role_table_grants where table_schema = 'listed' and grantee <> 'listed_giver' order by 2, 3, 4;
select grantor, grantee, table_name, column_name, privilege_type from information_schema.role_column_grants where table_schema = 'listed' and grantee <> 'listed_giver' order by 2, 3, 4, 5;
select grantee, table_name, privilege_type from information_schema.table_privileges where table_schema = 'listed' and grantee = 'PUBLIC' order by 2, 3;
reset role;
select grantor, grantee, table_name, privilege_type from information_schema.role_table_grants where table_schema = 'listed' and grantee <> 'listed_giver' order by 2, 3, 4;
select count(*) > 50 from information_schema.role_table_grants where table_schema = 'pg_catalog' and grantee = 'PUBLIC';
drop schema listed cascade; drop role listed_giver, listed_other;
