-- Where the session comes from and where it arrived (asked by pg_activity before anything else); ports differ, so they are compared with what else says so.
select inet_server_addr() as inet_server_addr, inet_client_addr() as inet_client_addr;
select pg_typeof(inet_client_addr()), inet_client_addr()::text, host(inet_server_addr()), inet_client_addr() << '127.0.0.0/8';
select inet_client_port() = client_port, inet_client_addr() = client_addr from pg_stat_activity where pid = pg_backend_pid();
select inet_server_port() between 1 and 65535, inet_server_port() <> inet_client_port();
create table visits (who inet default inet_client_addr(), port int default inet_server_port());
insert into visits default values returning who;
select port = inet_server_port(), who = inet_client_addr() from visits;
prepare p as select inet_client_addr(), $1::int; execute p(1);
