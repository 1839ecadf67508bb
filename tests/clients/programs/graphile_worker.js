// Graphile Worker: its migrations, and a queue of jobs in PL/pgSQL, SKIP LOCKED and notifications.
const { Pool } = require('pg');
const { Logger, makeWorkerUtils, run, runOnce } = require('graphile-worker');

(async () => {
  const pgPool = new Pool();
  const quiet = { pgPool, logger: new Logger(() => () => {}) };
  const work = await makeWorkerUtils(quiet);
  await work.migrate();
  for (let i = 0; i < 5; i++)
    await work.addJob('hello', { i }, { queueName: i % 2 ? 'q' : undefined, maxAttempts: 2, priority: i, jobKey: i == 4 ? 'k' : undefined });
  await work.addJob('hello', { i: 99 }, { jobKey: 'k' });
  await work.addJob('hello', { i: 100 }, { jobKey: 'k', jobKeyMode: 'unsafe_dedupe' });
  await work.addJob('fails', {});
  await work.addJob('later', {}, { runAt: new Date(Date.now() + 3600e3) });
  await work.addJobs([{ identifier: 'hello', payload: { b: 1 } }, { identifier: 'hello', payload: { b: 2 } }]);
  const seen = [];
  const fails = async () => { throw new Error('no'); };
  const taskList = { hello: async (p) => { seen.push(JSON.stringify(p)); }, fails };
  // A worker does not wait until its last jobs are deleted, and sees none in a queue while that is under way.
  const unfinished = "select 1 from graphile_worker.jobs where task_identifier = 'hello'";
  do await runOnce({ ...quiet, taskList }); while ((await pgPool.query(unfinished)).rowCount);
  console.log('run', seen.sort().join(' '));
  const left = await pgPool.query('select id::int, task_identifier, attempts, last_error is null as fine from graphile_worker.jobs order by 1');
  console.log('left', JSON.stringify(left.rows));
  const ids = left.rows.map((r) => String(r.id));
  console.log('again', (await work.rescheduleJobs(ids, { maxAttempts: 3 })).length);
  console.log('failed', (await work.permanentlyFailJobs([ids[0]], 'why')).map((j) => [j.last_error, j.attempts, j.max_attempts]).join());
  console.log('completed', (await work.completeJobs([ids[1]])).length);
  await work.cleanup({ tasks: ['GC_JOB_QUEUES', 'GC_TASK_IDENTIFIERS', 'DELETE_PERMAFAILED_JOBS'] });
  console.log('none', (await pgPool.query('select count(*)::int as n from graphile_worker.jobs')).rows[0].n);
  let told;
  const ran = new Promise((resolve) => { told = resolve; });
  const runner = await run({ ...quiet, noHandleSignals: true, taskList: { hello: async (p) => told(JSON.stringify(p)) } });
  await runner.addJob('hello', { x: 1 });
  console.log('heard', await ran);
  await runner.stop();
  await work.release();
  await pgPool.end();
  console.log('done');
  process.exit(0);
})().catch((e) => { console.error('FAIL', e.message, e.where || ''); process.exit(1); });
