import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { nullable } from '../../domain/event/nullable.ts';
import type { CliFault } from '../fault.ts';
import type { ApiClient, ApiResult } from './api-client.ts';
import { type PutBlocksOptions, putBlocks } from './put-blocks.ts';

const MediaAnswer = t.type({
  width: nullable(t.number),
  height: nullable(t.number),
  duration_s: nullable(t.number),
  font_family: nullable(t.string),
});

export const UploadAnswer = t.intersection([
  t.type({
    id: t.string,
    team_id: t.string,
    name: t.string,
    kind: t.string,
    size_bytes: t.number,
    sha256: nullable(t.string),
    status: t.string,
    faults: t.array(t.string),
    media: nullable(MediaAnswer),
  }),
  t.partial({ upload_url: t.string, blocks: t.array(t.type({ id: t.string, size_bytes: t.number })) }),
]);
export type UploadAnswer = t.TypeOf<typeof UploadAnswer>;

export type FileToUpload = {
  readonly path: string;
  readonly name: string;
  readonly content_type: string;
  readonly size_bytes: number;
  readonly sha256: string;
};

export type UploadOptions = PutBlocksOptions & {
  readonly poll_ms: number;
  readonly longest_poll_ms: number;
  /** The service may inspect other files first. */
  readonly inspection_timeout_ms: number;
};

export const INSPECTION_POLLING = {
  ...{ poll_ms: 250, longest_poll_ms: 2_000, inspection_timeout_ms: 20 * 60_000 },
} as const;

const HTTP_CREATED = 201;

/** The same file gets the same key, so that a repeated command finds its upload and continues it. */
const keyOf = (file: FileToUpload, team_id: string | null): string => {
  const facts = [team_id, file.name, file.content_type, file.size_bytes, file.sha256];
  return `renderctl-${createHash('sha256').update(JSON.stringify(facts)).digest('hex')}`;
};

const offered = async (client: ApiClient, file: FileToUpload, team_id: string | null) => {
  const { name, content_type, size_bytes, sha256 } = file;
  const body = { name, content_type, size_bytes, sha256, ...(team_id === null ? {} : { team_id }) };
  const asked = (key: string) =>
    client.send(UploadAnswer, { path: '/v1/uploads', body, headers: { 'Idempotency-Key': key } });
  const first = await asked(keyOf(file, team_id));
  // The bytes may have been damaged on their way, so a refused file gets another try.
  return E.isRight(first) && first.right.body.status === 'refused' ? await asked(randomUUID()) : first;
};

const urlOf = ({ id, upload_url }: UploadAnswer): E.Either<CliFault, string> =>
  upload_url === undefined
    ? E.left({ tag: 'http', status: 200, message: `the service returned no address for the bytes of ${id}` })
    : E.right(upload_url);

/** Writes the bytes that the service lacks. */
const written = async (
  client: ApiClient,
  file: FileToUpload,
  upload: UploadAnswer,
  is_new: boolean,
  options: UploadOptions,
): Promise<E.Either<CliFault, null>> => {
  const url = urlOf(upload);
  if (E.isLeft(url)) return url;
  const current = is_new ? null : await client.send(UploadAnswer, { path: `/v1/uploads/${upload.id}` });
  if (current !== null && E.isLeft(current)) return current;
  const { name, content_type, size_bytes, sha256, path } = file;
  const body = { name, content_type, size_bytes, sha256, team_id: upload.team_id, upload_id: upload.id };
  const renewed = async (): ApiResult<string> => {
    const again = await client.send(UploadAnswer, { path: '/v1/uploads', body });
    return E.isLeft(again) ? again : urlOf(again.right.body);
  };
  const stored = current?.right.body.blocks ?? [];
  return putBlocks({ path, size_bytes, stored, url: url.right, renewed }, options);
};

/** Waits until the upload is ready or refused. */
const inspected = async (
  client: ApiClient,
  file: FileToUpload,
  first: UploadAnswer,
  { poll_ms, longest_poll_ms, inspection_timeout_ms, stop }: UploadOptions,
): Promise<E.Either<CliFault, UploadAnswer>> => {
  const until = performance.now() + inspection_timeout_ms;
  let upload = first;
  for (let pause_ms = poll_ms; upload.status === 'inspecting'; pause_ms = Math.min(longest_poll_ms, pause_ms * 1.5)) {
    if (performance.now() > until)
      return E.left({ tag: 'not_uploaded', path: file.path, message: 'the service has not checked the file in time' });
    await wait(pause_ms, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return E.left({ tag: 'interrupted' });
    const answer = await client.send(UploadAnswer, { path: `/v1/uploads/${upload.id}` });
    if (E.isLeft(answer)) return answer;
    upload = answer.right.body;
  }
  return E.right(upload);
};

/**
 * Uploads a file, unless the service has its bytes, and waits until the service has inspected it. A repeated call
 * continues an interrupted upload.
 *
 * @param team_id null if the key reaches only one team
 * @returns the upload, ready or refused
 */
export const uploadFile = async (
  client: ApiClient,
  file: FileToUpload,
  team_id: string | null,
  options: UploadOptions,
): Promise<E.Either<CliFault, UploadAnswer>> => {
  const offer = await offered(client, file, team_id);
  if (E.isLeft(offer)) return offer;
  const { status, body: upload } = offer.right;
  if (upload.status !== 'open') {
    options.on_bytes(file.size_bytes);
    return inspected(client, file, upload, options);
  }
  const put = await written(client, file, upload, status === HTTP_CREATED, options);
  if (E.isLeft(put)) return put;
  const completed = await client.send(UploadAnswer, { path: `/v1/uploads/${upload.id}/complete`, body: {} });
  return E.isLeft(completed) ? completed : inspected(client, file, completed.right.body, options);
};
