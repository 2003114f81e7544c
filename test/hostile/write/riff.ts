import { join, type Part, u32le } from './numbers.ts';

/** A RIFF chunk, as in WAV and WebP: odd sizes are padded. */
export const riffChunk = (type: string, ...parts: readonly Part[]): Buffer => {
  const body = join(...parts);
  return join(type, u32le(body.length), body, body.length % 2 === 0 ? '' : '\0');
};

export const lyingChunk = (type: string, size: number, ...parts: readonly Part[]): Buffer =>
  join(type, u32le(size), ...parts);

export const riff = (form: string, ...chunks: readonly Part[]): Buffer => riffChunk('RIFF', form, ...chunks);
