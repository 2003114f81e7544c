import { type EngineFault, infrastructureFault } from './engine-fault.ts';
import { lastLine, type ProcessResult } from './run-process.ts';

/** Messages about an input that cannot be decoded or has absurd parameters (4,000,000,000 Hz). */
const SOURCE =
  /Invalid data found|moov atom not found|Format not on whitelist|Error while decoding stream|Error while processing the decoded data|Decoder \(codec none\)/;

const MACHINE = /No space left on device|Cannot allocate memory|File too large/;

/** Whether ffmpeg's standard error blames an input. Only decoding that input alone proves that it is damaged. */
export const blamesInput = (stderr: string): boolean => !MACHINE.test(stderr) && SOURCE.test(stderr);

export const ffmpegFault = (stderr: string): EngineFault => infrastructureFault(`ffmpeg failed: ${lastLine(stderr)}`);

/** ffmpeg exits with 0 even if it could not write the end of a file. */
const UNFINISHED = /Error writing trailer|Error closing file|No space left/;

export const hasSucceeded = ({ exit_code, stderr }: ProcessResult): boolean =>
  exit_code === 0 && !UNFINISHED.test(stderr);
