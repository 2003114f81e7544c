import test from 'ava';
import type { RenderFactAccepted } from '../../../domain/render/status.ts';
import type { LogRecord } from '../../../platform/event-log/event-log.ts';
import { foldBatch } from '../../../projectors/render/fold-batch.ts';
import { differenceText } from '../../../projectors/verification/difference.ts';
import { createFindings } from '../../../projectors/verification/findings.ts';
import { type StatusTopic, statusCheck } from '../../../projectors/verification/status-check.ts';
import { batchEntries, recordAt } from '../../helpers/batch-entries.ts';
import { interleaved } from '../../helpers/render-log.ts';

const EVENTS = interleaved(['rend_a', 'rend_b', 'rend_c']);
const { after } = foldBatch(new Map(), batchEntries(EVENTS));
const SAID = after.status.map(({ record }) => record);

/** A topic with these records, which has more when its end is read again. */
const topicOf = (
  published: readonly RenderFactAccepted[],
  more: readonly RenderFactAccepted[] = [],
  at_look = 2,
): StatusTopic => {
  let all = published;
  let looks = 0;
  return {
    log: {
      bounds: async () => {
        looks += 1;
        if (looks === at_look) all = [...published, ...more];
        return [{ partition: 2, start: 0, end: all.length }];
      },
      replay: async function* (topic, _partition, from, to): AsyncIterable<LogRecord> {
        for (let offset = from; offset < to; offset += 1)
          yield recordAt(offset, { topic, value: Buffer.from(`${offset}`) });
      },
    },
    decode: async (value) => {
      const record = all[Number(value?.toString())];
      return record === undefined ? { tag: 'poison', reason: 'none' } : { tag: 'record', record };
    },
  };
};

const verified = async (
  topic: StatusTopic,
  takes: (id: string) => boolean = () => true,
): Promise<readonly string[]> => {
  const findings = createFindings();
  const check = statusCheck(topic, 2, takes, findings, { sleep: async () => undefined });
  const wanted = SAID.filter(({ render_id }) => takes(render_id));
  await check.expect(wanted.slice(0, 7));
  await check.expect(wanted.slice(7));
  await check.end(EVENTS.length);
  return findings.all().differences.map(differenceText);
};

const without = (n: number): readonly RenderFactAccepted[] => SAID.filter((_, i) => i !== n);

test('the status topic matches the fold, with repeats and late records', async (t) => {
  t.deepEqual(await verified(topicOf(SAID)), []);
  t.deepEqual(await verified(topicOf([...SAID.slice(0, 9), ...SAID.slice(5)])), []);
  t.deepEqual(await verified(topicOf(SAID.slice(0, 9), SAID.slice(9))), []);
  t.deepEqual(await verified(topicOf(SAID.slice(0, 9), SAID.slice(9), 30)), [], 'six seconds later');
  t.deepEqual(await verified(topicOf(SAID), (id) => id === 'rend_b'), []);
});

test('a missing, forged or different status record is named', async (t) => {
  const offset = (n: number): string => `render-status/2, source_offset ${SAID[n]?.source_offset}`;
  const [missing] = await verified(topicOf(without(4)));
  t.true(missing?.startsWith(`${offset(4)}, member \``), missing);
  t.deepEqual(await verified(topicOf(SAID.slice(0, -1))), [
    `${offset(SAID.length - 1)}: the log says that it is there, the topic says nothing`,
  ]);
  const changed = SAID.map((record, i) => (i === 3 ? { ...record, appended_at: 7 } : record));
  t.deepEqual(await verified(topicOf(changed)), [
    `${offset(3)}, member \`appended_at\`: the log says ${SAID[3]?.appended_at}, the topic says 7`,
  ]);
  const last = SAID.at(-1);
  if (last === undefined) return t.fail();
  const forged = { ...last, source_offset: EVENTS.length - 1 };
  t.true(forged.source_offset > last.source_offset, 'the last event was ignored');
  t.deepEqual(await verified(topicOf([...SAID, forged])), [
    `render-status/2, source_offset ${forged.source_offset}: the log says nothing, the topic says that it is there`,
  ]);
});
