import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { NO_CACHE } from '../../engine/cache/segment-cache.ts';
import { checkMedia } from '../../engine/check-composition.ts';
import type { EngineFault } from '../../engine/process/engine-fault.ts';
import { renderComposition } from '../../engine/render-composition.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { openCanaryServer } from '../helpers/canary-server.ts';
import { finalOf } from '../integration/engine/_composition.ts';
import type { Canary, HostileFile } from './hostile-file.ts';

/** The outcome for a file in the preparer's check and, if it passes, in a render. */
export type Outcome = {
  readonly checked: 'accepted' | EngineFault;
  readonly rendered: 'rendered' | EngineFault | null;
  readonly took_ms: number;
};

export type Ordeal = {
  readonly folder: string;
  readonly canary: Canary;
  readonly face: (file: Pick<HostileFile, 'kind' | 'ending'>, bytes: Buffer, sandbox: Sandbox) => Promise<Outcome>;
  /** The canaries that were reached; empty if none was. */
  readonly reached: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

const BUDGET_MS = 60_000;
const LONG_AGO = new Date(0);

const layerOf = (kind: HostileFile['kind']) =>
  kind === 'font'
    ? { id: 'a', type: 'text', text: 'Agfi', font_family: 'Hostile' }
    : { id: 'a', type: kind, asset: 'it', duration: 0.4 };

export const openOrdeal = async (): Promise<Ordeal> => {
  const folder = await mkdtemp(join(tmpdir(), 'hostile-'));
  const server = await openCanaryServer();
  const canary = { canary_file: join(folder, 'secret.png'), canary_url: `http://127.0.0.1:${server.port}/` };
  await writeFile(canary.canary_file, 'secret', { mode: 0o600 });
  // Sets an old access time, because file systems then record the next read. A newer access time shows that a program
  // has read the canary.
  await utimes(canary.canary_file, LONG_AGO, new Date());

  const face: Ordeal['face'] = async ({ kind, ending }, bytes, sandbox) => {
    const own = await mkdtemp(join(folder, 'own-'));
    const began_at = performance.now();
    const took_ms = () => Math.round(performance.now() - began_at);
    try {
      const file = join(own, `it${ending}`);
      await writeFile(file, bytes);
      const asset = { id: 'it', kind, sha256: createHash('sha256').update(bytes).digest('hex') };
      const final = finalOf({ width: 64, height: 36, fps: 5, duration: 0.4, layers: [layerOf(kind)] }, [
        kind === 'font' ? { ...asset, font_family: 'Hostile' } : asset,
      ]);
      const assets = new Map([['it', file]]);
      const checked = await checkMedia(final, assets, { sandbox });
      if (E.isLeft(checked)) return { checked: checked.left, rendered: null, took_ms: took_ms() };
      await mkdir(join(own, 'out'));
      const rendered = await renderComposition({
        ...{ final, assets, sandbox, work_dir: join(own, 'out'), ffmpeg_path: 'ffmpeg', ffprobe_path: 'ffprobe' },
        ...{ cache: NO_CACHE, cores: 1, on_progress: () => {} },
        ...{ signal: new AbortController().signal, budget_ms: BUDGET_MS },
      });
      return {
        checked: 'accepted',
        rendered: E.isLeft(rendered) ? rendered.left : 'rendered',
        took_ms: took_ms(),
      };
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  };

  return {
    folder,
    canary,
    face,
    reached: async () => [
      ...(server.connections() > 0 ? [`${server.connections()} connections were made`] : []),
      ...((await stat(canary.canary_file)).atimeMs > 0 ? ['a file that is no input was read'] : []),
    ],
    close: async () => {
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
