import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { TIMES_FOLDER } from './recorded-times.ts';

// AVA loads this into the process of each test file when `run.ts --record` runs the tests.
const began = performance.now();
const folder = process.env[TIMES_FOLDER];
if (folder !== undefined)
  process.once('exit', () => {
    const file = relative(process.cwd(), fileURLToPath(test.meta.file));
    const seconds = (performance.now() - began) / 1_000;
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify([file, seconds]));
  });
