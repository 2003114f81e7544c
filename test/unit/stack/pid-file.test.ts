import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { findLeftovers, formatPids, LAUNCHER, parsePids, pidFile } from '../../../stack/process/pid-file.ts';
import { processStartId } from '../../../stack/process/process-id.ts';

const KAFKA = { pid: 41, started: 'boot-7', name: 'kafka' };
const OWNER = { pid: 40, started: 'boot-5', name: LAUNCHER };

test('written process ids read back', (t) => {
  t.deepEqual(parsePids(formatPids([OWNER, KAFKA])), [OWNER, KAFKA]);
});

test('a truncated or invalid line is skipped', (t) => {
  t.deepEqual(parsePids('41 boot-7 kafka\n42 boo'), [KAFKA]);
  t.deepEqual(parsePids('0 boot-7 kafka\n-1 x y\nkafka\n\n'), []);
});

test('an unchanged process of a dead launcher is a leftover', (t) => {
  const now = new Map([[41, 'boot-7']]);
  t.deepEqual(
    findLeftovers([OWNER, KAFKA], (pid) => now.get(pid) ?? null),
    { owner: null, leftovers: [KAFKA] },
  );
});

test('a process id that another program reuses is not a leftover', (t) => {
  t.deepEqual(
    findLeftovers([OWNER, KAFKA], () => 'boot-900'),
    { owner: null, leftovers: [] },
  );
});

test('a live launcher has no leftovers', (t) => {
  const now = new Map([
    [40, 'boot-5'],
    [41, 'boot-7'],
  ]);
  t.deepEqual(
    findLeftovers([OWNER, KAFKA], (pid) => now.get(pid) ?? null),
    { owner: OWNER, leftovers: [] },
  );
});

test('the start time of a process is stable, and an unused id has none', (t) => {
  t.truthy(processStartId(process.pid));
  t.is(processStartId(process.pid), processStartId(process.pid));
  t.not(processStartId(process.pid), processStartId(1));
  t.is(processStartId(4_194_305), null);
});

test('the file forgets a removed process, and a missing file is empty', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pids with a space '));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = pidFile(join(folder, 'deeper', 'pids'));
  t.deepEqual(file.read(), []);
  file.add(OWNER);
  file.add(KAFKA);
  file.remove(OWNER.pid);
  t.deepEqual(file.read(), [KAFKA]);
  file.clear();
  t.deepEqual(file.read(), []);
});
