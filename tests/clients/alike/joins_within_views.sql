-- A query in FROM that joins is written out as a query, whatever it is called.
create table ja(id int, n int); create table jb(id int);
create view g1 as select w from (select ja.id, ja.n from ja, jb) w; select pg_get_viewdef('g1');
create view g2 as select w.id from (select ja.id, ja.n from ja, jb order by 1) w; select pg_get_viewdef('g2');
create view g3 as select w.id from (select ja.id, ja.n from ja join jb on true) w; select pg_get_viewdef('g3');
create view g4 as select w.id from (select ja.id, ja.n from ja, jb where ja.id = 1) w, ja; select pg_get_viewdef('g4');
create view g5 as select w.id from ((select ja.id, ja.n from ja, jb where ja.id = 1)) w, ja; select pg_get_viewdef('g5');
create view g6 as select w.id from (select ja.id, ja.n from ja, jb where ja.id = 1 union select 1, 2) w, ja; select pg_get_viewdef('g6');
create view g7 as select w.id from (ja join jb using (id)) w; select pg_get_viewdef('g7');
create view g8 as select 1 from (ja join jb using (id)); select pg_get_viewdef('g8');
create view g9 as select w.id from (select ja.id, ja.n from ja, jb where ja.id = 1 limit 3) w join ja using (id); select pg_get_viewdef('g9');
create view g10 as select w.id from (select ja.id, ja.n from ja cross join jb where ja.id = 1 limit 3) w; select pg_get_viewdef('g10');
