import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../domain/composition/canonical-json.ts';

/** Builds of all software that decides pixels or bytes. */
export type Toolchain = {
  /** The engine's version, ffmpeg, libvips and the text libraries. */
  readonly drawing: string;
  /** Encoder builds, by codec. */
  readonly encoders: Readonly<Record<string, string>>;
};

/** SHA-256, in hex, of the canonical JSON of a value. */
export const keyOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');
