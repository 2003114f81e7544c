import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { EngineFault } from '../process/engine-fault.ts';

/** `pixels`: as `image`, but decodes all of it. The others read only the head of the file. */
const Subject = t.keyof({ image: null, pixels: null, font: null, family: null, signature: null });

export const InspectionRequest = t.strict({ ask: t.literal('look'), what: Subject, path: t.string });
export type InspectionRequest = t.TypeOf<typeof InspectionRequest>;

const Image = t.strict({
  width: t.number,
  height: t.number,
  has_alpha: t.boolean,
  has_text: t.boolean,
  pages: t.number,
  duration_s: t.number,
  frame_ms: t.number,
  frames: t.number,
});

const Signature = t.exact(
  t.intersection([
    t.type({ name: t.string, is: t.keyof({ image: null, video: null, audio: null, empty: null, other: null }) }),
    t.partial({ remedy: t.string }),
  ]),
);

/** `refused` has a message that follows the file's name. */
export const Inspection = t.union([
  t.strict({ tag: t.literal('image'), image: Image }),
  t.strict({ tag: t.literal('font'), covers: t.union([t.string, t.null]) }),
  t.strict({ tag: t.literal('family'), family: t.string, covers: t.union([t.string, t.null]) }),
  t.strict({ tag: t.literal('signature'), signature: t.union([Signature, t.null]) }),
  t.strict({ tag: t.literal('refused'), message: t.string }),
]);
export type Inspection = t.TypeOf<typeof Inspection>;

export type Inspector = {
  readonly inspect: (what: InspectionRequest['what'], path: string) => Promise<E.Either<EngineFault, Inspection>>;
};

/** Decodes each image whose head is valid, because a render fails at the first missing pixel. */
export const withFullDecoding = (inspector: Inspector): Inspector => ({
  inspect: async (what, path) => {
    const head = await inspector.inspect(what, path);
    const is_valid = E.isRight(head) && head.right.tag === 'image';
    return is_valid ? await inspector.inspect('pixels', path) : head;
  },
});
