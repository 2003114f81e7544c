import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { appendRequest } from '../../../render-commands/requesting/append-request.ts';
import { requested } from '../../helpers/render-events.ts';

test('a request is appended once its name is in Blob, before its note', async (t) => {
  const steps: string[] = [];
  const append = appendRequest(
    {
      putPayload: async (path) => {
        steps.push('stored');
        return { path, sha256: '0'.repeat(64) };
      },
    },
    { note: () => new Promise(() => undefined) },
    {
      append: async () => {
        steps.push('appended');
        return E.right({ partition: 0, offset: 0, append_time_ms: 0 });
      },
    },
    SYSTEM_CLOCK,
  );
  const log = () => ({ warn: () => undefined }) as never;
  const { name, project_id } = requested();
  const appended = await append(
    { headers: {}, log },
    {
      wanted: { name, project_id, template_id: null, values: {}, draft: false },
      event: requested({ fold_version: 3 }),
      reservation: { confirm: () => undefined, release: () => t.fail(), markUnknown: () => t.fail() },
    },
  );
  t.true(E.isRight(appended));
  t.deepEqual(steps, ['stored', 'appended']);
});
