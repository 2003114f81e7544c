import test from 'ava';
import { type BaseName, makeBases } from '../../hostile/bases.ts';
import { lengthFields } from '../../hostile/length-fields.ts';
import { mutate } from '../../hostile/mutate.ts';

const bases = makeBases();
const SEEDS = 60;

test('the same base and seed give the same bytes and recipe', async (t) => {
  t.timeout(240_000);
  const all = await bases;
  for (const name of Object.keys(all) as BaseName[])
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const { bytes, recipe } = mutate(all, name, seed);
      const again = mutate(all, name, seed);
      if (!again.bytes.equals(bytes)) return t.fail(`${name}, seed ${seed}`);
      t.deepEqual(again.recipe, recipe);
      t.true(bytes.length <= 4 * 2 ** 20);
    }
});

test('seeds lead to different files, which almost always differ from the base', async (t) => {
  const all = await bases;
  for (const name of Object.keys(all) as BaseName[]) {
    const made = Array.from({ length: SEEDS }, (_, seed) => mutate(all, name, seed).bytes.toString('latin1'));
    t.true(new Set(made).size > SEEDS * 0.9, name);
    t.true(made.filter((bytes) => bytes === all[name].toString('latin1')).length < SEEDS * 0.05, name);
  }
});

test('a base stays unchanged', async (t) => {
  const all = await bases;
  const before = all['base.png'].toString('hex');
  for (let seed = 0; seed < SEEDS; seed += 1) mutate(all, 'base.png', seed);
  t.is(all['base.png'].toString('hex'), before);
});

test('length fields are found in every format that has some', async (t) => {
  const all = await bases;
  for (const name of Object.keys(all) as BaseName[])
    t.true(name === 'base.svg' || lengthFields(all[name]).length >= 2, `${name}: ${lengthFields(all[name]).length}`);
  t.true(lengthFields(all['base.mp4']).length > 30);
  t.true(lengthFields(all['base.mkv']).length > 60);
});
