-- Configurations and dictionaries: made, changed, listed, dropped, and what stands on them.
create text search configuration fr (copy = french);
create extension unaccent;
alter text search configuration fr alter mapping for hword, hword_part, word with unaccent, french_stem;
select to_tsvector('fr', 'Hôtel de la Mer');
select to_tsvector('fr', 'Hôtel de la Mer') @@ to_tsquery('fr', 'Hotels');
select ts_headline('fr', 'Hôtel de la Mer', to_tsquery('fr', 'Hotels'));
\dF
\dF+ fr
\dFd fr
\dFd unaccent
\dFd+ unaccent
\dFt
\dFp
create table docs(id int primary key, b text, v tsvector generated always as (to_tsvector('fr', b)) stored);
insert into docs values (1, 'Hôtel de la Mer'), (2, 'été à Nîmes');
insert into docs select g, 'Hôtel ' || g from generate_series(3, 5) g;
select * from docs order by 1;
select * from docs where v @@ to_tsquery('fr', 'nimes');
\d docs
create index on docs using gin (to_tsvector('fr', b));
create view dv as select id, to_tsvector('fr', b) w from docs;
select pg_get_viewdef('dv');
drop text search configuration fr;
create text search dictionary frd (template = snowball, language = french, stopwords = french);
create text search dictionary sd (template = simple, stopwords = english, accept = false);
select ts_lexize('sd', 'the'), ts_lexize('sd', 'cat'), ts_lexize('frd', 'hotels'), ts_lexize('unaccent', 'é'), ts_lexize('unaccent', 'e');
select unaccent('unaccent', 'Hôtel'), unaccent('Hôtel');
alter text search dictionary sd (accept = true);
select ts_lexize('sd', 'the'), ts_lexize('sd', 'cat');
alter text search dictionary sd (stopwords);
select ts_lexize('sd', 'the'), ts_lexize('sd', 'cat');
select dictname, dictinitoption from pg_ts_dict where dictname in ('sd', 'frd', 'unaccent') order by 1;
create text search configuration e2 (parser = default);
select to_tsvector('e2', 'the cats');
alter text search configuration e2 add mapping for asciiword, word with sd, english_stem;
select to_tsvector('e2', 'the cats');
\set VERBOSITY terse
alter text search configuration e2 add mapping for asciiword with sd;
\set VERBOSITY default
alter text search configuration e2 alter mapping replace sd with english_stem;
select to_tsvector('e2', 'the cats');
alter text search configuration e2 drop mapping for email;
alter text search configuration e2 drop mapping if exists for email, word;
alter text search configuration e2 add mapping for nonsense with sd;
\dF+ e2
set default_text_search_config = 'e2';
show default_text_search_config;
select to_tsvector('the cats'), get_current_ts_config();
select 'the cats' @@ 'cat'::text, to_tsquery('cats');
alter text search configuration e2 rename to e3;
select to_tsvector('the cats');
set default_text_search_config = 'public.e3';
create schema s;
alter text search configuration e3 set schema s;
set search_path = s, public;
set default_text_search_config = 'e3';
show default_text_search_config;
select 'e3'::regconfig, 's.e3'::regconfig::oid > 0;
reset search_path;
select 's.e3'::regconfig, to_tsvector('s.e3'::regconfig, 'dogs');
select to_tsvector('e3', 'a');
comment on text search configuration s.e3 is 'mine';
comment on text search dictionary frd is 'french';
\dF s.*
\dFd frd
select * from ts_debug('fr', 'Hôtel de');
select alias, dictionaries, dictionary, lexemes from ts_debug('s.e3', 'the cats');
create table cf(c regconfig, b text);
insert into cf values ('fr', 'Hôtel'), ('english', 'cats'), ('s.e3', 'the dogs');
select c, to_tsvector(c, b) from cf;
drop text search dictionary sd;
drop text search dictionary frd, unaccent;
drop text search dictionary if exists nosuch;
drop text search configuration nosuch;
\set VERBOSITY terse
create text search configuration fr (copy = french);
\set VERBOSITY default
create text search dictionary bad (template = simple, foo = 1);
create text search dictionary bad (template = nosuch);
create text search dictionary bad (template = snowball);
create text search dictionary bad (template = snowball, language = klingon);
create text search dictionary bad (language = klingon);
create text search configuration bad (copy = french, parser = default);
create text search configuration bad (copy = nosuch);
create text search configuration bad (parser = nosuch);
create text search configuration bad (foo = 1);
\set VERBOSITY terse
create text search configuration s.e3 (copy = french);
\set VERBOSITY default
alter text search configuration nosuch rename to b;
alter text search configuration s.e3 rename to b;
alter text search configuration s.b owner to nosuchrole;
drop extension unaccent;
drop text search configuration fr cascade;
\d docs
drop extension unaccent cascade;
drop schema s cascade;
drop table docs cascade; drop table cf;
drop text search dictionary sd, frd;
