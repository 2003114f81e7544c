import test from 'ava';
import { decodeLogRecord, jsonLine, textLine } from '../../../cli/log/decoded-record.ts';
import type { Decoded } from '../../../platform/records/record-log.ts';
import { SAMPLES } from '../../helpers/record-samples.ts';
import { requested } from '../../helpers/render-events.ts';

const PLACE = {
  ...{ topic: 'render-events', partition: 3, offset: 17, append_time_ms: Date.UTC(2026, 10, 26), headers: {} },
  ...{ key: Buffer.from('rend_1'), value: Buffer.alloc(0) },
};

const told = (decoded: Decoded) => decodeLogRecord(async () => decoded, PLACE);

const HEAD = { topic: 'render-events', partition: 3, offset: 17, time: '2026-11-26T00:00:00.000Z', key: 'rend_1' };

test('a record prints as a line of JSON or a line for people', async (t) => {
  const record = requested({ name: '', template_id: null });
  const { type, ...content } = record;
  const one = await told({ tag: 'record', record });
  t.deepEqual(JSON.parse(jsonLine(one)), { ...HEAD, type, record: content });
  const line = textLine(one);
  t.regex(line, /^2026-11-26T00:00:00\.000Z {2}render-events 3\/17 +RenderRequested +rend_1 {2}fold_version=\d/);
  t.notRegex(line, /template_id|meta|name=/, 'members that are null, empty or the same for all');
});

test('an unreadable record shows its reason in one line', async (t) => {
  const one = await told({ tag: 'poison', reason: 'not\nAvro' });
  t.deepEqual(JSON.parse(jsonLine(one)), { ...HEAD, type: null, poison: 'not\nAvro' });
  t.regex(textLine(one), /poison +rend_1 {2}not Avro\n$/);
});

test('texts of old records and boxes are not shown', async (t) => {
  const TEXT = 'For Ada Lovelace';
  const withTexts = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const members = Object.entries(value).map(([name, member]) =>
      ['name', 'document', 'document_sha256', 'box'].includes(name) ? [name, TEXT] : [name, withTexts(member)],
    );
    return Object.fromEntries(members);
  };
  for (const sample of SAMPLES.filter(({ type }) => /^(Render|Project)/.test(type))) {
    const record = withTexts(sample) as typeof sample;
    t.false(jsonLine(await told({ tag: 'record', record })).includes(TEXT), sample.type);
  }
});
