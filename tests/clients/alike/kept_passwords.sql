-- What is kept of a password, in either form.
set client_min_messages = warning;
drop role if exists alike_pw1, alike_pw2, alike_pw3, alike_pw4;
reset client_min_messages;
set password_encryption = 'plain';
set password_encryption = 'md5';
show password_encryption;
create role alike_pw1 sysid 1234 password 'foo';
set password_encryption = 'scram-sha-256';
create role alike_pw2 password 'foo';
select rolname, regexp_replace(rolpassword, '(SCRAM-SHA-256)\$(\d+):([a-zA-Z0-9+/=]+)\$([a-zA-Z0-9+=/]+):([a-zA-Z0-9+/=]+)', '\1$\2:<salt>$<storedkey>:<serverkey>') as kept
    from pg_authid where rolname like 'alike_pw%' order by 1;
alter role alike_pw1 rename to alike_pw3;
alter role alike_pw2 rename to alike_pw4;
select rolname, rolpassword is null from pg_authid where rolname like 'alike_pw%' order by 1;
alter role alike_pw4 password '';
alter role alike_pw4 password 'x';
alter role alike_pw3 password 'md5e73a4b11df52a6068f8b39f90be36023';
alter role alike_pw3 rename to alike_pw1;
begin;
set local password_encryption = on;
set local password_encryption = 'md5';
alter role alike_pw1 password 'bar';
commit;
alter role alike_pw4 password 'md59bc8b7d4e5ae2be5a8a4d6ed1aa36b48';
select rolname, rolpassword from pg_authid where rolname like 'alike_pw%' order by 1;
drop role alike_pw1, alike_pw4;
