import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { createLogger } from '../../../platform/logging/logger.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { createdRender } from '../../../render-commands/requesting/answers.ts';
import { createRender } from '../../../render-commands/requesting/create-render.ts';
import type { Requester } from '../../../render-commands/requesting/requester.ts';
import { RENDER_ID, requested } from '../../helpers/render-events.ts';

const NAME = 'For Ada Lovelace';

test("a POST answers with the render's name although the render was erased meanwhile", async (t) => {
  const event = requested({ fold_version: 3, name: '', name_sha256: 'ab' });
  const place = { partition: 0, offset: 7 };
  let now = 0;
  const create = createRender({
    decide: async ({ wanted }) => {
      const reservation = { confirm: () => undefined, release: () => undefined, markUnknown: () => undefined };
      return E.right({ wanted, event, reservation });
    },
    append: async () => {
      now += 4_000;
      return E.right({ ...place, append_time_ms: 1_000 });
    },
    folded: {
      find: async () => null,
      places: async () => new Map(),
      waitFor: async (_id) => ({ _id, event, is_erased: true, appended_at: 1_000, place }),
      findInAll: async () => null,
    },
    ignored: async () => null,
    clock: { ...SYSTEM_CLOCK, monotonic: () => now },
  });
  const logger = createLogger('test', 'silent');
  const request = { id: 'req_1', headers: {}, log: () => logger };
  const body = { name: NAME, project_id: 'proj_1' };
  const requester: Requester = { actor: 'key:key_1', account_id: 'acc_1', user_id: null, teams: new Map() };
  const answer = await create(request, requester, body);
  if (E.isLeft(answer)) return t.fail(JSON.stringify(answer.left));
  return t.like(createdRender(answer.right), { id: RENDER_ID, name: NAME });
});
