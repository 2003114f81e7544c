import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { openWorkFolder } from '../../../render-workers/local-files/work-folder.ts';

const NO_SUCH_PID = 2 ** 30;
const host = hostname().replace(/[^A-Za-z0-9]/g, '');

test('remains of a dead process are deleted, and other files stay', async (t) => {
  const work_dir = await mkdtemp(join(tmpdir(), 'work-folder-'));
  t.teardown(() => rm(work_dir, { recursive: true }));
  const dead = `rendering-worker-${host}-${NO_SUCH_PID}-abc`;
  const living = `rendering-worker-${host}-${process.ppid}-abc`;
  const elsewhere = `rendering-worker-${host}x-${NO_SUCH_PID}-abc`;
  const others = `rendering-preparer-${host}-${NO_SUCH_PID}-abc`;
  for (const name of [dead, living, elsewhere, others]) {
    await mkdir(join(work_dir, name));
    await writeFile(join(work_dir, name, 'frame'), 'x');
  }
  const folder = await openWorkFolder(work_dir, 'worker');
  const left = await readdir(work_dir);
  t.false(left.includes(dead));
  for (const name of [living, elsewhere, others]) t.true(left.includes(name), name);

  const render = await folder.render('att_1');
  t.true(existsSync(render));
  await folder.remove();
  t.false(existsSync(render));
  t.is((await readdir(work_dir)).length, 3);
});
