-- First rows of groups, of which each is of one row of the table that is walked along; of other groups.
create table gw_p(id int primary key, k int, created int not null, title text);
create table gw_c(id int primary key, post int, x int);
create index on gw_p(created); create index on gw_p(k); create index on gw_c(post);
insert into gw_p select i, i%3, (i*7)%10, 't'||i from generate_series(1,3000) i;
insert into gw_c select i, (i*13)%2900, i%5 from generate_series(1,5000) i;
select p.id, p.title, count(c.id) from gw_p p left join gw_c c on c.post = p.id group by p.id order by p.id limit 5;
select p.id, p.title, count(c.id) from gw_p p left join gw_c c on c.post = p.id group by p.id order by p.id desc limit 5 offset 3;
select p.id, count(c.id), sum(c.x) from gw_p p left join gw_c c on c.post = p.id and c.x > 1 group by p.id having count(c.id) > 1 order by p.created desc, p.id limit 7;
select p.id, c.x, count(*) from gw_p p join gw_c c on c.post = p.id group by p.id, c.x order by p.id, c.x limit 9;
select p.id, c.x, count(*) from gw_p p join gw_c c on c.post = p.id group by p.id, c.x order by p.created, count(*) desc, p.id, c.x limit 9;
select p.id, count(distinct c.x) from gw_p p left join gw_c c on c.post = p.id where p.k = 1 group by p.id order by p.id limit 6;
select p.id, array_agg(c.x order by c.x) from gw_p p left join gw_c c on c.post = p.id where p.k = 1 group by p.id order by p.id limit 6;
select p.created, count(*) from gw_p p left join gw_c c on c.post = p.id group by p.created order by p.created limit 3;
select p.id, count(c.id) from gw_p p left join gw_c c on c.post = p.id group by p.id order by count(c.id) desc, p.id limit 3;
select p.id, count(c.id) from gw_p p left join gw_c c on c.post = p.id group by p.id order by p.id limit 0;
select p.id, count(c.id) from gw_p p left join gw_c c on c.post = p.id group by p.id order by p.id limit -1;
select p.id, count(c.id) over () from gw_p p left join gw_c c on c.post = p.id where p.k=2 order by p.id limit 3;
