import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../domain/composition/canonical-json.ts';

/** Builds of everything whose change may change a pixel or a byte. */
export type Toolchain = {
  /** Of the engine's own rules, ffmpeg, libvips and what it draws text with. */
  readonly drawing: string;
  /** Of the encoders, by codec. */
  readonly encoders: Readonly<Record<string, string>>;
};

/** SHA-256, in hex, of the one spelling of a JSON value. */
export const keyOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');
