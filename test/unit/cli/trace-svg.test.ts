import test, { type ExecutionContext } from 'ava';
import { attemptSpans, durationText, spansText, statusSpans } from '../../../cli/trace/life.ts';
import { packIntoRows } from '../../../cli/trace/svg/packed.ts';
import { renderTimeline } from '../../../cli/trace/svg/render-timeline.ts';
import { BREAK_WIDTH, ticksOf, timeScale } from '../../../cli/trace/svg/time-scale.ts';
import { timelineSvg } from '../../../cli/trace/svg/timeline.ts';
import { xmlText } from '../../../cli/trace/svg/xml.ts';
import { foldTrace } from '../../../cli/trace/trace.ts';
import type { RenderEvent } from '../../../domain/render/events.ts';
import {
  assigned,
  completed,
  erased,
  failed,
  finished,
  lost,
  prepared,
  progressed,
  requested,
} from '../../helpers/render-events.ts';

const HOUR = 3_600_000;
const NONE = { rows: [], deliveries: [] };

const after = (...steps: readonly (readonly [number, RenderEvent])[]) => {
  let at = 1_700_000_000_000;
  return foldTrace(
    steps.map(([wait, event], i) => {
      at += wait;
      return { tag: 'event', partition: 2, offset: 10 * i, at, event };
    }),
  );
};

const RETRIED = after(
  ...([
    [0, requested()],
    [300, prepared],
    [100, assigned('att_1', 1)],
    [1_000, progressed('att_1')],
    [2_000, lost('att_1')],
    [500, { ...assigned('att_2', 2), worker_id: 'wkr_2' }],
    [500, progressed('att_2')],
    [3_500, finished('att_2')],
    [1_000, completed('att_2')],
    [10, completed('att_2')],
    [48 * HOUR, erased()],
  ] as const),
);

/** Asserts that tags are balanced, and that texts and attributes are escaped. */
const wellFormed = (t: ExecutionContext, xml: string): void => {
  const open: string[] = [];
  const rest = xml.replace(/<(\/?)([a-z]+)((?: [\w:-]+="[^"<]*")*)(\/?)>/gi, (_, closes, name, _attributes, empty) => {
    if (closes === '/') t.is(open.pop(), name);
    else if (empty === '') open.push(name);
    return '';
  });
  t.deepEqual(open, []);
  t.notRegex(rest, /<|&(?!(?:amp|lt|gt|quot);)/);
};

test('the SVG is well-formed and has the position and verdict of every event', (t) => {
  const svg = timelineSvg(renderTimeline('rend_1', RETRIED, NONE, () => null));
  wellFormed(t, svg);
  for (const { offset, type } of RETRIED.rows)
    t.true(svg.includes(`>2/${offset}<`) && svg.includes(type), String(offset));
  t.regex(svg, /ignored: already_final/);
  t.regex(svg, />wkr_1<.*>wkr_2</s, 'one lane per worker');
  t.regex(svg, />2 d</, 'the pause before the erasure is cut and labelled');
});

test('hostile ids and details stay text', (t) => {
  const hostile = `"><script>alert('&')</script>]]>\u0000\u001b\ud800\u202e`;
  const trace = after(
    [0, requested({ account_id: hostile })],
    [1, prepared],
    [2, assigned(hostile, 1)],
    [3, failed(`key:${hostile}`, null)],
  );
  const svg = timelineSvg(renderTimeline(hostile, trace, NONE, () => null));
  wellFormed(t, svg);
  t.notRegex(svg, /<script/);
  t.notRegex(svg, /[^\P{C}\n]/u);
  t.is(xmlText('a\u0000<\ud800'), 'a\ufffd&lt;\ufffd');
});

test('an SVG can have no accepted event, one event or thousands', (t) => {
  wellFormed(t, timelineSvg(renderTimeline('rend_1', after([0, prepared]), NONE, () => null)));
  wellFormed(t, timelineSvg(renderTimeline('rend_1', after([0, requested()]), NONE, () => null)));
  const many = after([0, requested()], ...Array.from({ length: 2_500 }, () => [5, prepared] as const));
  const svg = timelineSvg(renderTimeline('rend_1', many, NONE, () => null));
  wellFormed(t, svg);
  t.regex(svg, /The first 501 are omitted; --json has all/);
  t.is(svg.match(/<circle/g)?.length, 2_000);
});

type Box = { readonly x: number; readonly y: number; readonly right: number; readonly is_event: boolean };

const labelsIn = (svg: string): readonly Box[] =>
  Array.from(
    svg.matchAll(/<text x="([\d.-]+)" y="([\d.-]+)" class="(label|tick)[^"]*">([^<]*)</g),
    ([, x, y, kind, text]) => ({
      ...{ x: Number(x), y: Number(y), right: Number(x) + 6.6 * [...(text ?? '')].length, is_event: kind === 'label' },
    }),
  );

for (const count of [3, 12, 60, 300])
  test(`no two labels of ${count} events overlap`, (t) => {
    const waits = [0, 1, 40, 900, 5, 30_000, 2];
    const events = Array.from({ length: count - 1 }, (_, i) => [waits[i % waits.length] ?? 0, prepared] as const);
    const labels = labelsIn(
      timelineSvg(renderTimeline('rend_1', after([0, requested()], ...events), NONE, () => null)),
    );
    t.is(labels.filter(({ is_event }) => is_event).length, count <= 12 ? count : 0);
    for (const [i, a] of labels.entries())
      for (const b of labels.slice(i + 1))
        t.false(a.y === b.y && a.x < b.right && b.x < a.right, JSON.stringify([a, b]));
  });

type Shape = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };

const numbersIn = (element: string): Readonly<Record<string, number>> =>
  Object.fromEntries(Array.from(element.matchAll(/ (\w+)="([\d.-]+)"/g), ([, name, value]) => [name, Number(value)]));

const shapesIn = (svg: string, kind: 'rect class="span' | 'circle'): readonly Shape[] =>
  Array.from(svg.matchAll(new RegExp(`<${kind}[^>]*>`, 'g')), ([element]) => {
    const { x = 0, y = 0, width = 0, height = 0, cx = 0, cy = 0, r = 0 } = numbersIn(element);
    return kind === 'circle'
      ? { left: cx - r, right: cx + r, top: cy - r, bottom: cy + r }
      : { left: x, right: x + width, top: y, bottom: y + height };
  });

for (const count of [3, 50, 240])
  test(`${count} simultaneous deliveries of one endpoint do not overlap`, (t) => {
    const at = 1_700_000_000_000;
    const deliveries = Array.from({ length: count }, (_, i) => ({
      ...{ delivery_id: `hook_${i}`, endpoint_id: 'whe_1', render_id: 'rend_1', event: 'render.status_changed' },
      ...({ stage: 'pending', reason: null, repeats: null, planned_at: at + i, ended_at: null } as const),
      attempts: [{ n: 1, started_at: at + i, duration_ms: 90, status: 500, fault: 'http_status' }],
    }));
    const svg = timelineSvg(renderTimeline('rend_1', RETRIED, { rows: [], deliveries }, () => null));
    wellFormed(t, svg);
    for (const kind of ['rect class="span', 'circle'] as const) {
      const shapes = shapesIn(svg, kind);
      t.true(shapes.length >= count);
      for (const [i, a] of shapes.entries())
        for (const b of shapes.slice(i + 1)) {
          const apart = a.bottom <= b.top || b.bottom <= a.top || a.right <= b.left + 2 || b.right <= a.left + 2;
          if (!apart) t.fail(JSON.stringify([kind, a, b]));
        }
    }
  });

test('times are in proportion, in order and within the width', (t) => {
  const { x, breaks } = timeScale([0, 100, 250, 1_000], 1_000);
  t.deepEqual(breaks, []);
  t.true(Math.abs(x(250) - x(0) - 2.5 * (x(100) - x(0))) < 1e-6);
  t.is(x(0), 0);
  t.true(x(1_000) <= 1_000);
  t.true(x(2_000) === 1_000 && x(-5) === 0);
});

test('a very long pause is drawn as a break, the rest in proportion', (t) => {
  const { x, breaks } = timeScale([0, 100, 200, 24 * HOUR, 24 * HOUR + 100], 1_000);
  t.is(breaks.length, 1);
  t.is(x(24 * HOUR) - x(200), BREAK_WIDTH);
  t.true(x(24 * HOUR + 100) > x(24 * HOUR));
  t.true(x(24 * HOUR + 100) <= 1_000);
  t.deepEqual(timeScale([0, 1_000, 2_000, 12_000], 1_000).breaks, [], 'five times as long is still proportional');
  t.deepEqual(timeScale([0, HOUR], 1_000).breaks, [], 'there are no other events');
});

test('the first time on an axis has the date, others appear where they fit', (t) => {
  const ticks = ticksOf(timeScale([0, 10_000], 1_000), 90);
  t.is(ticks[0]?.label, '1970-01-01 00:00:00');
  t.is(ticks.at(-1)?.label, '00:00:10');
  for (const [i, tick] of ticks.slice(1).entries()) t.true(tick.x - (ticks[i]?.x ?? 0) >= 90);
  t.true(ticksOf(timeScale([0, 400 * 24 * HOUR], 1_000), 90).length > 5);
});

test('labels without room overlap if allowed, else the chart is refused', (t) => {
  const three = [0, 1, 2].map((left) => ({ left, right: left + 10 }));
  t.deepEqual(packIntoRows(three, 3, false), [0, 1, 2]);
  t.is(packIntoRows(three, 2, false), null);
  t.deepEqual(packIntoRows(three, 2, true), [0, 1, 1]);
});

test('the SVG shows the time in each status and of each attempt', (t) => {
  t.is(
    spansText(statusSpans(RETRIED)),
    'initializing 300 ms, ready 100 ms, queued 1 s, processing 6.5 s, finalizing 1 s, complete',
  );
  t.like(attemptSpans(RETRIED), {
    ...{ length: 2, 0: { worker_id: 'wkr_1', outcome: 'lost', reason: 'crashed' } },
    1: { worker_id: 'wkr_2', outcome: 'complete', reason: null },
  });
  const cancelled = after(
    [0, requested({ fold_version: 2 })],
    [1, prepared],
    [1, assigned('att_1', 1)],
    [9, { ...failed('key:key_1', null), code: 'cancelled' }],
  );
  t.like(attemptSpans(cancelled), { length: 1, 0: { outcome: 'failed' } });
  t.is(
    [0, 40, 1_250, 59_999, 125_000, 7_200_000, 76 * HOUR].map(durationText).join(', '),
    '0 ms, 40 ms, 1.25 s, 1 min, 2 min 5 s, 2 h, 3 d 4 h',
  );
});
