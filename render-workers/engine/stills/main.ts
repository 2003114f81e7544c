/*
 * The drawing process: one for each render, so that fontconfig reads the engine's own FONTCONFIG_FILE from the start,
 * that a stop is a kill, and that no picture of a user's can take the worker with it. Job in on standard input, answer
 * out on standard output, both JSON.
 */
import { text } from 'node:stream/consumers';
import * as E from 'fp-ts/lib/Either.js';
import sharp from 'sharp';
import { messageOf } from '../../../platform/logging/message-of.ts';
import { drawJob } from './draw.ts';
import { type StillsAnswer, StillsJob } from './still.ts';
import { ownFontsInForce } from './text-setting.ts';

sharp.cache(false);
sharp.concurrency(1);

const answer = async (): Promise<StillsAnswer> => {
  const job = StillsJob.decode(JSON.parse(await text(process.stdin)));
  if (E.isLeft(job)) throw new Error('the job of the drawing process cannot be read');
  if (!(await ownFontsInForce())) throw new Error('the fonts of the engine are not in force');
  return await drawJob(job.right);
};

try {
  process.stdout.write(JSON.stringify(await answer()));
} catch (error) {
  // One line, which stands last: it is what the worker says of a drawing that failed.
  process.stderr.write(`${messageOf(error).replaceAll('\n', ' ')}\n`);
  process.exitCode = 1;
}
