import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { makePrivateFolder } from '../../../stack/process/private-folder.ts';
import { openProcessGroup } from '../../../stack/process/process-group.ts';
import { loadOrCreateSecrets } from '../../../stack/secrets.ts';

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

test('only the owner can read the data folder, even if it was open before', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'private folder '));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const fresh = join(folder, 'below', 'data');
  const group = await openProcessGroup({ dataDir: fresh });
  await group.stop([]);
  t.is(await modeOf(fresh), '700');

  const open = join(folder, 'open');
  await mkdir(open);
  await chmod(open, 0o755);
  const again = await openProcessGroup({ dataDir: open });
  await again.stop([]);
  t.is(await modeOf(open), '700');

  const of_secrets = join(folder, 'secrets');
  loadOrCreateSecrets(of_secrets);
  t.is(await modeOf(of_secrets), '700');
});

test('a private folder with narrower permissions stays unchanged', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'private folder '));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o500);
  makePrivateFolder(folder);
  t.is(await modeOf(folder), '500');
});
