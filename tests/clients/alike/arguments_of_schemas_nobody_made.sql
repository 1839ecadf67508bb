-- DROP of what takes arguments of types in schemas that are not there: with IF EXISTS a notice, without it an error that has no place.
drop function if exists asn_f(nosuch.x);
drop function if exists asn_f(int, nosuch.x), asn_g(nosuch.y) cascade;
drop procedure if exists asn_f(nosuch.x);
drop routine if exists asn_f(nosuch.x);
drop aggregate if exists asn_f(nosuch.x);
drop operator if exists @#@ (nosuch.x, int);
drop operator if exists @#@ (int, nosuch.x);
drop cast if exists (nosuch.x as int);
drop cast if exists (int as nosuch.x);
drop function asn_f(nosuch.x);
drop procedure asn_f(nosuch.x);
drop aggregate asn_f(nosuch.x);
drop operator @#@ (nosuch.x, int);
drop cast (nosuch.x as int);
