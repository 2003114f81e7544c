import test from 'ava';
import { MongoOperationTimeoutError } from 'mongodb';
import { type CliFault, reportOf, unexpectedErrorText } from '../../../cli/fault.ts';
import { reportJson, reportText } from '../../../cli/output.ts';

const told = (fault: CliFault): string => reportText(reportOf(fault));

test('without a stack the message says in one line how to start one', (t) => {
  t.is(
    told({ tag: 'no_stack' }),
    'renderctl: no stack is running here; start one with "make start", set the addresses in the environment, or log in to a service with "renderctl log in --url https://…"\n',
  );
});

test('the next step follows a sentence without its full stop', (t) => {
  const message = 'values.logo: could not be fetched. The server answered 404.';
  t.is(
    told({ tag: 'render_failed', id: 'rend_1', message }),
    'renderctl: rend_1 failed: values.logo: could not be fetched. The server answered 404; ' +
      'see every step with "renderctl trace rend_1"\n',
  );
});

test('a render that failed over the API can be seen with render get', (t) => {
  t.is(
    told({ tag: 'render_failed', id: 'rend_1', message: 'no font', is_remote: true }),
    'renderctl: rend_1 failed: no font; see the stage and the code with "renderctl render get rend_1"\n',
  );
});

test('the report of an invalid project lists each error with its path', (t) => {
  const faults = [
    { path: 'compositions[0].width', message: 'must be even, is 1281' },
    { path: '', message: 'must be at most 256 KiB' },
  ];
  t.is(
    told({ tag: 'invalid_project', path: 'demo/project.json', faults }),
    'renderctl: demo/project.json has 2 errors; nothing was imported\n' +
      '  compositions[0].width: must be even, is 1281\n  must be at most 256 KiB\n',
  );
});

test('a long list of errors shows the first ones and the number of others', (t) => {
  const faults = Array.from({ length: 1_000 }, (_, n) => ({ path: `assets[${n}]`, message: 'must be an asset' }));
  const lines = told({ tag: 'invalid_project', path: 'p', faults }).trimEnd().split('\n');
  t.is(lines[0], 'renderctl: p has 1000 errors; nothing was imported');
  t.is(lines.at(-1), '  … and 800 more');
});

test('wrong usage exits with 2, an interruption with 130, other errors with 1', (t) => {
  t.is(reportOf({ tag: 'usage', message: 'x' }).exit_code, 2);
  t.is(reportOf({ tag: 'interrupted' }).exit_code, 130);
  t.is(reportOf({ tag: 'refused', reason: 'team_unknown', message: 'x' }).exit_code, 1);
});

const ONE_LINERS: readonly [CliFault, RegExp][] = [
  [
    { tag: 'stack_file_unreadable', path: 's.json', message: 'base_url: is required' },
    /s\.json cannot be read.*make start/,
  ],
  [{ tag: 'not_configured', faults: ['KAFKA_BROKERS is not set'] }, /incomplete/],
  [
    { tag: 'unreachable', what: 'Kafka', address: '127.0.0.1:9' },
    /Kafka does not answer at 127\.0\.0\.1:9.*make start/,
  ],
  [{ tag: 'no_api_key' }, /RENDERCTL_API_KEY/],
  [
    { tag: 'unwritable_file', path: 'a.png', message: 'there is no such folder' },
    /a\.png cannot be written: there is no/,
  ],
  [
    { tag: 'engine_failed', message: 'ffmpeg could not be started' },
    /the picture could not be drawn on this machine: .*; install ffmpeg, or set FFMPEG_PATH/,
  ],
  [
    { tag: 'not_found', what: 'team', id: 'team_x', list: 'renderctl team list' },
    /no team team_x.*renderctl team list/,
  ],
  [{ tag: 'not_appended', message: 'no leader' }, /the change was not written to the log: no leader; try again/],
  [
    { tag: 'outcome_unknown', message: 'timed out', next_step: 'repeat it' },
    /unknown whether the change was written to the log: timed out; repeat it/,
  ],
  [
    { tag: 'read_model_behind', waited_ms: 15_000 },
    /did not catch up with the log.*15 s; nothing was changed; are the projectors/,
  ],
  [{ tag: 'not_shown', offset: 7, waited_ms: 15_000 }, /offset 7.*within 15 s; are the projectors running/],
  [
    { tag: 'unreadable_file', path: 'x.json', message: 'there is no such file' },
    /x\.json cannot be read: there is no such/,
  ],
  [{ tag: 'blob_failed', message: 'away' }, /blob store refused the request: away/],
  [
    { tag: 'import_cut_off', project_id: 'proj_1', cause: { tag: 'blob_failed', message: 'away' } },
    /blob store refused the request: away; project proj_1 was created; import again with "--project proj_1"/,
  ],
  [
    { tag: 'not_shown', offset: 7, waited_ms: 15_000, key: { key_id: 'key_1', key: 'vr_secret' } },
    /do not repeat the command.*\n {2}the key key_1, shown only once: vr_secret/,
  ],
  [
    {
      tag: 'not_shown',
      offset: 7,
      waited_ms: 15_000,
      secret: { endpoint_id: 'whe_1', secret: 'whsec_text' },
    },
    /do not repeat the command.*\n {2}the secret of whe_1, shown only once: whsec_text/,
  ],
  [{ tag: 'http', status: 401, message: 'unknown key' }, /unknown key; set RENDERCTL_API_KEY to a valid key/],
  [{ tag: 'http', status: 402, message: 'not enough credits' }, /renderctl account grant/],
  [{ tag: 'http', status: 503, message: 'busy' }, /busy; try again in a moment/],
  [{ tag: 'http', status: 404, message: 'there is no such render' }, /^renderctl: there is no such render\n$/],
  [{ tag: 'not_cancelled', cancelled: 2, reasons: ['rend_1: is complete'] }, /2 cancelled, 1 not/],
  [{ tag: 'render_failed', id: 'rend_1', message: 'no font' }, /rend_1 failed: no font; .*renderctl trace rend_1/],
  [
    { tag: 'disagreement', id: 'rend_1', differences: ['offset 3: missing'] },
    /read model of rend_1 differs from the log\n {2}offset 3: missing/,
  ],
];

for (const [fault, line] of ONE_LINERS)
  test(`${fault.tag}${'status' in fault ? ` ${fault.status}` : ''}${'key' in fault ? ' of a key' : 'secret' in fault ? ' of a secret' : ''} says what to do next`, (t) => {
    t.regex(told(fault), line);
  });

test('a batch shows the number of incomplete rows, the results file and some rows', (t) => {
  const rows = Array.from({ length: 25 }, (_, i) => `line ${i + 2}: accent: must be a colour`);
  const fault: CliFault = {
    tag: 'batch_incomplete',
    summary: '25 rows: 25 invalid',
    results: 'r.csv',
    rows,
    cause: null,
  };
  const lines = told(fault).trimEnd().split('\n');
  t.is(lines[0], 'renderctl: 25 rows: 25 invalid; the results are in r.csv');
  t.is(lines.length, 22);
  t.is(lines.at(-1), '  … and 5 more');
  t.is(reportOf(fault).exit_code, 1);
});

test('a batch that ended early says why and how to continue', (t) => {
  const ended = (cause: CliFault): CliFault => {
    return {
      tag: 'batch_incomplete',
      summary: '9 rows: 1 complete, 8 not requested',
      results: 'r.csv',
      rows: [],
      cause,
    };
  };
  const interrupted = reportOf(ended({ tag: 'interrupted' }));
  t.is(interrupted.exit_code, 130);
  t.regex(interrupted.message, /^interrupted; 9 rows/);
  t.is(interrupted.next_step, 'run the same command again to continue');
  const broke = reportOf(ended({ tag: 'http', status: 402, message: 'not enough credits' }));
  t.regex(broke.message, /^not enough credits; 9 rows/);
  t.regex(broke.next_step ?? '', /renderctl account grant.*; run the same command again to continue/);
});

test('with --json a refusal is an object too', (t) => {
  t.deepEqual(JSON.parse(reportJson(reportOf({ tag: 'no_stack' }))), {
    error: 'no stack is running here',
    next_step:
      'start one with "make start", set the addresses in the environment, or log in to a service with "renderctl log in --url https://…"',
  });
});

test('a slow store is named, with advice', (t) => {
  t.is(
    unexpectedErrorText(new MongoOperationTimeoutError('Timed out during socket read (undefinedms)')),
    'MongoDB did not answer in time or cancelled the request; try again (Timed out during socket read (undefinedms))',
  );
  t.is(unexpectedErrorText(new Error('no such thing\nat …')), 'no such thing');
});
