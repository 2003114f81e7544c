import * as E from 'fp-ts/lib/Either.js';
import type { ImageProperties, MediaProperties, VideoProperties } from '../../../engine/media/media-properties.ts';
import { composeScene } from '../../../engine/scene/compose-scene.ts';
import type { Scene } from '../../../engine/scene/scene.ts';
import { type AssetParts, finalOf } from '../../integration/engine/_composition.ts';

const CLIP: VideoProperties = {
  kind: 'video',
  width: 1920,
  height: 1080,
  color: { matrix: 'bt709', full_range: false, hdr: null },
  interlaced: false,
  frame_rate: 25,
  alpha_decoder: null,
  has_alpha: false,
  track: 0,
  tick_s: 1 / 12_800,
  sound_track: 1,
  downmix: null,
  duration_s: 10,
  sound_duration_s: 10,
  starts_s: 0,
  sound_starts_s: 0,
  seekable: true,
  coded: { width: 1280, height: 720, rotation: 0, aspect: 16 / 9 },
  key_frames_s: [],
};
export const IMAGE: ImageProperties = {
  kind: 'image',
  ...{ width: 10, height: 10, has_alpha: true, has_text: false, pages: 1, duration_s: 0, frame_ms: 0, frames: 1 },
};

/** A clip with sound, a sound, and pictures: with alpha, without alpha, and animated. */
export const MEDIA: ReadonlyMap<string, MediaProperties> = new Map<string, MediaProperties>([
  ['clip', CLIP],
  ['mark', IMAGE],
  ['photo', { ...IMAGE, has_alpha: false }],
  ['beat', { kind: 'audio', track: 0, duration_s: 1.9909, starts_s: 0, downmix: null }],
  ['sticker', { ...IMAGE, pages: 4, frames: 4, frame_ms: 100, duration_s: 0.4 }],
]);
export const ASSETS: readonly AssetParts[] = [
  { id: 'clip', kind: 'video' },
  { id: 'mark', kind: 'image' },
  { id: 'photo', kind: 'image' },
  { id: 'sticker', kind: 'image' },
  { id: 'beat', kind: 'audio' },
];

export const sceneOf = (layers: readonly unknown[], parts: object = {}): Scene => {
  const result = composeScene(finalOf({ ...parts, layers }, ASSETS), MEDIA);
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};

export const shape = (id: string, parts: object = {}) => ({ id, type: 'shape', color: '#E30613', ...parts });
export const clip = (id: string, parts: object = {}) => ({ id, type: 'video', asset: 'clip', ...parts });
