import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as t from 'io-ts';
import { seedDemo } from '../../demo/seed.ts';
import { startStack } from '../../stack/launcher.ts';
import { postBody, renderHeaders } from '../post-render.ts';
import { type BenchCase, CASE_TEMPLATE_ID } from './cases.ts';

const Shown = t.type({ status: t.string });
const POLL_MS = 100;

export const campaignOnStack = async (
  one: BenchCase,
  names: readonly string[],
  sources_folder: string,
  signal: AbortSignal,
): Promise<number> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
  const limits = { RATE_LIMIT_PER_S: '1000000', RATE_LIMIT_BURST: '1000000' };
  const stack = await startStack({ dataDir, signal, env: limits });
  try {
    await writeFile(join(sources_folder, 'project.json'), JSON.stringify(one.project));
    const seeded_path = join(dataDir, 'seeded.json');
    const seeded = await seedDemo({ env: stack.env, seeded_path, project: sources_folder });
    const headers = renderHeaders(seeded);
    const post = (name: string): Promise<string> => {
      const body = { name, project_id: seeded.project_id, template_id: CASE_TEMPLATE_ID, values: { name } };
      return postBody(stack.base_url, seeded, JSON.stringify(body));
    };
    const statusOf = async (id: string): Promise<string> => {
      const json: unknown = await (await fetch(`${stack.base_url}/v1/renders/${id}`, { headers })).json();
      return Shown.is(json) ? json.status : 'unknown';
    };
    const began = performance.now();
    const ids = await Promise.all(names.map(post));
    for (const id of ids)
      for (let status = 'queued'; status !== 'complete'; status = await statusOf(id)) {
        if (status === 'failed') throw new Error(`render ${id} failed`);
        await pause(POLL_MS, undefined, { signal });
      }
    return performance.now() - began;
  } finally {
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
};
