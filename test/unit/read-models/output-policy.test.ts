import test from 'ava';
import type { AccountRetention, NamedProject, ProjectThumbnail } from '../../../domain/catalogue/entities.ts';
import { foldStep } from '../../../domain/render/fold.ts';
import type { Render } from '../../../domain/render/render.ts';
import type { BlobStore } from '../../../platform/blob-store/blob-store.ts';
import { signedOutput, signedPoster } from '../../../platform/blob-store/signed-output.ts';
import { openOutputPolicy } from '../../../read-models/catalogue/output-policy.ts';
import { openThumbnails } from '../../../read-models/catalogue/thumbnails.ts';
import { assigned, completed, finished, poster, prepared, progressed, requested } from '../../helpers/render-events.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';

const DAY_MS = 86_400_000;

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

const blobs: BlobStore = Object.assign(Object.create(null), {
  signedUrl: async (path: string, { file_name }: { readonly file_name: string }) =>
    `https://blobs/${path}?${file_name}`,
});

test('output URLs end with their retention, and changes apply within ten seconds', async (t) => {
  const clock = virtualClock();
  const set = new Map<string, AccountRetention>();
  let asked = 0;
  const policy = openOutputPolicy(async (ids) => {
    asked += 1;
    return new Map([...set].filter(([id]) => ids.includes(id)));
  }, clock);
  const render = complete();
  const shown = async () => {
    const urls = [await signedOutput(blobs, render, policy), await signedPoster(blobs, render, policy)];
    return urls.filter((one) => one !== null).length;
  };
  await clock.advance(400 * DAY_MS);
  t.is(await shown(), 2, 'without a limit if no retention is set');
  t.is(asked, 1);
  set.set('acc_1', { kind: 'account_retention', id: 'acc_1', outputs: 401, media: null, outputs_gone_until: 0 });
  set.set('acc_2', { kind: 'account_retention', id: 'acc_2', outputs: 1, media: null, outputs_gone_until: 0 });
  await clock.advance(11_000);
  t.is(await shown(), 2);
  await clock.advance(DAY_MS);
  t.is(await shown(), 0);
  t.is(await signedOutput(blobs, { ...render, status: 'processing' }, policy), null);
});

const PROJECT: NamedProject = {
  ...({ kind: 'project', id: 'proj_1', name: 'Wedding of Jo', team_id: 'team_1', version: 1 } as const),
  ...{ created_by: null, created_at: 0, updated_at: 0 },
};

const THUMBNAIL: ProjectThumbnail = {
  ...({ kind: 'project_thumbnail', id: 'proj_1', version: 1, path: 'projects/proj_1/a.jpg', sha256: 'aa' } as const),
  ...{ width: 640, height: 360, content_type: 'image/jpeg', made_at: 0 },
};

const fileNamesOf = (urls: Iterable<string | null>): readonly (string | undefined)[] =>
  [...urls].map((url) => url?.split('?')[1]);

test('signed URLs have the id instead of the name if the account chose that', async (t) => {
  const clock = virtualClock();
  // The cache treats a time of 0 as no time.
  await clock.advance(1);
  const naming = new Map<string, AccountRetention>();
  const policy = openOutputPolicy(async () => naming, clock);
  const thumbnails = openThumbnails({ thumbnails: async () => [THUMBNAIL] }, blobs, policy);
  const render = { ...complete(), name: 'Jo and Kim' };
  const fileNames = async () =>
    fileNamesOf([
      ...Object.values((await signedOutput(blobs, render, policy)) ?? {}),
      await signedPoster(blobs, render, policy),
      ...Array.from((await thumbnails('acc_1', [PROJECT])).values(), ({ url }) => url),
    ]);
  const endings = ['.mp4', ' (poster).jpg'];
  t.deepEqual(await fileNames(), [...endings.map((ending) => `Jo and Kim${ending}`), 'Wedding of Jo.jpg']);
  const unset = { kind: 'account_retention', id: 'acc_1', outputs: null, media: null, outputs_gone_until: 0 } as const;
  naming.set('acc_1', { ...unset, downloads_named_by: 'id' });
  await clock.advance(11_000);
  t.deepEqual(await fileNames(), [...endings.map((ending) => `${render.id}${ending}`), 'proj_1.jpg']);
  naming.set('acc_1', unset);
  await clock.advance(11_000);
  t.true((await fileNames()).every((name) => name !== undefined && /Jo/.test(name)));
});
