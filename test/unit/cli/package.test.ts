import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { execa } from 'execa';
import { writePackage } from '../../../cli/package/write-package.ts';
import { DOCUMENT_EXAMPLE } from '../../../schemas/http/public/project-changes.ts';

test('the package of renderctl works over the API without any other package', async (t) => {
  t.timeout(120_000);
  const folder = await mkdtemp(join(tmpdir(), 'package '));
  t.teardown(() => rm(folder, { recursive: true }));
  const { file, size_bytes } = await writePackage(join(folder, 'built'));
  t.true(size_bytes < 1_500_000, `${size_bytes} bytes`);
  await execa('tar', ['xzf', file], { cwd: folder });
  const font = { id: 'font', kind: 'font', file: 'font.ttf' };
  await writeFile(join(folder, 'font.ttf'), 'bytes');
  await writeFile(join(folder, 'project.json'), JSON.stringify({ ...DOCUMENT_EXAMPLE, assets: [font] }));
  const renderctl = async (...args: readonly string[]) => {
    const env = { RENDERCTL_URL: 'http://127.0.0.1:9', RENDERCTL_API_KEY: 'vr_1', RENDERCTL_CONFIG_DIR: folder };
    const main = join(folder, 'package', 'dist', 'main.js');
    const { stdout, stderr } = await execa(process.execPath, [main, ...args], { cwd: folder, env, reject: false });
    return stdout + stderr;
  };
  const licences = await readFile(join(folder, 'package', 'dist', 'third-party-licences.md'), 'utf8');
  for (const name of ['commander', 'fp-ts', 'io-ts', 'p-limit']) t.regex(licences, new RegExp(`^## ${name} `, 'm'));
  t.regex(await readFile(join(folder, 'package', 'LICENSE'), 'utf8'), /Apache License/);
  t.regex(licences, /Permission is hereby granted/);
  t.regex(await renderctl('--help'), /^Usage: renderctl/);
  t.regex(await renderctl('project', 'import', folder), /the service does not answer at http:\/\/127\.0\.0\.1:9/);
  t.regex(await renderctl('team', 'list'), /needs a person, and an API key is not enough/);
  t.regex(await renderctl('account', 'list'), /needs access to the servers/);
  t.regex(await renderctl('log', 'out'), /you are not logged in/);
});
