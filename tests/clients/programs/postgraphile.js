// PostGraphile 4: the GraphQL schema that it makes of a catalog that it loads whole, and queries and mutations of it.
const { createPostGraphileSchema, withPostGraphileContext } = require('postgraphile');
const { Pool } = require('pg');
const { printSchema, graphql } = require('graphql');

const SETUP = `
create schema app; create type app.mood as enum ('ok', 'bad'); create domain app.pos as int check (value > 0);
create table app.person (id serial primary key, name text not null, mood app.mood default 'ok', tags text[], born date, meta jsonb, n app.pos);
create table app.post (id int generated always as identity primary key, person_id int not null references app.person on delete cascade,
  title varchar(20), price numeric(8,2), unique (person_id, title));
comment on table app.post is 'a post'; comment on column app.post.title is 'its title';
create view app.v as select id, name from app.person;
create type app.pair as (a int, b text);
create function app.person_posts_count(p app.person) returns bigint language sql stable as $$ select count(*) from app.post where person_id = p.id $$;
create function app.search(q text) returns setof app.person language sql stable as $$ select * from app.person where name like '%' || q || '%' $$;
create function app.add(a int, b int default 3) returns int language sql immutable as $$ select a + b $$;
create index on app.post (person_id);
insert into app.person (name, tags, born, n) values ('ann', '{a,b}', '2001-02-03', 4), ('bob', null, null, null);
insert into app.post (person_id, title, price) values (1, 't1', 1.5), (1, 't2', 2.25), (2, 't3', null);`;

const ASKED = [
  '{allPeople(orderBy:NAME_DESC, first:1, condition:{mood:OK}){totalCount nodes{id name tags born postsCount postsByPersonId(first:1,orderBy:ID_ASC){nodes{title price} pageInfo{hasNextPage endCursor}}}}}',
  '{search(q:"a"){nodes{name}} add(a:1)}',
  'mutation{createPost(input:{post:{personId:2,title:"new"}}){post{id title personByPersonId{name}}}}',
  'mutation{updatePersonById(input:{id:1,personPatch:{mood:BAD,meta:{x:[1]}}}){person{mood meta}}}',
  'mutation{deletePostById(input:{id:1}){deletedPostId}}',
  '{allPosts(orderBy:[PRICE_DESC,ID_ASC], offset:1){edges{cursor node{title}}}}',
  'mutation{createPost(input:{post:{personId:2,title:"new"}}){post{id}}}',
];

(async () => {
  const pgPool = new Pool();
  await pgPool.query(SETUP);
  const schema = await createPostGraphileSchema(pgPool, ['app'], { dynamicJson: true });
  console.log(printSchema(schema));
  for (const query of ASKED)
    console.log(JSON.stringify(await withPostGraphileContext({ pgPool }, (context) => graphql(schema, query, null, context))));
  await pgPool.end();
  console.log('done');
})().catch((e) => { console.error('FAIL', e.message); process.exit(1); });
