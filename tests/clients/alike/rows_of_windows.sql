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
