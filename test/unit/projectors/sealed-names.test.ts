import test from 'ava';
import type { RenderEvent, RenderRequested } from '../../../domain/render/events.ts';
import { foldStep, SEALED_SINCE } from '../../../domain/render/fold.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { createTextWait } from '../../../projectors/payload-reads.ts';
import { foldBatch } from '../../../projectors/render/fold-batch.ts';
import { openRequestNames } from '../../../projectors/render/names.ts';
import { renderDifference } from '../../../projectors/verification/render-difference.ts';
import { completeDocument, createRenderFold } from '../../../projectors/verification/render-fold.ts';
import { MONGODB_FORM } from '../../../read-models/embedded/document-form.ts';
import { nameOf, upgradeRender } from '../../../read-models/renders/documents.ts';
import { batchEntries } from '../../helpers/batch-entries.ts';
import {
  assigned,
  completed,
  erased,
  finished,
  prepared,
  progressed,
  RENDER_ID,
  requested,
} from '../../helpers/render-events.ts';
import { MINUTE_MS, sealWorld } from '../platform/seals/_world.ts';

const NAME = 'For Ada Lovelace';
const REST = [prepared, assigned('att_1', 1), progressed('att_1'), finished('att_1'), completed('att_1')];
const NO_STOP = new AbortController().signal;

const world = () => {
  const seals = sealWorld();
  let lost = 0;
  const sealedRequested = async (name = NAME): Promise<RenderRequested & { sealed: object }> => {
    const bare = requested({ fold_version: SEALED_SINCE, name: '', request: null });
    return { ...bare, sealed: await seals.seal(bare, { name }) };
  };
  const names = (servingName: ((render_id: string) => Promise<string | null>) | null = null) =>
    openRequestNames({
      blobs: { getPayload: () => Promise.reject(new Error('no payload has a sealed name')) },
      seals: { open: seals.open },
      known: () => Promise.reject(new Error('no stored name is read for a sealed one')),
      waitOf: () => createTextWait(seals.clock, async () => Number.POSITIVE_INFINITY),
      logger: createLogger('test', 'silent'),
      clock: seals.clock,
      onCorrupt: () => undefined,
      onLost: () => {
        lost += 1;
      },
      servingName,
    });
  const folded = async (events: readonly RenderEvent[], own = names()) => {
    const entries = batchEntries(events);
    await own.read(entries, NO_STOP);
    const { after } = foldBatch(new Map(), entries, own.of);
    const document = after.documents.get(RENDER_ID);
    if (document === undefined) throw new Error('the render is not folded');
    return { after, document, tokens: after.search.get(RENDER_ID) ?? [] };
  };
  return { ...seals, sealedRequested, names, folded, lost: () => lost };
};

test('a sealed name is shown and found, and only its box is stored', async (t) => {
  const { sealedRequested, folded, countOf } = world();
  const first = await sealedRequested();
  const { document, tokens, after } = await folded([first, ...REST]);
  t.is(nameOf(document), NAME);
  t.true(tokens.some((token) => token.includes('lovelace')));
  t.is(document.name_salt, null);
  t.false(JSON.stringify({ ...document, name: null }).includes('Ada'));
  t.false(JSON.stringify(after.status).includes('Ada'));
  t.deepEqual(document.render?.sealed, { tree: first.sealed?.tree, leaf: 0 });
  await folded([await sealedRequested('Another'), ...REST]);
  t.is(countOf('read'), 1, 'the second fold reads no blob');
});

test('a render with a punctured name is listed until it is erased', async (t) => {
  const { sealedRequested, folded, puncture, lost } = world();
  const first = await sealedRequested();
  await puncture(first.sealed ?? { tree: '', leaf: 0 });
  const { document, tokens } = await folded([first, ...REST]);
  t.is(nameOf(document), RENDER_ID);
  // The sweep of an erased account finds its renders in this list. Their keys are deleted before.
  t.true(document.by_project?.startsWith('proj_1:'));
  t.false(tokens.some((token) => token.includes('lovelace')));
  t.is(lost(), 0);
  const { document: last, tokens: none } = await folded([first, ...REST, erased('operator:ops')]);
  t.is(nameOf(last), null);
  t.deepEqual(none, []);
  t.is(last.by_project, null);
});

test('a render whose key tree is lost is listed by its id, and counted', async (t) => {
  const { sealedRequested, folded, memory, lost } = world();
  const first = await sealedRequested();
  memory.contents.clear();
  const { document, tokens } = await folded([first, ...REST]);
  t.is(document.name, '');
  t.is(nameOf(document), RENDER_ID);
  t.true(document.by_project?.startsWith('proj_1:'));
  t.true(tokens.length > 0);
  t.is(lost(), 1);
});

test('a new generation copies a lost name from the serving one', async (t) => {
  const { sealedRequested, folded, names, memory } = world();
  const first = await sealedRequested();
  memory.contents.clear();
  t.is(
    nameOf(
      (
        await folded(
          [first],
          names(async () => NAME),
        )
      ).document,
    ),
    NAME,
  );
  t.is(
    nameOf(
      (
        await folded(
          [first],
          names(async () => null),
        )
      ).document,
    ),
    RENDER_ID,
  );
});

test('a name whose key tree is unavailable is pending', async (t) => {
  const { sealedRequested, names, memory, clock } = world();
  const first = await sealedRequested();
  memory.is_away = true;
  const own = names();
  const entries = batchEntries([first]);
  const reading = own.read(entries, NO_STOP);
  await clock.advance(MINUTE_MS);
  await reading;
  t.is(own.of(first), null);
  t.is(own.pending(first), 'unavailable');
});

test('an erasure removes name and box, and keeps the key for the puncture', async (t) => {
  const { sealedRequested, folded } = world();
  const first = await sealedRequested();
  const { document, tokens } = await folded([first, ...REST, erased('operator:ops')]);
  t.is(document.name, null);
  t.deepEqual(tokens, []);
  const { tree = '', leaf = -1, box = '' } = first.sealed ?? {};
  t.false(JSON.stringify(document).includes(box));
  t.deepEqual(document.render?.sealed, { tree, leaf });
});

test('the key of an ignored request is noted, except in a repeated record', async (t) => {
  const { sealedRequested, folded } = world();
  const first = await sealedRequested();
  const again = await sealedRequested('Called again');
  const { after, document } = await folded([first, first, again, ...REST, erased('operator:ops'), first, again]);
  const { tree = '', leaf = -1 } = again.sealed ?? {};
  const noted = { account_id: 'acc_1', tree, leaf };
  t.deepEqual(after.ignored_seals, [noted, noted]);
  t.false(JSON.stringify(document).includes(again.sealed?.box ?? ''));
});

test('verification compares sealed names, and counts those without a key', async (t) => {
  const { sealedRequested, memory, open, puncture, clock } = world();
  const first = await sealedRequested();
  const fold = createRenderFold(2, MONGODB_FORM);
  fold.add(batchEntries([first, ...REST]));
  const [one] = fold.documents();
  if (one === undefined) return t.fail();
  let unreadable = 0;
  const onUnreadable = (): void => {
    unreadable += 1;
  };
  const compare = (name: string | null) =>
    renderDifference(
      'here',
      one,
      completeDocument(one, name === null ? null : { name, salt: null }, MONGODB_FORM),
      MONGODB_FORM,
      { seals: { open }, onUnreadable },
    );
  t.is(await compare(NAME), null);
  t.like(await compare('Forged'), { member: 'name', log: 'another one', found: 'another one' });
  t.like(await compare(null), { member: 'name' });
  t.is(unreadable, 0);
  await puncture(first.sealed ?? { tree: '', leaf: 0 });
  await clock.advance(MINUTE_MS + 1);
  t.is(await compare('Anything'), null);
  memory.contents.clear();
  t.is(await compare(''), null);
  t.is(unreadable, 2);
  return undefined;
});

test('a stored render that is older than seals has none', (t) => {
  const step = foldStep(null, requested(), 1);
  if (step.tag !== 'accepted') return t.fail();
  const { sealed: _sealed, ...old } = step.render;
  const stored = Object.assign(Object.create(null), { render: old });
  t.is(upgradeRender(stored).render?.sealed, null);
  t.is(upgradeRender({ render: null }).render, null);
  return undefined;
});
