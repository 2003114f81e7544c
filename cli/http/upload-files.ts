import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import type { CommandContext } from '../commands/command.ts';
import type { CliFault } from '../fault.ts';
import type { ApiClient } from './api-client.ts';
import { newSlots, PUT_DEFAULTS } from './put-blocks.ts';
import { transferProgress } from './transfer-progress.ts';
import { type FileToUpload, INSPECTION_POLLING, type UploadAnswer, uploadFile } from './upload-file.ts';

const FILES_AT_ONCE = 4;
/** A longer inspection is announced, because the progress is then complete. */
const SHORT_INSPECTION_MS = 2_000;

/** Files with the same key are the same upload. */
export const uploadKeyOf = ({ sha256, content_type }: Pick<FileToUpload, 'sha256' | 'content_type'>): string =>
  `${sha256} ${content_type}`;

export type Uploads = ReadonlyMap<string, UploadAnswer>;

/**
 * Uploads files with a progress bar on stderr. Uploads are by {@link uploadKeyOf}; some may be refused. After a fault, no
 * further file is begun.
 */
export const uploadFiles = async (
  { stderr, stop }: Pick<CommandContext, 'stderr' | 'stop'>,
  client: ApiClient,
  files: readonly FileToUpload[],
  team_id: string | null,
): Promise<E.Either<CliFault, Uploads>> => {
  const unique = [...new Map(files.map((file) => [uploadKeyOf(file), file])).values()];
  const total_bytes = unique.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  if (unique.length === 0) return E.right(new Map());
  const progress = transferProgress(stderr, SYSTEM_CLOCK);
  let done_bytes = 0;
  let is_shown = true;
  let unannounce = (): void => undefined;
  const on_bytes = (bytes: number): void => {
    done_bytes += bytes;
    progress.show(done_bytes, total_bytes);
    if (done_bytes < total_bytes) return;
    unannounce = SYSTEM_CLOCK.after(SHORT_INSPECTION_MS, () => {
      progress.stop();
      is_shown = false;
      stderr.write('all bytes are sent; the service is checking the files\n');
    });
  };
  const options = { ...PUT_DEFAULTS, ...INSPECTION_POLLING, clock: SYSTEM_CLOCK, slots: newSlots(), on_bytes, stop };
  const limit = pLimit(FILES_AT_ONCE);
  const uploads = new Map<string, UploadAnswer>();
  let fault: CliFault | null = null;
  await Promise.all(
    unique.map((file) =>
      limit(async () => {
        if (fault !== null) return;
        const upload = await uploadFile(client, file, team_id, options);
        if (E.isLeft(upload)) fault ??= upload.left;
        else uploads.set(uploadKeyOf(file), upload.right);
      }),
    ),
  );
  unannounce();
  if (is_shown) progress.stop();
  return fault === null ? E.right(uploads) : E.left(fault);
};
