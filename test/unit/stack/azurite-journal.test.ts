import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import fc from 'fast-check';
import { addJournal, type Collection, type Database } from '../../../stack/servers/azurite-journal.ts';

type Blob = { readonly $loki: number; name: string; size: number };

type Blobs = Collection & {
  readonly insert: (blob: Omit<Blob, '$loki'>) => Blob;
  readonly find: (query?: object) => readonly Blob[];
  readonly findAndRemove: (query: object) => void;
};

type Index = Database & {
  readonly addCollection: (name: string, options: object) => Blobs;
  readonly loadDatabase: (options: object, callback: (error?: unknown) => void) => void;
  readonly saveDatabase: (callback: (error?: unknown) => void) => void;
};

const ofAzurite = createRequire(createRequire(import.meta.url).resolve('azurite/package.json'));
const Loki: (new (filename: string, options: object) => Index) & { readonly prototype: Database } = ofAzurite('lokijs');
addJournal(Loki.prototype);

/** Opens the index as Azurite does: it loads and rewrites the file. */
const open = async (folder: string, is_new: boolean) => {
  const index = new Loki(join(folder, 'index.json'), { persistenceMethod: 'fs' });
  const save = promisify(index.saveDatabase.bind(index));
  if (!is_new) await promisify(index.loadDatabase.bind(index))({});
  const blobs =
    (index.getCollection('blobs') as Blobs | null) ?? index.addCollection('blobs', { indices: ['name', 'size'] });
  await save();
  return { blobs, save };
};

const shownBy = (blobs: Blobs) => blobs.find().map(({ $loki, name, size }) => ({ $loki, name, size }));

type Step = {
  readonly tag: 'put' | 'grow' | 'remove' | 'removeAll' | 'save' | 'saveAndKill' | 'kill';
  readonly name: string;
};

const STEP: fc.Arbitrary<Step> = fc.record({
  tag: fc.constantFrom('put', 'put', 'put', 'grow', 'remove', 'removeAll', 'save', 'saveAndKill', 'kill'),
  name: fc.constantFrom('a', 'b', 'c', 'd'),
});

test('an index that is killed at any moment keeps its ids and their order', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 40 }), async (steps) => {
      const folders = [mkdtempSync(join(tmpdir(), 'journal '))];
      const folder = () => folders.at(-1) ?? '';
      let { blobs, save } = await open(folder(), true);
      const saving: Promise<unknown>[] = [];
      const reopen = async () => {
        // A copy of the files at this moment, because the killed process may still be writing.
        const next = mkdtempSync(join(tmpdir(), 'journal '));
        cpSync(folder(), next, { recursive: true });
        folders.push(next);
        const before = shownBy(blobs);
        ({ blobs, save } = await open(next, false));
        t.deepEqual(shownBy(blobs), before);
      };
      for (const { tag, name } of steps) {
        const [found] = blobs.find({ name });
        if (tag === 'put') {
          if (found !== undefined) blobs.remove(found);
          blobs.insert({ name, size: 1 });
        }
        if (tag === 'grow' && found !== undefined) {
          found.size += 1;
          blobs.update(found);
        }
        if (tag === 'remove' && found !== undefined) blobs.remove(found);
        if (tag === 'removeAll') blobs.findAndRemove({ name: { $in: ['a', name] } });
        if (tag === 'save') await save();
        if (tag === 'saveAndKill') saving.push(save().catch(() => undefined));
        if (tag === 'kill' || tag === 'saveAndKill') await reopen();
      }
      await reopen();
      await Promise.all(saving);
      for (const one of folders) rmSync(one, { recursive: true, force: true });
    }),
    { numRuns: 100 },
  );
});
