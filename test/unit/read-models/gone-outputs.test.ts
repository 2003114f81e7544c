import test from 'ava';
import type { AccountRetention } from '../../../domain/catalogue/entities.ts';
import { foldStep } from '../../../domain/render/fold.ts';
import type { Render } from '../../../domain/render/render.ts';
import { signedOutput, signedPoster } from '../../../platform/blob-store/signed-output.ts';
import { openGoneOutputs } from '../../../read-models/catalogue/gone-outputs.ts';
import { assigned, completed, finished, poster, prepared, progressed, requested } from '../../helpers/render-events.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';

const DAY_MS = 86_400_000;

/** Completed at time 0. */
const complete = (): Render => {
  let render: Render | null = null;
  const life = [requested(), prepared, assigned('att_1', 1), progressed('att_1'), finished('att_1')];
  for (const event of [...life, { ...completed('att_1'), poster }]) {
    const step = foldStep(render, event, 1);
    if (step.tag === 'accepted') render = step.render;
  }
  if (render?.status !== 'complete') throw new Error('it is not complete');
  return render;
};

const blobs = Object.assign(Object.create(null), { signedUrl: async (path: string) => `https://blobs/${path}` });

test('URLs of outputs are given until the account keeps them no more; a change is seen within ten seconds', async (t) => {
  const clock = virtualClock();
  const set = new Map<string, AccountRetention>();
  let asked = 0;
  const isGone = openGoneOutputs(async (ids) => {
    asked += 1;
    return new Map([...set].filter(([id]) => ids.includes(id)));
  }, clock);
  const render = complete();
  const shown = async () => {
    const urls = [await signedOutput(blobs, render, isGone), await signedPoster(blobs, render, isGone)];
    return urls.filter((one) => one !== null).length;
  };
  await clock.advance(400 * DAY_MS);
  t.is(await shown(), 2, 'for ever, where nothing is set');
  t.is(asked, 1);
  set.set('acc_1', { kind: 'account_retention', id: 'acc_1', outputs: 401, media: null, outputs_gone_until: 0 });
  set.set('acc_2', { kind: 'account_retention', id: 'acc_2', outputs: 1, media: null, outputs_gone_until: 0 });
  await clock.advance(11_000);
  t.is(await shown(), 2);
  await clock.advance(DAY_MS);
  t.is(await shown(), 0);
  t.is(await signedOutput(blobs, { ...render, status: 'processing' }, isGone), null);
});
