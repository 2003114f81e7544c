import { ApiRefusal, api, type Schemas, unwrapAnswer } from '../api/client.ts';
import { type Block, blockList, blocksOf, missingBlocks } from './blocks.ts';
import { contentTypeOf } from './file-types.ts';

type Upload = Schemas['Upload'];

/** `progress`: the stored part, from 0 to 1. While `waiting`, the network or the service is away. */
export type UploadState =
  | { readonly tag: 'sending' | 'waiting'; readonly progress: number }
  | { readonly tag: 'checking' };

export type UploadOptions = {
  readonly team_id: string;
  readonly file: File;
  readonly signal: AbortSignal;
  readonly tell: (state: UploadState) => void;
};

/** A fault of the file or of the upload, as a sentence for a person. */
export class UploadFault extends Error {
  override readonly name = 'UploadFault';
}

const AT_ONCE = 3;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 15_000;
/** How long a network may be away before the upload fails. A person can resume it then. */
const MAX_AWAY_MS = 600_000;
const ASK_EVERY_MS = 700;
/** Larger files are not hashed, because the browser would hold them in memory. */
const MAX_HASHED_BYTES = 16 * 1024 ** 2;

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      window.removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = window.setTimeout(end, ms);
    window.addEventListener('online', end);
    signal.addEventListener('abort', end);
  });

/** A busy service and a lost network pass. Other refusals are final. */
const isPassing = (error: unknown): boolean =>
  error instanceof ApiRefusal ? error.status >= 500 || error.status === 429 : error instanceof TypeError;

/** Repeats a step while the network or the service is away. @param away is called with true before each wait */
const persist = async <A>(
  step: () => Promise<A>,
  signal: AbortSignal,
  away: (is_away: boolean) => void,
): Promise<A> => {
  const began = performance.now();
  for (let delay_ms = FIRST_DELAY_MS; ; delay_ms = Math.min(2 * delay_ms, MAX_DELAY_MS)) {
    signal.throwIfAborted();
    try {
      const done = await step();
      away(false);
      return done;
    } catch (error) {
      signal.throwIfAborted();
      if (!isPassing(error) || performance.now() - began > MAX_AWAY_MS) throw error;
      away(true);
      await sleep(delay_ms, signal);
    }
  }
};

const hexOf = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Null for large files, and on plain http, where browsers have no hashes. */
const hashOf = async (file: File): Promise<string | null> =>
  file.size > MAX_HASHED_BYTES || !('subtle' in crypto)
    ? null
    : hexOf(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));

/** The same file gets the same upload again, so that it continues where it ended, also in another tab. */
const keyOf = async ({ name, size, lastModified }: File, sha256: string | null): Promise<string> => {
  const text = JSON.stringify([name, size, sha256 ?? lastModified]);
  return 'subtle' in crypto
    ? `file-${hexOf(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).slice(0, 40)}`
    : `file-${encodeURIComponent(text).replaceAll('%', '.').slice(0, 200)}`;
};

const put = async (url: string, query: string, body: Blob | string, signal: AbortSignal): Promise<void> => {
  const { ok, status } = await fetch(`${url}&${query}`, { method: 'PUT', body, signal });
  // A 403 means that the URL has expired; the caller gets a fresh one.
  if (!ok) throw new ApiRefusal(status, `the store returned status ${status}`, null);
};

type Writing = UploadOptions & { readonly facts: Schemas['TeamUploadRequest']; readonly key: string };

const offer = ({ team_id, facts, key, signal }: Writing): Promise<Upload> =>
  unwrapAnswer(
    api.POST('/manage/v1/teams/{team_id}/uploads', {
      ...{ params: { path: { team_id }, header: { 'Idempotency-Key': key } }, body: facts, signal },
    }),
  );

const read = ({ team_id, signal }: UploadOptions, upload_id: string): Promise<Upload> =>
  unwrapAnswer(
    api.GET('/manage/v1/teams/{team_id}/uploads/{upload_id}', { params: { path: { team_id, upload_id } }, signal }),
  );

const sendBlocks = async (writing: Writing, url: string, todo: readonly Block[], done: number): Promise<void> => {
  const { file, signal, tell } = writing;
  const rest = [...todo];
  let sent = done;
  const next = async (): Promise<void> => {
    for (let block = rest.shift(); block !== undefined; block = rest.shift()) {
      const { id, start, end } = block;
      const query = `comp=block&blockid=${encodeURIComponent(id)}`;
      await persist(
        () => put(url, query, file.slice(start, end), signal),
        signal,
        (is_away) => is_away && tell({ tag: 'waiting', progress: sent / file.size }),
      );
      sent += end - start;
      tell({ tag: 'sending', progress: sent / file.size });
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, rest.length) }, next));
};

/** Writes what the store lacks. @returns false if the URL expired meanwhile */
const write = async (writing: Writing, upload: Upload): Promise<boolean> => {
  const { file, signal, tell } = writing;
  const url = upload.upload_url;
  if (url === undefined) return true;
  const away = (is_away: boolean) => is_away && tell({ tag: 'waiting', progress: 0 });
  const { blocks: stored = [] } = await persist(() => read(writing, upload.id), signal, away);
  const blocks = blocksOf(file.size);
  const todo = missingBlocks(blocks, stored);
  const done = file.size - todo.reduce((sum, { start, end }) => sum + end - start, 0);
  tell({ tag: 'sending', progress: done / file.size });
  try {
    await sendBlocks(writing, url, todo, done);
    await persist(() => put(url, 'comp=blocklist', blockList(blocks), signal), signal, away);
    return true;
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 403) return false;
    throw error;
  }
};

const complete = ({ team_id, signal }: UploadOptions, upload_id: string): Promise<Upload> =>
  unwrapAnswer(
    api.POST('/manage/v1/teams/{team_id}/uploads/{upload_id}/complete', {
      ...{ params: { path: { team_id, upload_id } }, body: {}, signal },
    }),
  );

const untilChecked = async (options: UploadOptions, upload: Upload): Promise<Upload> => {
  const { signal } = options;
  let seen = upload;
  while (seen.status === 'inspecting') {
    await sleep(ASK_EVERY_MS, signal);
    seen = await persist(
      () => read(options, upload.id),
      signal,
      () => undefined,
    );
  }
  return seen;
};

const MAX_URLS = 3;

/**
 * Uploads a file and waits until the service has checked it. After a lost network it continues by itself. After a
 * closed page it continues when the person chooses the file again.
 *
 * @returns an upload that is ready. Rejects with {@link UploadFault} if the file is refused, with `ApiRefusal`, or with
 *   the reason of the signal.
 */
export const uploadFile = async (options: UploadOptions): Promise<Upload> => {
  const { file, signal, tell } = options;
  const content_type = contentTypeOf(file.name);
  if (content_type === null) throw new UploadFault('Files of this type cannot be used.');
  tell({ tag: 'sending', progress: 0 });
  const sha256 = await hashOf(file);
  const key = await keyOf(file, sha256);
  const facts = { name: file.name, content_type, size_bytes: file.size, ...(sha256 !== null && { sha256 }) };
  const writing = { ...options, facts, key };
  const away = (is_away: boolean) => is_away && tell({ tag: 'waiting', progress: 0 });
  let upload = await persist(() => offer(writing), signal, away);
  for (let urls = 1; upload.status === 'open'; urls += 1) {
    if (!(await write(writing, upload))) {
      if (urls >= MAX_URLS) throw new UploadFault('The file could not be stored. Try again.');
      upload = await persist(() => offer(writing), signal, away);
      continue;
    }
    tell({ tag: 'checking' });
    upload = await persist(() => complete(options, upload.id), signal, away);
  }
  tell({ tag: 'checking' });
  const checked = await untilChecked(options, upload);
  if (checked.status === 'ready') return checked;
  const [fault = 'cannot be used'] = checked.faults;
  throw new UploadFault(`The file ${fault}.`);
};
