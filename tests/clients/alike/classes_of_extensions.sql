-- Tools ask what class of operators each key of an index has: those of extensions are found, too.
create schema classes_of_ext;
set search_path = classes_of_ext;
create extension pg_trgm;
create extension citext;
create extension btree_gist;
create table books (title text, author citext, pages int);
create index books_title on books using gin (title gin_trgm_ops);
create index books_title_gist on books using gist (title gist_trgm_ops, pages);
create index books_author on books (author, title);
select c.relname, a.amname, n.nspname, o.opcname, f.opfname, o.opcintype::regtype, o.opcdefault
  from pg_index i join pg_class c on c.oid = i.indexrelid
  cross join lateral unnest(i.indclass) with ordinality k (class, n)
  join pg_opclass o on o.oid = k.class join pg_am a on a.oid = o.opcmethod
  join pg_opfamily f on f.oid = o.opcfamily and f.opfmethod = a.oid join pg_namespace n on n.oid = o.opcnamespace
  where i.indrelid = 'books'::regclass order by c.relname, k.n;
select count(*) from pg_opclass where opcname ~ 'trgm';
drop table books;
drop extension pg_trgm;
select count(*) from pg_opclass where opcname ~ 'trgm';
drop extension citext;
drop extension btree_gist;
drop schema classes_of_ext;
