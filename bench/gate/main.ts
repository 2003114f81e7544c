/**
 * make bench-gate: compares the main figures of this code with those of another commit, in pairs of runs on this
 * machine. Exits with 1 if a main figure is below 0.9 of the commit's. Nothing else may run on the machine.
 *
 *   BASE=<commit> PAIRS=<n> node bench/gate/main.ts
 */
import Table from 'cli-table3';
import { execa } from 'execa';
import { ROOT } from '../../stack/servers/tools.ts';
import { olderVersion } from '../../stack/testing/older-version.ts';
import { compare, judge, MIN_RATIO, type Row, rowsIn } from './figures.ts';

const { BASE = '' } = process.env;
const PAIRS = Number(process.env.PAIRS || 1);
/** The steps of a group run on the same stack. `sealed` has its own, because thousands of waiting renders slow it. */
const GROUPS = [['lag', 'post'], ['sealed'], ['lists'], ['webhooks'], ['renders']] as const;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Returns the figures that a failed bench printed too. A missing main figure fails the gate. */
const measure = async (root: string, steps: readonly string[]): Promise<readonly Row[]> => {
  const bench = await execa(process.execPath, ['bench/main.ts', ...steps], { cwd: root, reject: false });
  if (bench.failed) say(`${steps.join(', ')} failed in ${root}:\n${bench.stderr || bench.shortMessage}`);
  return rowsIn(bench.stdout);
};

if (BASE === '' || !(PAIRS >= 1)) {
  process.stderr.write('usage: make bench-gate BASE=<commit> [PAIRS=<n>]\n');
  process.exit(2);
}

const base_root = await olderVersion(BASE);
const base: Row[] = [];
const ours: Row[] = [];
for (let pair = 0; pair < PAIRS; pair += 1)
  for (const steps of GROUPS) {
    // The sides change places in each pair, as the machine may get slower during a run.
    for (const is_base of pair % 2 === 0 ? [true, false] : [false, true]) {
      say(`pair ${pair + 1} of ${PAIRS}: ${steps.join(', ')} of ${is_base ? BASE : 'this code'} …`);
      (is_base ? base : ours).push(...(await measure(is_base ? base_root : ROOT, steps)));
    }
  }

const compared = compare(base, ours);
const figures = new Table({ head: ['measured', BASE, 'this code', 'speed'], style: { head: [], border: [] } });
for (const { label, base: before, ours: after, ratio } of compared)
  figures.push([label, before.toFixed(1), after.toFixed(1), ratio.toFixed(2)]);
say(figures.toString());

const verdicts = judge(compared);
const gates = new Table({ head: ['main figure', 'speed', `at least ${MIN_RATIO}`], style: { head: [], border: [] } });
for (const { name, ratio, passed } of verdicts)
  gates.push([name, ratio === null ? 'no figure' : ratio.toFixed(2), passed ? 'passed' : 'FAILED']);
say(gates.toString());
process.exitCode = verdicts.every(({ passed }) => passed) ? 0 : 1;
