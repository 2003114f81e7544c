/**
 * Makes the recording anew: `node test/recorded/main.ts all`, or with `replay` only what is made of its log. To add to
 * what it holds, with code that does what it did; never to make a test pass.
 */
import { writeLines } from './recording.ts';
import { replay } from './replay.ts';
import { recordScenario } from './scenario.ts';

if (process.argv[2] === 'all') await recordScenario();
for (const [name, lines] of Object.entries(await replay())) await writeLines(name, lines);
