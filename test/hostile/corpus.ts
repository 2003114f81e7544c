import { AVIF } from './avif.ts';
import type { Bases } from './bases.ts';
import { DISGUISE } from './disguise.ts';
import { FLAC } from './flac.ts';
import { FONT_GLYPHS } from './font/glyphs.ts';
import { FONT_TABLES } from './font/tables.ts';
import { GIF } from './gif.ts';
import type { Canary, HostileFile } from './hostile-file.ts';
import { JPEG } from './jpeg.ts';
import { MATROSKA } from './matroska.ts';
import { MOV } from './mov.ts';
import { MP3 } from './mp3.ts';
import { MP4 } from './mp4.ts';
import { OGG } from './ogg.ts';
import { PLAYLIST } from './playlist.ts';
import { PNG } from './png.ts';
import { POLYGLOT } from './polyglot.ts';
import { COSTLY_SVG } from './svg/costly.ts';
import { GROWING_SVG } from './svg/growing.ts';
import { REACHING_SVG } from './svg/reaching.ts';
import { TIFF } from './tiff.ts';
import { WAV } from './wav.ts';
import { WEBP } from './webp.ts';

export const HOSTILE: readonly HostileFile[] = [
  ...[...GROWING_SVG, ...COSTLY_SVG, ...REACHING_SVG],
  ...[...PNG, ...JPEG, ...GIF, ...WEBP, ...AVIF, ...TIFF],
  ...[...MP4, ...MOV, ...MATROSKA],
  ...[...MP3, ...WAV, ...OGG, ...FLAC],
  ...[...FONT_TABLES, ...FONT_GLYPHS],
  ...[...PLAYLIST, ...POLYGLOT, ...DISGUISE],
];

/** The file's bytes: the same canary and bases give the same bytes. */
export const bytesOf = (file: HostileFile, canary: Canary, bases: Bases): Buffer => {
  const made = file.make({ ...canary, bases });
  return typeof made === 'string' ? Buffer.from(made) : made;
};
