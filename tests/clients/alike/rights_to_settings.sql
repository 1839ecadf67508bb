-- Who may change settings that not everybody may: superusers, while nothing is granted.
create role alike_setter;
select has_parameter_privilege('work_mem', 'set'), has_parameter_privilege('alike_setter', 'work_mem', 'set'), has_parameter_privilege('alike_setter'::regrole::oid, 'log_statement', 'alter system');
select has_parameter_privilege('alike_setter', 'log_statement', 'SET, ALTER SYSTEM WITH GRANT OPTION'), has_parameter_privilege('tidewire', 'log_statement', 'SET WITH GRANT OPTION');
select has_parameter_privilege('work_mem', 'usage');
select has_parameter_privilege('alike_nobody', 'work_mem', 'set');
select has_parameter_privilege(null, 'set'), has_parameter_privilege('work_mem', null);
set role alike_setter;
select has_parameter_privilege('log_statement', 'set'), has_parameter_privilege('tidewire', 'log_statement', 'alter system');
reset role;
drop role alike_setter;
