/*
 * The raster process runs in the sandbox, so that a hostile file cannot crash the worker. It answers each line on
 * standard input with one line of JSON on standard output, in order. The caller stops it by killing it.
 */
import { createInterface } from 'node:readline';
import * as E from 'fp-ts/lib/Either.js';
import sharp from 'sharp';
import { messageOf } from '../../platform/logging/message-of.ts';
import type { Inspection } from '../media/inspection.ts';
import { drawJob } from './draw.ts';
import { inspectFile } from './inspect-file.ts';
import { type RasterAnswer, RasterRequest } from './raster-job.ts';
import { usesEngineFonts } from './text-setting.ts';

sharp.cache(false);
sharp.concurrency(1);

let font_check: Promise<boolean> | null = null;
/** The check runs only once, because it takes as long as setting a text. */
const checkFonts = (): Promise<boolean> => {
  font_check ??= usesEngineFonts();
  return font_check;
};

const answer = async (line: string): Promise<Inspection | RasterAnswer> => {
  const request = RasterRequest.decode(JSON.parse(line));
  if (E.isLeft(request)) throw new Error('the raster process received an invalid request');
  if (request.right.ask === 'look') return await inspectFile(request.right);
  if (!(await checkFonts())) throw new Error("fontconfig does not use the engine's fonts");
  return await drawJob(request.right);
};

try {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await answer(line))}\n`);
  }
} catch (error) {
  // Writes the message as the last line of standard error, because the worker uses this line for the fault.
  process.stderr.write(`${messageOf(error).replaceAll('\n', ' ')}\n`);
  process.exit(1);
}
