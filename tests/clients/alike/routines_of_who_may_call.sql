-- information_schema lists routines to who may call them, and their bodies to their owners.
CREATE ROLE alike_caller;
CREATE FUNCTION open_(a int) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION closed_(a int) RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN 2; END';
REVOKE EXECUTE ON FUNCTION closed_ FROM PUBLIC;
SET ROLE alike_caller;
SELECT routine_name, security_type, routine_definition FROM information_schema.routines WHERE routine_name LIKE '%\_' ORDER BY 1;
SELECT parameter_name, specific_name ~ 'open' FROM information_schema.parameters WHERE specific_name ~ '^(open|closed)_' ORDER BY 2;
RESET ROLE;
SELECT routine_name, security_type, routine_definition FROM information_schema.routines WHERE routine_name LIKE '%\_' ORDER BY 1;
GRANT EXECUTE ON FUNCTION closed_ TO alike_caller;
SET ROLE alike_caller;
SELECT routine_name, security_type, routine_definition FROM information_schema.routines WHERE routine_name LIKE '%\_' ORDER BY 1;
RESET ROLE;
DROP FUNCTION open_;
DROP FUNCTION closed_;
DROP ROLE alike_caller;
