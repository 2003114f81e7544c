import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Output } from '../../domain/render/events.ts';
import { isErased, type Render } from '../../domain/render/render.ts';
import { BlobFault, type BlobStore, isUnavailableOrRefused } from '../../platform/blob-store/blob-store.ts';
import type { Difference } from './difference.ts';
import { createFindings, type VerificationResult } from './findings.ts';

export type OutputCheckDependencies = {
  readonly blobs: Pick<BlobStore, 'download'>;
  readonly gone: (render: Render) => Promise<boolean>;
};

export type OutputCheck = {
  readonly render: (render: Render) => Promise<void>;
  readonly end: () => Promise<VerificationResult>;
};

export const outputCheck = async ({ blobs, gone }: OutputCheckDependencies): Promise<OutputCheck> => {
  const folder = await mkdtemp(join(tmpdir(), 'outputs-'));
  const findings = createFindings();
  let count = 0;

  const difference = async (id: string, output: Output): Promise<Difference | null> => {
    const where = `render ${id}, output ${output.variant}`;
    count += 1;
    const file = join(folder, String(count));
    try {
      const { size_bytes, sha256 } = await blobs.download(output.path, file);
      if (size_bytes !== output.size_bytes)
        return {
          ...{ where, member: 'size_bytes', log: `${output.size_bytes}`, holder: 'blob' },
          found: `${size_bytes}`,
        };
      return sha256 === output.sha256
        ? null
        : { where, member: 'sha256', log: output.sha256, holder: 'blob', found: sha256 };
    } catch (error) {
      if (!(error instanceof BlobFault) || isUnavailableOrRefused(error)) throw error;
      if (error.tag === 'corrupt')
        return { where, member: 'sha256', log: output.sha256, holder: 'blob', found: 'other bytes' };
      return { where, member: null, log: 'that it is there', holder: 'blob', found: 'nothing' };
    } finally {
      await rm(file, { force: true });
    }
  };

  return {
    render: async (render) => {
      if (isErased(render) || (await gone(render))) return;
      for (const output of [...render.outputs, ...(render.poster === null ? [] : [render.poster])]) {
        findings.count('outputs', 1);
        findings.add(await difference(render.id, output));
      }
    },
    end: async () => {
      await rm(folder, { recursive: true, force: true });
      return findings.all();
    },
  };
};
