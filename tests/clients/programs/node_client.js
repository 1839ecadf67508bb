// What a program on node-postgres does; run by `test_node`. Prints one JSON object.
const { Client, Pool } = require("pg");
const at = { host: process.argv[2], port: Number(process.argv[3]), user: "tidewire", database: "tidewire" };

async function main() {
  const found = {};
  const c = new Client(at);
  await c.connect();
  found.parameters = (await c.query("SELECT $1::text AS a, $2::int AS b", ["x", 2])).rows;
  await c.query("CREATE TABLE node_things (id serial PRIMARY KEY, j jsonb, a int[], b bytea, n numeric)");
  const insert = "INSERT INTO node_things (j, a, b, n) VALUES ($1, $2, $3, $4) RETURNING *";
  const row = (await c.query(insert, [{ k: 1 }, [1, 2], Buffer.from([1, 255]), "1.50"])).rows[0];
  found.inserted = { ...row, b: row.b.toString("hex") };
  found.several = (await c.query("SELECT 1 AS a; SELECT 2 AS b")).map((r) => r.rows);
  const named = { name: "by id", text: "SELECT id, n FROM node_things WHERE id = $1", values: [1] };
  await c.query(named);
  found.named = (await c.query({ ...named, rowMode: "array" })).rows;
  found.fields = (await c.query(named)).fields.map((f) => [f.name, f.dataTypeID]);
  found.binary = (await c.query({ text: "SELECT 7 AS a, 1.5::float8 AS f", binary: true })).rows;
  try {
    await c.query("SELECT * FROM nowhere");
  } catch (e) {
    found.error = [e.code, e.position, e.severity];
  }
  await c.query("BEGIN");
  await c.query("DELETE FROM node_things");
  await c.query("ROLLBACK");
  found.any = (await c.query("SELECT count(*)::int AS n FROM node_things WHERE id = ANY($1)", [[1, 2]])).rows;
  const heard = new Promise((done) => c.on("notification", (m) => done([m.channel, m.payload])));
  await c.query("LISTEN news");
  await c.query("NOTIFY news, 'today'");
  found.heard = await heard;
  await c.end();
  const pool = new Pool(at);
  const answers = await Promise.all([1, 2, 3].map((i) => pool.query("SELECT $1::int AS x", [i])));
  found.pool = answers.map((r) => r.rows[0].x);
  await pool.end();
  console.log(JSON.stringify(found));
}

main().catch((e) => {
  console.error(e);
  process.exit(1);
});
