-- Calls within calls, as deep as templates clean texts: each costs as much as the one before.
\set one 'replace(replace(replace(replace(replace(replace(replace(replace('
\set two ', ''a'', ''b''), ''b'', ''c''), ''c'', ''d''), ''d'', ''e''), ''e'', ''f''), ''f'', ''g''), ''g'', ''h''), ''h'', ''a'')'
create table t (id int primary key, s text); insert into t values (1, 'abcdefgh'), (2, ''), (3, null), (4, 'x');
select id, :one :one :one :one :one s :two :two :two :two :two from t order by id;
select :one :one :one :one :one s :two :two :two :two :two from t where id = 1;
select replace('abc', '', 'x'), replace('', '', 'x'), replace('', ''::text, null), replace('abc', 'b', null), replace(null, 'a', 'b'), replace('żabaż', 'ż', 'ź'), replace('aaaa', 'aa', 'b'), replace('abc', 'abcd', 'x');
select replace(a, b, c) from (values ('abc', '', 'x'), ('abc', null, 'x'), ('', '', 'y'), ('abab', 'ab', ''), ('aaa', 'a', 'aa'), ('aaa', '', null)) v(a, b, c);
