// What applications on postgres.js and Drizzle do, a line for each step.
const step=async(n,f)=>{try{const r=await f();console.log(n,JSON.stringify(r,(k,v)=>typeof v=='bigint'?v+'n':v))}catch(e){const c=e.cause||e;console.log(n,'ERR',c.message.split('\n')[0],c.code,c.detail,c.constraint_name||c.constraint)}};
const port=+process.env.PGPORT,db=process.env.PGDATABASE;
(async()=>{
const postgres=require('postgres');
const sql=postgres({host:'127.0.0.1',port,user:process.env.PGUSER,database:db,max:3,onnotice:n=>console.log('notice',n.message)});
await step('p create',()=>sql`create table a(id int generated always as identity primary key, n numeric, t text[], j jsonb, d timestamptz, b bytea, big int8, e float8[], bo bool)`);
await step('p notice',()=>sql`create table if not exists a(id int)`);
await step('p ins',()=>sql`insert into a ${sql([{n:'1.5',t:['x','y "q"',null],j:{k:[1]},d:new Date(0),b:Buffer.from([1,2]),big:'5',e:[1.5,2],bo:true},{n:null,t:[],j:null,d:null,b:null,big:null,e:null,bo:false}])} returning *`);
await step('p sel',()=>sql`select * from a where id = any(${[1,2]}) order by ${sql('id')} desc`);
await step('p in',()=>sql`select id from a where id in ${sql([1,2])}`);
await step('p upd',()=>sql`update a set ${sql({n:2,t:['z']})} where id = ${1} returning n,t`);
await step('p values',()=>sql`select id,bo from a order by 1`.values());
await step('p raw',()=>sql`select 1 as x`.raw().then(r=>r.map(x=>x.map(y=>y.toString()))));
await step('p describe',()=>sql`select id,n,t from a where id=${1}`.describe().then(d=>[d.types,d.columns.map(c=>[c.name,c.type])]));
await step('p cursor',async()=>{const o=[];for await(const r of sql`select x from generate_series(1,7) x`.cursor(3))o.push(r.length);return o});
await step('p foreach',async()=>{const o=[];await sql`select x from generate_series(1,3) x`.forEach(r=>o.push(r.x));return o});
await step('p multi',()=>sql.unsafe('select 1 as a; select 2 as b'));
await step('p unsafe',()=>sql.unsafe('select $1::int+1 as y',[4]));
await step('p tx',()=>sql.begin('isolation level serializable',async s=>{await s`insert into a(n) values (9)`;try{await s.savepoint(async z=>{await z`insert into a(n) values (10)`;throw new Error('no')})}catch(e){}return s`select count(*)::int from a`}));
await step('p txpipe',()=>sql.begin(s=>[s`select 1 as a`,s`select 2 as b`]));
await step('p err',()=>sql`select 1/${0}::int`);
await step('p copyin',async()=>{const w=await sql`copy a(n,bo) from stdin`.writable();await new Promise((res,rej)=>{w.on('error',rej);w.on('finish',res);w.write('3\tt\n4\t');w.end('f\n')});return sql`select count(*)::int from a`});
await step('p copyout',async()=>{const r=await sql`copy (select n,bo from a order by id) to stdout`.readable();let o='';for await(const c of r)o+=c;return o});
await step('p listen',async()=>{let got;const p=new Promise(r=>got=r);const l=await sql.listen('ch',x=>got(x));await sql.notify('ch','pay');const v=await p;await l.unlisten();return v});
await step('p types',()=>sql`select ${sql.typed(3,20)}::int8 as x, ${sql.array([1,2])} as y, ${sql.json({a:1})} as z, ${new Date(0)}::timestamptz as d, ${true} as b, ${Buffer.from('a')} as bb, ${null}::text as n`);
await step('p cancel',async()=>{const q=sql`select pg_sleep(20)`;setTimeout(()=>q.cancel(),100);return q});
await step('p reserve',async()=>{const r=await sql.reserve();await r`set search_path to pg_catalog`;const x=await r`select current_setting('search_path') s`;await r`reset search_path`;r.release();return x});
const {drizzle}=require('drizzle-orm/postgres-js');const d0=require('drizzle-orm');const pc=require('drizzle-orm/pg-core');
const role=pc.pgEnum('role',['a','b']);
const users=pc.pgTable('users',{id:pc.serial('id').primaryKey(),name:pc.varchar('name',{length:40}).notNull(),email:pc.text('email').unique(),role:role('role').default('a'),meta:pc.jsonb('meta'),tags:pc.text('tags').array().default(d0.sql`'{}'::text[]`),uid:pc.uuid('uid').defaultRandom(),score:pc.numeric('score',{precision:10,scale:2}),at:pc.timestamp('at',{withTimezone:true}).defaultNow(),big:pc.bigint('big',{mode:'bigint'}),d:pc.date('d'),iv:pc.interval('iv')});
const posts=pc.pgTable('posts',{id:pc.integer('id').primaryKey().generatedAlwaysAsIdentity(),uid:pc.integer('user_id').references(()=>users.id,{onDelete:'cascade'}),title:pc.text('title')});
const usersR=d0.relations(users,({many})=>({posts:many(posts)})),postsR=d0.relations(posts,({one})=>({user:one(users,{fields:[posts.uid],references:[users.id]})}));
const fs=require('fs'),os=require('os'),path=require('path');const dir=fs.mkdtempSync(path.join(os.tmpdir(),'dz'));fs.mkdirSync(dir+'/meta');
fs.writeFileSync(dir+'/meta/_journal.json',JSON.stringify({version:'7',dialect:'postgresql',entries:[{idx:0,version:'7',when:1700000000000,tag:'0000_a',breakpoints:true},{idx:1,version:'7',when:1700000000001,tag:'0001_b',breakpoints:true}]}));
fs.writeFileSync(dir+'/0000_a.sql',`CREATE TYPE "public"."role" AS ENUM('a', 'b');--> statement-breakpoint
CREATE TABLE "posts" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "posts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer,
	"title" text
);
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS "users" (
	"id" serial PRIMARY KEY NOT NULL,
	"name" varchar(40) NOT NULL,
	"email" text,
	"role" "role" DEFAULT 'a',
	"meta" jsonb,
	"tags" text[] DEFAULT '{}'::text[],
	"uid" uuid DEFAULT gen_random_uuid(),
	"score" numeric(10, 2),
	"at" timestamp with time zone DEFAULT now(),
	"big" bigint,
	"d" date,
	"iv" interval,
	CONSTRAINT "users_email_unique" UNIQUE("email")
);
--> statement-breakpoint
DO $$ BEGIN
 ALTER TABLE "posts" ADD CONSTRAINT "posts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
EXCEPTION
 WHEN duplicate_object THEN null;
END $$;
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "ix_title" ON "posts" USING btree ("title" DESC NULLS LAST,lower("title"));`);
fs.writeFileSync(dir+'/0001_b.sql',`ALTER TYPE "public"."role" ADD VALUE 'c' BEFORE 'b';--> statement-breakpoint
ALTER TABLE "users" ALTER COLUMN "name" SET DATA TYPE text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "nick" text GENERATED ALWAYS AS (upper("name")) STORED;--> statement-breakpoint
CREATE POLICY "p" ON "users" AS PERMISSIVE FOR ALL TO public USING (true);`.replace(/--> statement-breakpoint\nCREATE POLICY.*/,''));
const db1=drizzle(sql,{schema:{users,posts,usersR,postsR},logger:!!process.env.LOG});
const {migrate}=require('drizzle-orm/postgres-js/migrator');
await step('d migrate',()=>migrate(db1,{migrationsFolder:dir}));
await step('d migrate again',()=>migrate(db1,{migrationsFolder:dir}));
const {eq,sql:q,and,or,inArray,ilike,arrayContains,desc,asc,count,sum,avg,exists,between,isNull,gt}=d0;
await step('d ins',()=>db1.insert(users).values([{name:'A',email:'a@x',meta:{k:1},tags:['x','y'],score:'1.50',big:5n,d:'2020-01-02',iv:'1 day'},{name:'B',role:'b'}]).returning({id:users.id,role:users.role,big:users.big,iv:users.iv,d:users.d,tags:users.tags}));
await step('d conflict',()=>db1.insert(users).values({name:'A2',email:'a@x'}).onConflictDoUpdate({target:users.email,set:{name:q`excluded.name`},setWhere:q`${users.id} < 5`}).returning({id:users.id,n:users.name}));
await step('d nothing',()=>db1.insert(users).values({name:'A2',email:'a@x'}).onConflictDoNothing().returning({id:users.id}));
await step('d posts',()=>db1.insert(posts).values([{uid:1,title:'p1'},{uid:1,title:'p2'}]).returning());
await step('d rel',()=>db1.query.users.findMany({columns:{id:true,name:true,meta:true,tags:true},with:{posts:{columns:{title:true},orderBy:[desc(posts.title)],limit:5,with:{user:{columns:{name:true}}}}},orderBy:[asc(users.id)],extras:{lo:q`lower(${users.name})`.as('lo')}}));
await step('d rel1',()=>db1.query.posts.findFirst({with:{user:true},where:eq(posts.title,'p1')}).then(p=>{p.user.at=p.user.uid=0;return p}));
await step('d join',()=>db1.select({n:users.name,c:count(posts.id),s:sum(posts.id),a:avg(posts.id)}).from(users).leftJoin(posts,eq(posts.uid,users.id)).groupBy(users.id).having(({c})=>gt(c,-1)).orderBy(users.id));
await step('d where',()=>db1.select({id:users.id}).from(users).where(and(or(ilike(users.name,'a%'),arrayContains(users.tags,['z'])),inArray(users.id,[1,2]),isNull(users.uid).if?.(false)||q`true`)));
await step('d cte',async()=>{const c=db1.$with('c').as(db1.select({id:users.id}).from(users).where(exists(db1.select({o:q`1`}).from(posts).where(eq(posts.uid,users.id)))));return db1.with(c).select().from(c)});
await step('d upd',()=>db1.update(users).set({score:q`${users.score} * 2`}).from(posts).where(and(eq(posts.uid,users.id),eq(posts.title,'p1'))).returning({s:users.score}));
await step('d tx',()=>db1.transaction(async t=>{await t.select().from(users).for('update',{skipLocked:true});try{await t.transaction(async z=>{await z.delete(posts);z.rollback()})}catch(e){}return t.$count(posts)},{isolationLevel:'repeatable read',accessMode:'read write',deferrable:true}));
await step('d del',()=>db1.delete(posts).where(eq(posts.title,'p2')).returning({id:posts.id}));
await step('d prep',async()=>{const p=db1.select({id:users.id}).from(users).where(eq(users.name,q.placeholder('n'))).prepare('pp');return [await p.execute({n:'A2'}),await p.execute({n:'zz'})]});
await step('d union',()=>db1.select({x:users.name}).from(users).union(db1.select({x:posts.title}).from(posts)).orderBy(q`1`));
await step('d lateral',async()=>{const s=db1.select({t:posts.title}).from(posts).where(eq(posts.uid,users.id)).orderBy(desc(posts.id)).limit(1).as('s');return db1.select({n:users.name,t:s.t}).from(users).leftJoinLateral(s,q`true`).orderBy(users.id)});
await step('d err',()=>db1.insert(posts).values({uid:99}));
await sql.end();
})().catch(e=>{console.error('FAIL',e.stack);process.exit(1)});
