-- A query with one window and no ORDER BY sends its rows as the window has them.
create table sold (shop text, price int);
insert into sold values ('b', 3), ('a', 2), ('a', 9), ('b', 1), (null, 5);
select shop, price, rank() over (partition by shop order by price desc) from sold;
select price, sum(price) over (order by price rows 1 preceding), rank() over (order by price) from sold;
select shop, price, sum(price) over (partition by shop), row_number() over (partition by shop order by price) from sold;
select price, row_number() over (order by price % 2, price desc) from sold limit 3;
select price, row_number() over w from sold window w as (order by -price) offset 1;
select shop, sum(price), rank() over (order by sum(price)) from sold group by shop;
with w as (select * from sold) select price, row_number() over (order by price desc) from w;
-- Another order rules where there is one.
select price, row_number() over (order by price desc) from sold order by price;
select distinct price > 2 as dear, count(*) over (partition by price > 2) from sold order by 1;

-- ordered by what is a query, a function that runs, or a setting
CREATE TABLE listed (id int PRIMARY KEY, n int[]);
INSERT INTO listed VALUES (1, '{3,1}'), (2, '{}'), (3, '{2}'), (4, NULL), (5, '{1,3}');
CREATE FUNCTION turned(i int) RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN -i; END';
SELECT id, rank() OVER (PARTITION BY ARRAY(SELECT x FROM unnest(n) AS x ORDER BY 1) ORDER BY id) FROM listed ORDER BY id;
SELECT id, rank() OVER (ORDER BY ARRAY(SELECT x FROM unnest(n) AS x ORDER BY 1), id), count(*) OVER () FROM listed ORDER BY id;
SELECT id, rank() OVER (ORDER BY (SELECT rank() OVER (ORDER BY y.id) FROM listed AS y WHERE y.id = x.id)) FROM listed AS x ORDER BY id;
SELECT id, rank() OVER (ORDER BY turned(id)), sum(id) OVER (PARTITION BY turned(id / 2)) FROM listed ORDER BY id;
SELECT id, rank() OVER (ORDER BY current_setting('none.' || id, true) NULLS FIRST, id) FROM listed ORDER BY id;
SELECT turned(id / 2), count(*), rank() OVER (ORDER BY turned(id / 2)) FROM listed GROUP BY 1 ORDER BY 1;
