import type * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { FinalComposition } from '../../domain/composition/final-composition.ts';
import { nullable } from '../../domain/event/nullable.ts';
import type { InputFault } from './error-codes.ts';
import { decodeShape } from './shapes.ts';

/** The path of the stills service for the APIs. The gateway does not route to it. */
export const COMPOSED_STILLS_PATH = '/stills/composed';

/** A composition with the largest document and the largest values, with all defaults written out. */
export const MAX_COMPOSED_BYTES = 2 * 1024 ** 2;

/** A project's asset, or the bytes of an upload. */
const ASSET = /^projects\/[^/]+\/assets\/[0-9a-f]{64}$/;
const UPLOAD = /^accounts\/[^/]+\/uploads\/upload_[0-9a-f]{32}\/[0-9A-HJKMNP-TV-Z]{26}$/;

const FilePath = t.refinement(t.string, (path) => ASSET.test(path) || UPLOAD.test(path));

const ComposedStill = t.strict({
  account_id: t.string,
  final: FinalComposition,
  /** The path of each asset's blob, by hash. */
  paths: t.record(t.string, FilePath),
  at_s: t.number,
  /** In pixels; null for that of the composition. A wider still is not enlarged. */
  width: nullable(t.number),
  format: t.keyof({ jpeg: null, webp: null }),
});
/** A still whose composition the caller has checked. */
export type ComposedStill = t.TypeOf<typeof ComposedStill>;

export const decodeComposedStill = (body: unknown): E.Either<InputFault, ComposedStill> =>
  decodeShape(ComposedStill, body);
