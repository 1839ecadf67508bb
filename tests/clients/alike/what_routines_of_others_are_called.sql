-- What a routine is called to who does not own it.
create role caller_of_routines; create role other_of_routines;
create aggregate ag(int) (sfunc = int4pl, stype = int);
create procedure pr() language sql as 'select 1'; create function fu() returns int language sql as 'select 1';
grant create on schema public to caller_of_routines;
set role caller_of_routines;
alter aggregate ag(int) rename to ag2; alter aggregate ag(int) owner to caller_of_routines; alter aggregate ag(int) set schema public; drop aggregate ag(int);
alter procedure pr() security definer; alter routine pr() security definer; alter routine pr() set schema public; alter function fu() set schema public;
alter procedure pr() rename to p2; alter routine pr() rename to p2; alter function fu() rename to f2; drop routine pr(); drop procedure pr(); drop function fu();
alter routine ag(int) rename to ag3; alter routine ag(int) owner to caller_of_routines;
comment on aggregate ag(int) is 'x'; create or replace aggregate ag(int) (sfunc = int4pl, stype = int);
reset role; revoke create on schema public from caller_of_routines; drop role caller_of_routines, other_of_routines;
