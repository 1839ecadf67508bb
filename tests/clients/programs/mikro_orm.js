// MikroORM 6: schemas made, compared and changed, entities, locks, upserts, nested transactions, migrations.
const { MikroORM, EntitySchema, raw } = require('@mikro-orm/postgresql');
const { Migrator } = require('@mikro-orm/migrations');
const { mkdtempSync } = require('fs');

(async () => {
const A=new EntitySchema({name:"Author",indexes:[{properties:["name","born"]}],properties:{id:{primary:true,type:"number",autoincrement:true},name:{type:"string",length:50,unique:true},born:{type:"date",nullable:true},kind:{enum:true,items:["x","y"],nativeEnumName:"kind_t",default:"x"},sex:{enum:true,items:["m","f"],nullable:true},meta:{type:"json",nullable:true},tags:{type:"string[]",nullable:true},bal:{type:"decimal",precision:10,scale:2,default:0},at:{type:"datetime",defaultRaw:"current_timestamp",length:3},big:{type:"bigint",nullable:true},u:{type:"uuid",defaultRaw:"gen_random_uuid()"},up:{type:"string",generated:"(upper(name)) stored",nullable:true,columnType:"text"},books:{kind:"1:m",entity:"Book",mappedBy:"author"}},checks:[{expression:"bal >= 0",name:"bal_ok"}]});
const B=new EntitySchema({name:"Book",properties:{id:{primary:true,type:"number",autoincrement:true},title:{type:"text"},author:{kind:"m:1",entity:"Author",deleteRule:"cascade"},tags:{kind:"m:n",entity:"Tag",owner:true},v:{type:"number",version:true}},uniques:[{properties:["author","title"]}]});
const T=new EntitySchema({name:"Tag",properties:{id:{primary:true,type:"number",autoincrement:true},n:{type:"string"}}});
const orm=await MikroORM.init({clientUrl:`postgresql://${process.env.PGUSER}@${process.env.PGHOST}:${process.env.PGPORT}/${process.env.PGDATABASE}`,entities:[A,B,T],extensions:[Migrator],debug:false,migrations:{path:mkdtempSync(require("os").tmpdir()+"/mig"),silent:true,snapshot:false,emit:"js"},discovery:{warnWhenNoEntities:false}});
const g=orm.schema; const t=async(n,f)=>{try{console.log(n,JSON.stringify(await f(),(k,v)=>k==="at"||k==="u"?"*":typeof v==="bigint"?v+"n":v))}catch(e){console.log(n,"ERR",e.name,e.code||"",(e.message||"").split("\n")[0].slice(0,300))}};
await t("create",async()=>{await g.createSchema()}); await t("diff",()=>g.getUpdateSchemaSQL()); await t("createsql",()=>g.getCreateSchemaSQL());
const em=orm.em.fork();
await t("ins",async()=>{const a=em.create("Author",{name:"ann",tags:["a","b,c"],meta:{x:[1]},big:"9007199254740993",born:"2000-02-03",bal:"1.50"}); em.create("Book",{title:"b1",author:a,tags:[em.create("Tag",{n:"t1"}),em.create("Tag",{n:"t2"})]}); em.create("Book",{title:"b2",author:a}); await em.flush();});
await t("find",()=>orm.em.fork().find("Author",{books:{tags:{n:"t1"}}},{populate:["books.tags"],orderBy:{name:"asc",books:{id:"asc",tags:{id:"asc"}}}}));
await t("sel",()=>orm.em.fork().find("Author",{name:{$ilike:"A%"},tags:{$contains:["a"]},meta:{x:[1]}},{populate:["books"],strategy:"select-in"}));
await t("qb",()=>orm.em.fork().createQueryBuilder("Book","b").select(["b.author",raw("count(*)::int as n")]).leftJoin("b.tags","t").groupBy("b.author").having("count(*) > 0").execute());
await t("upsert",async()=>{const e=orm.em.fork(); const a=await e.upsert("Author",{name:"ann",bal:"7"}); const m=await e.upsertMany("Author",[{name:"ann",kind:"y"},{name:"bob"}]); return [a.bal,m.length]});
await t("lock",async()=>{const e=orm.em.fork(); return e.transactional(async x=>{const b=await x.findOneOrFail("Book",{title:"b1"},{lockMode:4}); b.title="b1x"; await x.flush(); return b.v})});
await t("optim",async()=>{const e1=orm.em.fork(),e2=orm.em.fork(); const a=await e1.findOne("Book",1), b=await e2.findOne("Book",1); a.title="q"; await e1.flush(); b.title="w"; await e2.flush();});
await t("dup",async()=>{const e=orm.em.fork(); e.create("Author",{name:"ann"}); await e.flush()}); await t("chk",async()=>{const e=orm.em.fork(); e.create("Author",{name:"neg",bal:"-1"}); await e.flush()}); await t("fk",async()=>{const e=orm.em.fork(); e.create("Book",{title:"x",author:999}); await e.flush()}); await t("nn",async()=>orm.em.fork().getConnection().execute("insert into author(name) values (null)"));
await t("cursor",async()=>{const c=await orm.em.fork().findByCursor("Book",{},{first:1,orderBy:{id:"desc"}}); return [c.totalCount,c.hasNextPage,c.items.length]});
await t("nested",async()=>orm.em.fork().transactional(async e=>{e.create("Tag",{n:"keep"}); await e.flush(); try{await e.transactional(async x=>{x.create("Tag",{n:"lose"}); await x.flush(); throw new Error("z")})}catch{}; return e.count("Tag")}));
await t("mig",async()=>{const m=orm.migrator; const r=await m.createMigration(undefined,true); const up=await m.up(); const p=await m.getPendingMigrations(); const ex=await m.getExecutedMigrations(); const d=await m.down(); return [up.length,p.length,ex.length,d.length]});
await t("alter",()=>orm.em.getConnection().execute("alter table author add column extra int, alter column kind drop default, drop constraint bal_ok; create index zz on book(title); alter type kind_t add value 'z'")); await t("diff2",()=>g.getUpdateSchemaSQL()); await t("update",async()=>{await g.updateSchema()}); await t("diff3",()=>g.getUpdateSchemaSQL());
await t("del",async()=>{const e=orm.em.fork(); await e.nativeDelete("Author",{name:"ann"}); return e.count("Book")}); await t("clear",async()=>{await g.clearDatabase()}); await t("drop",async()=>{await g.dropSchema()}); await t("dropall",()=>g.getDropSchemaSQL()); await orm.close();
console.log("done");
})().catch((e) => { console.error("FAIL", e.message); process.exit(1); });
