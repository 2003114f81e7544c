import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { foldRender } from '../../../domain/render/fold.ts';
import type { Render } from '../../../domain/render/render.ts';
import { readNamed } from '../../../read-models/renders/pending-names.ts';
import { RENDER_ID, requested } from '../../helpers/render-events.ts';

const folded = foldRender([{ event: requested(), at: 1 }]);
const render: Render | null = E.isRight(folded) ? folded.right : null;
const documentWith = (name: string | null) => ({ _id: RENDER_ID, render, name });

/** Each read gets the next names; the last one repeats. */
const readerOf = (names: readonly (string | null)[]) => {
  let reads = 0;
  return async () => {
    reads += 1;
    return [documentWith(names[Math.min(reads, names.length) - 1] ?? null)];
  };
};

test('a name that is filled in between the two reads is found', async (t) => {
  t.not(render, null);
  const named = await readNamed([RENDER_ID], readerOf([null, 'Spring']), async () => new Set());
  t.deepEqual(named, { found: [documentWith('Spring')], pending: new Set() });
});

test('a pending name stays pending', async (t) => {
  const named = await readNamed([RENDER_ID], readerOf([null]), async (ids) => new Set(ids));
  t.deepEqual(named, { found: [documentWith(null)], pending: new Set([RENDER_ID]) });
});

test('a render without a name and a pending row has no name', async (t) => {
  const named = await readNamed([RENDER_ID], readerOf([null]), async () => new Set());
  t.deepEqual(named, { found: [documentWith(null)], pending: new Set() });
});
