/**
 * Makes the recording again: `node test/recorded/main.ts all`. With `replay`, makes only the results of the recorded
 * log. Run this only for additions, with unchanged code; never to make a test pass.
 */
import { writeLines } from './recording.ts';
import { replay } from './replay.ts';
import { recordScenario } from './scenario.ts';

if (process.argv[2] === 'all') await recordScenario();
for (const [name, lines] of Object.entries(await replay())) await writeLines(name, lines);
