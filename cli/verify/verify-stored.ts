import * as E from 'fp-ts/lib/Either.js';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { SealOpener } from '../../platform/seals/opener.ts';
import type { ComparedCounts } from '../../projectors/verification/findings.ts';
import type { VerificationTarget } from '../../projectors/verification/verify-read-models.ts';
import type { CliFault } from '../fault.ts';

export type VerifiedReadModels = {
  readonly compared: ComparedCounts;
  /** Number of records that are not folded yet. */
  readonly behind: number;
  /** Number of documents that changed too often to be compared. */
  readonly moving: number;
};

const PROGRESS_MS = 2_000;

const LISTS = { all: null, render: 'renderctl render list', project: 'renderctl project list', account: null } as const;

export const verifyStoredReadModels = async (
  servers: {
    readonly records: RecordLog;
    readonly db: ReadStore['db'];
    readonly blobs: BlobStore;
    readonly seals: SealOpener;
  },
  thing: VerificationTarget,
  options: { readonly outputs: boolean; readonly say: (line: string) => void; readonly stop: AbortSignal },
): Promise<E.Either<CliFault, VerifiedReadModels>> => {
  const { stop, say, outputs } = options;
  // Imported on demand, because they load slowly.
  const [{ verifyReadModels }, { differenceText }] = await Promise.all([
    import('../../projectors/verification/verify-read-models.ts'),
    import('../../projectors/verification/difference.ts'),
  ]);
  let told_at = SYSTEM_CLOCK.monotonic();
  const onProgress = (what: string, done: number, all: number): void => {
    if (SYSTEM_CLOCK.monotonic() - told_at < PROGRESS_MS) return;
    told_at = SYSTEM_CLOCK.monotonic();
    say(`${what}: ${done} of ${all} records`);
  };
  const deps = { ...servers, clock: SYSTEM_CLOCK, logger: createLogger('renderctl', 'silent') };
  try {
    const result = await verifyReadModels(deps, thing, { outputs, stop, onProgress });
    switch (result.tag) {
      case 'not_there': {
        const id = thing.tag === 'all' ? '' : thing.id;
        return E.left({ tag: 'not_found', what: thing.tag, id, list: LISTS[thing.tag] });
      }
      case 'not_serving':
        return E.left({ tag: 'not_folded_yet', what: `the ${result.read_model} of this version are` });
      case 'verified': {
        const { differences, different, compared, behind, moving } = result.verified;
        return different > 0
          ? E.left({ tag: 'not_as_logged', count: different, differences: differences.map(differenceText) })
          : E.right({ compared, behind, moving });
      }
    }
  } catch (error) {
    if (stop.aborted) return E.left({ tag: 'interrupted' });
    throw error;
  }
};
