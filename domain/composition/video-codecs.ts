import type * as t from 'io-ts';
import { oneOf } from './shapes.ts';

export const VideoCodec = oneOf('h264', 'h265', 'vp9', 'av1');
export type VideoCodec = t.TypeOf<typeof VideoCodec>;

/** On each codec's own scale: the lowest quality that may be set, and the default. */
export const CRF: { readonly [C in VideoCodec]: { readonly most: number; readonly usual: number } } = {
  h264: { most: 51, usual: 20 },
  h265: { most: 51, usual: 24 },
  vp9: { most: 63, usual: 31 },
  av1: { most: 63, usual: 34 },
};
