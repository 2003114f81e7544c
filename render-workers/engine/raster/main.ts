/*
 * The rasters process: looks at the pictures and fonts of one render, and draws. It runs in the sandbox, where no picture
 * of a user's can take the worker with it; fontconfig reads the engine's own FONTCONFIG_FILE from the start, and a stop
 * is a kill. Requests come on standard input and answers go to standard output, each a line of JSON, in order.
 */
import { createInterface } from 'node:readline';
import * as E from 'fp-ts/lib/Either.js';
import sharp from 'sharp';
import { messageOf } from '../../../platform/logging/message-of.ts';
import type { Seen } from '../media/inspection.ts';
import { drawJob } from './draw.ts';
import { look } from './look.ts';
import { type RasterAnswer, RasterRequest } from './raster-job.ts';
import { ownFontsInForce } from './text-setting.ts';

sharp.cache(false);
sharp.concurrency(1);

const answer = async (line: string): Promise<Seen | RasterAnswer> => {
  const request = RasterRequest.decode(JSON.parse(line));
  if (E.isLeft(request)) throw new Error('a request to the rasters process cannot be read');
  if (request.right.ask === 'look') return await look(request.right);
  if (!(await ownFontsInForce())) throw new Error('the fonts of the engine are not in force');
  return await drawJob(request.right);
};

try {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await answer(line))}\n`);
  }
} catch (error) {
  // One line, which stands last: it is what the worker says of a drawing that failed.
  process.stderr.write(`${messageOf(error).replaceAll('\n', ' ')}\n`);
  process.exit(1);
}
