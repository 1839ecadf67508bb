-- A shop of films: PL/pgSQL functions that tell balances and stock, triggers that stamp and audit.
create type mpaa_rating as enum ('G','PG','PG-13','R','NC-17');
create domain year as integer constraint year_check check (value >= 1901 and value <= 2155);
create sequence actor_actor_id_seq;
create table language (language_id serial primary key, name character(20) not null, last_update timestamptz default now() not null);
create table actor (actor_id int default nextval('actor_actor_id_seq'::regclass) primary key, first_name text not null, last_name text not null, last_update timestamp not null default '2020-01-01');
create table film (film_id serial primary key, title text not null, description text, release_year year, language_id int not null references language on update cascade on delete restrict, rental_duration smallint default 3 not null, rental_rate numeric(4,2) default 4.99 not null, length smallint, replacement_cost numeric(5,2) default 19.99 not null, rating mpaa_rating default 'G'::mpaa_rating, last_update timestamp default '2020-01-01' not null, special_features text[], fulltext text);
create table film_actor (actor_id int references actor, film_id int references film, last_update timestamp default '2020-01-01', primary key (actor_id, film_id));
create table inventory (inventory_id serial primary key, film_id int references film, store_id int not null);
create table rental (rental_id serial primary key, rental_date timestamp not null, inventory_id int not null references inventory, customer_id int not null, return_date timestamp, last_update timestamp default '2020-01-01');
create table payment (payment_id serial primary key, customer_id int, rental_id int references rental, amount numeric(5,2), payment_date timestamp);
create function last_updated() returns trigger language plpgsql as $$
begin
    new.last_update = timestamp '2021-02-03 04:05:06';
    return new;
end $$;
create trigger last_updated before update on actor for each row execute procedure last_updated();
create trigger last_updated before update on film for each row execute function last_updated();
create function inventory_in_stock(p_inventory_id integer) returns boolean language plpgsql as $$
declare
    v_rentals integer;
    v_out     integer;
begin
    -- an item is in-stock if there are either no rows in the rental table or all have return_date
    select count(*) into v_rentals from rental where inventory_id = p_inventory_id;
    if v_rentals = 0 then
      return true;
    end if;
    select count(rental_id) into v_out
    from inventory left join rental using(inventory_id)
    where inventory.inventory_id = p_inventory_id and rental.return_date is null;
    if v_out > 0 then
      return false;
    else
      return true;
    end if;
end $$;
create function film_in_stock(p_film_id integer, p_store_id integer, out p_film_count integer) returns setof integer language sql as $$
     select inventory_id from inventory where film_id = $1 and store_id = $2 and inventory_in_stock(inventory_id);
$$;
create function get_customer_balance(p_customer_id integer, p_effective_date timestamp) returns numeric language plpgsql as $$
declare
    v_rentfees decimal(5,2);
    v_overfees integer;
    v_payments decimal(5,2);
begin
    select coalesce(sum(film.rental_rate),0) into v_rentfees
    from film, inventory, rental
    where film.film_id = inventory.film_id and inventory.inventory_id = rental.inventory_id
      and rental.rental_date <= p_effective_date and rental.customer_id = p_customer_id;
    select coalesce(sum(case when (rental.return_date - rental.rental_date) > (film.rental_duration * '1 day'::interval)
      then extract(epoch from ((rental.return_date - rental.rental_date) - (film.rental_duration * '1 day'::interval)))::integer / 86400 else 0 end),0)
    into v_overfees
    from rental, inventory, film
    where film.film_id = inventory.film_id and inventory.inventory_id = rental.inventory_id
      and rental.rental_date <= p_effective_date and rental.customer_id = p_customer_id;
    select coalesce(sum(payment.amount),0) into v_payments from payment
    where payment.payment_date <= p_effective_date and payment.customer_id = p_customer_id;
    return v_rentfees + v_overfees - v_payments;
end $$;
create function last_day(timestamp with time zone) returns date language sql immutable strict as $_$
  select case when extract(month from $1) = 12 then (((extract(year from $1) + 1) operator(pg_catalog.||) '-01-01')::date - interval '1 day')::date
  else ((extract(year from $1) operator(pg_catalog.||) '-' operator(pg_catalog.||) (extract(month from $1) + 1) operator(pg_catalog.||) '-01')::date - interval '1 day')::date end
$_$;
create function inventory_held_by_customer(p_inventory_id integer) returns integer language plpgsql as $$
declare v_customer_id integer;
begin
  select customer_id into v_customer_id from rental where return_date is null and inventory_id = p_inventory_id;
  return v_customer_id;
end $$;
create function rewards_report(min_monthly_purchases integer, min_dollar_amount_purchased numeric) returns setof payment language plpgsql as $_$
declare
    last_month_start date;
    rr record;
    tmpsql text;
begin
    if min_monthly_purchases = 0 then raise exception 'Minimum monthly purchases parameter must be > 0'; end if;
    if min_dollar_amount_purchased = 0.00 then raise exception 'Minimum monthly dollar amount purchased parameter must be > $0.00'; end if;
    last_month_start := '2005-06-01'::date;
    create temporary table tmpcustomer (customer_id integer not null primary key);
    tmpsql := 'insert into tmpcustomer (customer_id) select p.customer_id from payment as p where p.payment_date >= '||quote_literal(last_month_start)||' group by customer_id having sum(p.amount) > '|| min_dollar_amount_purchased || ' and count(customer_id) > ' ||min_monthly_purchases ;
    execute tmpsql;
    for rr in execute 'select p.* from payment as p inner join tmpcustomer as t on p.customer_id = t.customer_id order by payment_id' loop
        return next rr;
    end loop;
    tmpsql := 'drop table tmpcustomer';
    execute tmpsql;
return;
end $_$;
insert into language(name) values ('English'),('Italian');
insert into actor(first_name,last_name) values ('PENELOPE','GUINESS'),('NICK','WAHLBERG');
insert into film(title,description,release_year,language_id,length,rating,special_features) select 'FILM '||g, 'A epic drama '||g, 1990+g, 1+g%2, 80+g, (array['G','PG','R'])[1+g%3]::mpaa_rating, array['Trailers'] from generate_series(1,20) g;
insert into film_actor(actor_id,film_id) select 1+g%2, g from generate_series(1,20) g;
insert into inventory(film_id,store_id) select 1+g%20, 1+g%2 from generate_series(1,60) g;
insert into rental(rental_date,inventory_id,customer_id,return_date) select timestamp '2005-05-24'+g*interval '7 hours', 1+g%60, 1+g%5, case when g%4>0 then timestamp '2005-05-24'+g*interval '7 hours'+interval '6 days' end from generate_series(1,100) g;
insert into payment(customer_id,rental_id,amount,payment_date) select customer_id, rental_id, 2.99, rental_date from rental;
update actor set first_name='NICKY' where actor_id=2; update film set length = length+1 where film_id < 4;
select * from actor order by 1; select film_id, last_update, length from film where film_id < 6 order by 1;
select inventory_in_stock(9), inventory_in_stock(10), inventory_in_stock(77);
select inventory_id, inventory_in_stock(inventory_id) from inventory where inventory_id < 8 order by 1;
select * from film_in_stock(3,1) order by 1;
select get_customer_balance(1, '2005-07-01'), get_customer_balance(4,'2006-01-01');
select last_day('2005-02-12 00:00+00'), last_day('2005-12-12 00:00+00');
select inventory_held_by_customer(9), inventory_held_by_customer(8);
select * from rewards_report(3, 20.0) limit 5;
select count(*), sum(amount) from rewards_report(1, 1.0);
select * from rewards_report(0, 1.0);
create view film_list as select f.film_id as fid, f.title, f.rating, string_agg(a.first_name || ' ' || a.last_name, ', ' order by a.actor_id) as actors from film f left join film_actor fa using (film_id) left join actor a using (actor_id) group by f.film_id, f.title, f.rating;
select * from film_list order by fid limit 3;
\df
\d film
\sf inventory_in_stock
select customer_id, get_customer_balance(customer_id, '2005-08-01') from (select distinct customer_id from rental) c order by 1;
select f.title from film f where exists (select 1 from inventory i where i.film_id = f.film_id and inventory_in_stock(i.inventory_id)) order by 1 limit 3;
delete from film where film_id = 1;
create procedure pay(c int, amt numeric, inout n int default 0) language plpgsql as $$ begin insert into payment(customer_id, amount, payment_date) values (c, amt, '2007-01-01'); get diagnostics n = row_count; raise notice 'paid % for %', amt, c; end $$;
call pay(3, 9.99); call pay(3, 1.5, 7); select count(*) from payment;
do $$ declare r record; t int := 0; begin for r in select * from payment order by payment_id desc limit 3 loop t := t + r.payment_id; end loop; raise notice 'sum %', t; end $$;
create table film_audit(op text, film_id int, old_title text, new_title text);
create function film_audit() returns trigger language plpgsql as $$ begin
 if tg_op = 'INSERT' then insert into film_audit values (tg_op, new.film_id, null, new.title); elsif tg_op = 'UPDATE' then insert into film_audit values (tg_op, new.film_id, old.title, new.title); else insert into film_audit values (tg_op, old.film_id, old.title, null); end if; return null; end $$;
create trigger audit after insert or update or delete on film for each row execute function film_audit();
insert into film(title, language_id) values ('NEW', 1), ('NEWER', 2); update film set title = lower(title) where film_id > 18; delete from film where film_id = 22;
begin; update film set title = 'x'; rollback;
select * from film_audit order by film_id, op;
with ins as (insert into film(title, language_id) values ('CTE', 1) returning film_id) select count(*) from ins; select count(*) from film_audit;
insert into film(film_id, title, language_id) values (5, 'dup', 1) on conflict (film_id) do update set title = excluded.title; select * from film_audit where film_id = 5;
copy film(title, language_id) from stdin;
copied	1
copied2	2
\.
select op, count(*) from film_audit group by 1 order by 1;
