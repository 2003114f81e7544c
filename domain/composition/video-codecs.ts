import type * as t from 'io-ts';
import { oneOf } from '../shape/shape.ts';

export const VIDEO_CODECS = ['h264', 'h265', 'vp9', 'av1'] as const;
export const VideoCodec = oneOf(...VIDEO_CODECS);
export type VideoCodec = t.TypeOf<typeof VideoCodec>;

export const QUALITIES = ['draft', 'standard', 'high'] as const;
export const Quality = oneOf(...QUALITIES);
export type Quality = t.TypeOf<typeof Quality>;

/**
 * On each codec's own scale: `most` is the largest allowed CRF (lowest quality), and the others are the CRF of each
 * quality.
 */
export const CRF: { readonly [C in VideoCodec]: { readonly [Q in Quality | 'most']: number } } = {
  h264: { most: 51, draft: 26, standard: 21, high: 18 },
  h265: { most: 51, draft: 29, standard: 24, high: 20 },
  vp9: { most: 63, draft: 38, standard: 31, high: 24 },
  av1: { most: 63, draft: 42, standard: 34, high: 26 },
};
