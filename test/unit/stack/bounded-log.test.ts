import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import test from 'ava';
import { boundedLog, readLines } from '../../../stack/process/bounded-log.ts';

test('a full log restarts, and its former part is kept once', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'kafka.log');
  const log = boundedLog(path, 100);
  for (let n = 0; n < 50; n += 1) log.write(`line ${n}`);
  log.close();
  t.true(statSync(path).size <= 100);
  t.true(statSync(`${path}.1`).size <= 100);
  t.true(readFileSync(path, 'utf8').endsWith('line 49\n'));
  t.is(log.lastLines().length, 30);
});

test('lines are joined from chunks, even within a character, and endless ones are cut', async (t) => {
  const stream = new PassThrough();
  const lines: string[] = [];
  readLines(stream, (line) => lines.push(line));
  const umlaut = Buffer.from('ü');
  stream.write(Buffer.concat([Buffer.from('a\nb'), umlaut.subarray(0, 1)]));
  stream.write(Buffer.concat([umlaut.subarray(1), Buffer.from('\n')]));
  stream.end('x'.repeat(40_000));
  await new Promise((resolve) => stream.once('end', resolve));
  t.deepEqual(lines.slice(0, 2), ['a', 'bü']);
  t.true(lines.length >= 3);
  t.is(lines.slice(2).join(''), 'x'.repeat(40_000));
});
