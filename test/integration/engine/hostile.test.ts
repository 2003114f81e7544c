import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';
import pLimit from 'p-limit';
import { openSandbox } from '../../../platform/sandbox/open-sandbox.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { IN_FULL } from '../../helpers/runs.ts';
import { makeBases } from '../../hostile/bases.ts';
import { bytesOf, HOSTILE } from '../../hostile/corpus.ts';
import { openOrdeal } from '../../hostile/ordeal.ts';

/** The worst files of each format among those whose inspection ends soon; `make soak-render` runs all files. */
const NAMES = [
  ...['svg/dashes-unsized', 'svg/groups-in-groups-unsized', 'svg/billion-laughs', 'svg/square-of-2-31'],
  ...['svg/image-file', 'svg/image-url', 'svg/x-include-file', 'svg/entity-of-a-url', 'svg/compressed-twice'],
  ...['png/square-of-2-31', 'png/profile-of-a-gigabyte', 'png/chunk-of-two-gigabytes'],
  ...['jpeg/square-of-65535', 'jpeg/components', 'gif/frame-of-65535', 'gif/code-size-of-255'],
  ...['webp/canvas-of-2-24', 'webp/tables-of-codes-too-large', 'avif/grid-of-2-32', 'avif/copies-in-a-circle'],
  ...['tiff/samples', 'tiff/pages-in-a-circle', 'mp4/sixty-million-samples', 'mp4/two-billion-samples'],
  ...['mp4/elst-without-its-table', 'mp4/boxes-in-boxes', 'mov/samples-at-a-path', 'mov/film-at-a-server'],
  ...['matroska/linked-to-a-file', 'matroska/codec-to-fetch', 'matroska/segments-in-segments'],
  ...[
    'mp3/tag-of-256-mebibytes',
    'mp3/playlist-behind-a-tag',
    'wav/thousand-channels',
    'wav/rate-of-2-31',
    'wav/sixty-four-channels',
  ],
  ...['ogg/comment-of-4-gb', 'flac/block-of-16-mebibytes', 'font/letters-in-a-circle', 'font/program-without-end'],
  ...['playlist/hls', 'playlist/concat-as-a-picture', 'polyglot/svg-behind-a-playlist', 'disguise/deep-zoom'],
];
const TAKEN = IN_FULL ? NAMES : NAMES.filter((_, i) => i % 2 === 0);
const FILES = HOSTILE.filter(({ name }) => TAKEN.includes(name));
const MODES = ['namespaces', 'filtered'] as const;
const AT_ONCE = 2;
const MAX_GROWN_BYTES = 200 * 2 ** 20;
const WAIT_MS = 2000;

const processesOf = (folder: string): readonly string[] =>
  readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return command.includes(folder) ? [command] : [];
    } catch {
      return [];
    }
  });

test('hostile files are refused or rendered within bounds, in both modes of the sandbox', async (t) => {
  t.timeout(400_000);
  t.is(FILES.length, TAKEN.length);
  const bases = await makeBases();
  const ordeal = await openOrdeal();
  t.teardown(ordeal.close);
  const sandboxes = await Promise.all(MODES.map((mode) => openSandbox({ wanted: 'preferred', mode })));
  t.deepEqual(
    sandboxes.map(({ mode }) => mode),
    [...MODES],
  );
  const before = process.memoryUsage().rss;
  const slots = pLimit(AT_ONCE);
  await Promise.all(
    FILES.flatMap((file, index) =>
      // Files with outside references run in both modes, and the others alternate.
      sandboxes
        .filter((_, of) => file.reaches || of === index % MODES.length)
        .map((sandbox) =>
          slots(async () => {
            const bytes = bytesOf(file, ordeal.canary, bases);
            const { checked, rendered, took_ms } = await ordeal.face(file, bytes, sandbox);
            const outcome = `${file.name}, ${sandbox.mode}, ${took_ms} ms: ${JSON.stringify([checked, rendered])}`;
            const end = checked === 'accepted' ? rendered : checked;
            t.true(end === 'rendered' || (typeof end === 'object' && end?.tag === 'composition'), outcome);
            if (file.expects === 'refused') t.not(end, 'rendered', outcome);
          }),
        ),
    ),
  );
  t.deepEqual(await ordeal.reached(), []);
  t.true(process.memoryUsage().rss - before < MAX_GROWN_BYTES, `${process.memoryUsage().rss - before} bytes more`);
  await pollUntil('no process is left behind', async () => processesOf(ordeal.folder).length === 0, WAIT_MS);
});
