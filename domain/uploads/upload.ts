import * as t from 'io-ts';
import { nullable } from '../event/nullable.ts';

/**
 * - `open`: the client may write the bytes.
 * - `fetching`: the service fetches the bytes from a URL.
 * - `queued`: the bytes are complete, and not inspected yet.
 * - `inspected`: the outcome is decided, and files of other attempts are being removed.
 * - `ready`: a project may use the bytes.
 * - `refused`: the bytes have faults.
 */
const State = t.keyof({ open: null, fetching: null, queued: null, inspected: null, ready: null, refused: null });
export type UploadState = t.TypeOf<typeof State>;

const Kind = t.keyof({ image: null, video: null, audio: null, font: null });

/** A member is null if it does not apply to the kind of the file, or is unknown. Sizes are in pixels. */
export const MediaSummary = t.strict({
  width: nullable(t.number),
  height: nullable(t.number),
  duration_s: nullable(t.number),
  frame_rate: nullable(t.number),
  video_codec: nullable(t.string),
  audio_codec: nullable(t.string),
  has_audio: t.boolean,
  has_alpha: nullable(t.boolean),
  color: nullable(t.keyof({ sdr: null, hdr10: null, hlg: null })),
  font_family: nullable(t.string),
});
export type MediaSummary = t.TypeOf<typeof MediaSummary>;

/** `path` and `thumbnail` are paths of blobs that no client can write. */
export const UploadResult = t.strict({
  path: t.string,
  sha256: t.string,
  size_bytes: t.number,
  media: MediaSummary,
  thumbnail: nullable(t.string),
  font_covers: nullable(t.string),
});
export type UploadResult = t.TypeOf<typeof UploadResult>;

/**
 * The fetch of an upload from a URL.
 *
 * - `url` is null after the fetch, because URLs can be secret.
 * - `url_hash` is a keyed hash.
 * - `path` is the blob with the fetched bytes, and null before.
 */
const UploadFetch = t.strict({ url: nullable(t.string), url_hash: t.string, path: nullable(t.string) });

/**
 * Times are in ms since the epoch. `sha256` is the hash that the client stated. Before a fetch ends, `size_bytes` is the
 * maximum size.
 */
const UploadFacts = t.strict({
  id: t.string,
  account_id: t.string,
  team_id: t.string,
  name: t.string,
  kind: Kind,
  content_type: t.string,
  size_bytes: t.number,
  sha256: nullable(t.string),
  state: State,
  created_at: t.number,
  updated_at: t.number,
  /** When `retention` deletes it. */
  expires_at: t.number,
  /** When the client completed it; null until then. */
  queued_at: nullable(t.number),
  result: nullable(UploadResult),
  /** Why it is refused, with remedies. */
  faults: t.readonlyArray(t.string),
});

export const Upload = t.intersection([UploadFacts, t.partial({ fetch: UploadFetch })]);
export type Upload = t.TypeOf<typeof Upload>;

/** Either `result`, or faults. `fetch` if the upload has one. */
export type UploadOutcome = Pick<Upload, 'result' | 'faults' | 'fetch'>;
