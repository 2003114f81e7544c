// Checks the language of comments, messages, test titles and Markdown (docs/style.md). Faults in baseline.json do not
// count. `--list PATH…` shows all faults of these files. `--shrink` removes fixed faults from the baseline.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { type Baseline, type LanguageFault, newFaults, shrinkBaseline } from './baseline.ts';
import { cacheKey, type FaultCache, readCache, writeCache } from './cache.ts';
import { faultsOfFile, isLinted } from './lint.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BASELINE = new URL('baseline.json', import.meta.url);
const CACHE = `${ROOT}.local/check/language.json`;

const trackedFiles = async (paths: readonly string[]): Promise<readonly string[]> => {
  const { stdout } = await execa({ cwd: ROOT })`git ls-files -z --cached --others --exclude-standard -- ${paths}`;
  return stdout.split('\0').filter((file) => file !== '' && isLinted(file));
};

const judgeFiles = async (paths: readonly string[]): Promise<readonly LanguageFault[]> => {
  const before = await readCache(CACHE);
  const after: FaultCache = new Map();
  const faults: LanguageFault[] = [];
  for (const file of await trackedFiles(paths)) {
    const text = await readFile(`${ROOT}${file}`, 'utf8').catch(() => null);
    if (text === null) continue;
    const key = cacheKey(file, text);
    const found = before.get(key) ?? (await faultsOfFile(file, text));
    after.set(key, found);
    faults.push(...found);
  }
  if (paths.length === 0) await writeCache(CACHE, after);
  return faults;
};

const show = (faults: readonly LanguageFault[]): void => {
  for (const { file, line, rule, message } of faults) console.error(`${file}:${line} ${rule}: ${message}`);
};

const [option, ...paths] = process.argv.slice(2);
if (option === '--list') {
  show(await judgeFiles(paths));
} else {
  const baseline = JSON.parse(await readFile(BASELINE, 'utf8')) as Baseline;
  const faults = await judgeFiles([]);
  if (option === '--shrink') {
    await writeFile(BASELINE, `${JSON.stringify(shrinkBaseline(baseline, faults), null, 2)}\n`);
  } else {
    const fresh = newFaults(baseline, faults);
    show(fresh);
    if (fresh.length > 0) console.error('docs/style.md has the rules, and pairs of sentences before and after.');
    process.exitCode = fresh.length > 0 ? 1 : 0;
  }
}
