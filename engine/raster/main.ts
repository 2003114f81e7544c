/*
 * The raster process: inspects the images and fonts of one render, and draws. It runs in the sandbox, where no hostile file
 * can crash the worker; fontconfig reads the engine's own FONTCONFIG_FILE at its start, and to stop it
 * is to kill it. It answers each request on standard input by one line of JSON on standard output, in order.
 */
import { createInterface } from 'node:readline';
import * as E from 'fp-ts/lib/Either.js';
import sharp from 'sharp';
import { messageOf } from '../../platform/logging/message-of.ts';
import type { Seen } from '../media/inspection.ts';
import { drawJob } from './draw.ts';
import { look } from './look.ts';
import { type RasterAnswer, RasterRequest } from './raster-job.ts';
import { ownFontsInForce } from './text-setting.ts';

sharp.cache(false);
sharp.concurrency(1);

let loading: Promise<boolean> | null = null;
/** Loaded and checked once: that takes as long as to set a text. */
const fontsInForce = (): Promise<boolean> => {
  loading ??= ownFontsInForce();
  return loading;
};

const answer = async (line: string): Promise<Seen | RasterAnswer> => {
  const request = RasterRequest.decode(JSON.parse(line));
  if (E.isLeft(request)) throw new Error('a request to the raster process cannot be read');
  if (request.right.ask === 'look') return await look(request.right);
  if (!(await fontsInForce())) throw new Error('the fonts of the engine are not in force');
  return await drawJob(request.right);
};

try {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await answer(line))}\n`);
  }
} catch (error) {
  // One line, the last one: the worker uses it as the fault's message.
  process.stderr.write(`${messageOf(error).replaceAll('\n', ' ')}\n`);
  process.exit(1);
}
