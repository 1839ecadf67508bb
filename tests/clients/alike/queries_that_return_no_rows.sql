-- What RETURN QUERY is given and returns no rows is called what it is.
create function f() returns setof int as $$ begin return query select 10 into no_such_table; end $$ language plpgsql;
select f();
create function g() returns setof int as $$ begin return query execute 'select 10 into no_such_table'; end $$ language plpgsql;
select g();
create function h() returns setof int as $$ begin return query create table no_such_table as select 1; end $$ language plpgsql;
select h();
create table t (a int);
create function i() returns setof int as $$ begin return query insert into t values (1); end $$ language plpgsql;
select i();
create function j() returns setof int as $$ begin return query execute $q$create table no_such_table as select 1$q$; end $$ language plpgsql;
select j();
\d no_such_table
