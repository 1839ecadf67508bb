-- Who is a member of what, when roles are renamed, dropped, and put into each other.
set client_min_messages = warning;
drop role if exists alike_staff, alike_crew, alike_ann, alike_self, alike_a, alike_b, alike_c, alike_d;
reset client_min_messages;

create role alike_staff;
create role alike_ann in role alike_staff;
alter role alike_staff rename to alike_crew;
select pg_has_role('alike_ann', 'alike_crew', 'member');
create role alike_staff;
select pg_has_role('alike_ann', 'alike_staff', 'member');
drop role alike_staff;
select pg_has_role('alike_ann', 'alike_crew', 'member');
select b.rolname as member_of from pg_auth_members m join pg_roles b on b.oid = m.roleid join pg_roles r on m.member = r.oid where r.rolname = 'alike_ann';

create role alike_self role alike_self;
create role alike_self admin alike_self;
select count(*) from pg_roles where rolname = 'alike_self';
create role alike_a;
create role alike_b role alike_a;
grant alike_a to alike_b;
grant alike_a to alike_a;
create role alike_c in role alike_a;
create role alike_d in role alike_c role alike_a;
create role alike_d in role alike_c;
alter group alike_a add user alike_ann;
select pg_has_role('alike_ann', 'alike_a', 'member'), pg_has_role('alike_ann', 'alike_b', 'member');
alter group alike_crew add user alike_a, alike_c;
alter group alike_a drop user alike_ann, alike_c;
select r.rolname, b.rolname as member_of from pg_auth_members m join pg_roles b on b.oid = m.roleid join pg_roles r on m.member = r.oid
    where r.rolname like 'alike%' order by 1, 2;
drop role alike_crew, alike_ann, alike_a, alike_b, alike_c, alike_d;
