import { Writable } from 'node:stream';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { CliFault } from '../../../cli/fault.ts';
import { MAX_DETAILED, withDetails, withDetailsOfAll } from '../../../cli/render/detailed-render.ts';
import type { RenderLifecycle } from '../../../cli/render/life.ts';
import { lifecycleDisplay } from '../../../cli/render/progress-bar.ts';
import type { RenderAnswer, TransitionsAnswer } from '../../../cli/render/render-answers.ts';
import { percentText, rendersText, renderText } from '../../../cli/render/render-text.ts';

const render = (status: string, id = 'rend_1'): RenderAnswer => ({
  id,
  name: 'First',
  status,
  type: 'local',
  project: { id: 'proj_1', team: 'team_1' },
  created_by: null,
  created_at: 1_000,
  updated_at: null,
});

const FAILURE = { stage: 'preparation', code: 'font_unknown', message: 'layers[2].font_family: there is no such font' };

/** A service whose only render ended like this; `asked` lists the renders whose transitions were read. */
const service = (last: Partial<TransitionsAnswer['data'][number]> | CliFault) => {
  const asked: string[] = [];
  const transitions = async (id: string): Promise<E.Either<CliFault, TransitionsAnswer>> => {
    asked.push(id);
    return 'tag' in last ? E.left(last) : E.right({ data: [{ seq: 1, status: 'processing', at: 1_000, ...last }] });
  };
  return { asked, transitions };
};

test('a failed render says why and where to see more', async (t) => {
  const shown = await withDetails(service({ status: 'failed', failure: FAILURE }), render('failed'));
  t.deepEqual(shown, { ...render('failed'), failure: FAILURE }, 'the JSON has added members only');
  t.true(
    renderText(shown, true).endsWith(
      '\n\nfailed in preparation: layers[2].font_family: there is no such font (font_unknown)\n' +
        'see every step with "renderctl trace rend_1"',
    ),
  );
});

test('a person who reaches only the API gets no advice to trace a render', async (t) => {
  const shown = await withDetails(service({ status: 'failed', failure: FAILURE }), render('failed'));
  t.regex(renderText(shown, false), /\n\nfailed in preparation: .* \(font_unknown\)$/);
  t.notRegex(renderText(render('failed'), false), /trace/);
});

test('a render in progress shows its progress', async (t) => {
  const shown = await withDetails(service({ progress: 0.421 }), render('processing'));
  t.is(shown.progress, 0.421);
  t.regex(renderText(shown, true), /^rend_1 +First +processing 42 % +proj_1 /m);
});

test('a render in any other status causes no further request', async (t) => {
  for (const status of ['initializing', 'ready', 'queued', 'finalizing', 'complete']) {
    const { asked, transitions } = service({});
    t.deepEqual(await withDetails({ transitions }, render(status)), render(status));
    t.deepEqual(asked, []);
  }
});

test('a render that has its failure or progress causes no further request', async (t) => {
  const renders = [
    { ...render('failed'), failure: FAILURE },
    { ...render('processing', 'rend_2'), progress: 0 },
  ];
  const { asked, transitions } = service({});
  t.deepEqual(await withDetailsOfAll({ transitions }, renders), renders);
  t.deepEqual(asked, []);
});

test('the status is shown if the reason is unreadable or the render continued', async (t) => {
  const busy = await withDetails(service({ tag: 'http', status: 429, message: 'too many' }), render('failed'));
  t.deepEqual(busy, render('failed'));
  t.true(renderText(busy, true).endsWith('\n\nsee every step with "renderctl trace rend_1"'));
  t.deepEqual(await withDetails(service({ status: 'complete' }), render('processing')), render('processing'));
});

test('each line of a list has the failure reason or the progress', async (t) => {
  const failed = { ...render('failed', 'rend_1'), failure: { ...FAILURE, message: 'two\nlines' } };
  const all = [failed, { ...render('processing', 'rend_2'), progress: 0.5 }, render('failed', 'rend_3')];
  const [heading, ...lines] = rendersText([...all, render('ready', 'rend_4')]).split('\n');
  t.regex(heading ?? '', /^id +name +status +created +failure$/);
  t.is(lines.length, 4);
  t.regex(lines[0] ?? '', / failed +\S+Z +two lines \(font_unknown\)$/);
  t.regex(lines[1] ?? '', / processing 50 % +\S+Z +-$/);
  t.regex(lines[2] ?? '', / failed +\S+Z +-$/);
  t.regex(lines[3] ?? '', / ready +\S+Z +-$/);
  t.regex(rendersText([render('complete')]), /^id +name +status +created$/m);
});

test('a list of thousands does not request details of each render', async (t) => {
  const { asked, transitions } = service({ status: 'failed', failure: FAILURE });
  const renders = Array.from({ length: MAX_DETAILED + 50 }, (_, i) => render(i === 0 ? 'ready' : 'failed', `r${i}`));
  const shown = await withDetailsOfAll({ transitions }, renders);
  t.is(asked.length, MAX_DETAILED);
  t.deepEqual(
    shown.map(({ id }) => id),
    renders.map(({ id }) => id),
  );
  t.is(shown.filter(({ failure }) => failure !== undefined).length, MAX_DETAILED);
});

test('only a complete render is at 100 %', (t) => {
  t.deepEqual([0, 0.004, 0.42, 0.999, 1].map(percentText), ['0 %', '0 %', '42 %', '99 %', '100 %']);
});

const watched = (lives: readonly Partial<RenderLifecycle>[]): readonly string[] => {
  let text = '';
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString('utf8');
      done();
    },
  });
  const display = lifecycleDisplay(stream, () => 5_000);
  const seen = ['initializing', 'processing'].map((status, i) => ({ status, at: 1_000 * (i + 1) }));
  for (const life of lives)
    display.show({ status: 'processing', seen, fraction: 0, frames_fraction: 0, failure: null, ...life });
  display.stop();
  return text.trimEnd().split('\n');
};

test('in a pipe there is one line for each status and each tenth', (t) => {
  const shares = Array.from({ length: 1_001 }, (_, i) => ({ frames_fraction: i / 1_000 }));
  const lines = watched(shares);
  t.deepEqual(lines.slice(0, 3), [
    '1970-01-01T00:00:01.000Z  initializing',
    '1970-01-01T00:00:02.000Z  processing',
    '1970-01-01T00:00:05.000Z  processing 10 %',
  ]);
  t.is(lines.length, 2 + 10);
  t.regex(lines.at(-1) ?? '', /processing 100 %$/);
});

test('a lost attempt also shows in a pipe', (t) => {
  const lines = watched([0.55, 0.58, 0, 0.05, 0.12].map((frames_fraction) => ({ frames_fraction })));
  t.deepEqual(
    lines.slice(2).map((line) => line.slice(26)),
    ['processing 55 %', 'processing 0 %', 'processing 12 %'],
  );
});
