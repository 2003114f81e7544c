import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { readProject } from '../../../cli/catalogue/project-files.ts';
import { reportOf } from '../../../cli/fault.ts';
import { reportText } from '../../../cli/output.ts';
import { faultText } from '../../../domain/composition/fault.ts';
import { AudioLayer, ImageLayer, ShapeLayer, TextLayer, VideoLayer } from '../../../domain/composition/layers.ts';
import { decodeProjectFile } from '../../../domain/composition/project-document.ts';

const page = readFileSync(new URL('../../../docs/project-file.md', import.meta.url), 'utf8');
const section = (from: string, to: string): string => page.slice(page.indexOf(from), page.indexOf(to));
const TYPES: readonly string[] = ['video', 'image', 'text', 'shape', 'audio'];

test('the example of the page is a project that can be imported', (t) => {
  const decoded = decodeProjectFile(JSON.parse(/```json\n(.*?)```/s.exec(page)?.[1] ?? ''));
  if (E.isLeft(decoded)) return t.fail(decoded.left.map(faultText).join('\n'));
  t.is(decoded.right.name, 'Greeting');
});

const required: Readonly<Record<string, unknown>> = { asset: 'a', text: 'x', color: '#FF7A59' };
const CODECS: Readonly<Record<string, t.Decoder<unknown, object>>> = {
  video: VideoLayer,
  image: ImageLayer,
  text: TextLayer,
  shape: ShapeLayer,
  audio: AudioLayer,
};

test('the table of layers names every property of every type, and no other', (test_) => {
  const documented = new Map<string, Set<string>>(TYPES.map((type) => [type, new Set(['id', 'type'])]));
  for (const [, names = '', layers = ''] of section('## Layers', '## Templates').matchAll(
    /^\| (`.*?`) +\| (.*?) +\|/gm,
  )) {
    const types = layers.startsWith('all')
      ? TYPES.filter((type) => !layers.includes(`but ${type}`))
      : layers.split(', ');
    for (const [, name = ''] of names.matchAll(/`(\w+)`/g)) for (const type of types) documented.get(type)?.add(name);
  }
  const Keys = t.record(t.string, t.unknown);
  for (const [type, codec] of Object.entries(CODECS)) {
    const own = Object.entries(required).filter(([name]) => documented.get(type)?.has(name));
    const decoded = codec.decode({ id: 'a', type, ...Object.fromEntries(own) });
    const known = E.isRight(decoded) && Keys.is(decoded.right) ? Object.keys(decoded.right) : [];
    test_.deepEqual([...(documented.get(type) ?? [])].toSorted(), known.toSorted(), type);
  }
});

test('faults are told as the page shows them', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'project file '));
  t.teardown(() => rm(folder, { recursive: true }));
  const shape = (id: string, parts: object = {}) => ({ id, type: 'shape', color: '#FF7A59', ...parts });
  const field = (key: string, layer: string) => ({
    key,
    kind: 'color',
    default_value: '#FF7A59',
    target: { layer, property: 'color' },
  });
  const layers = [
    shape('a'),
    shape('b'),
    shape('c'),
    shape('d', { duration: 0 }),
    { id: 'mark', type: 'image', asset: 'logo' },
  ];
  const path = join(folder, 'project.json');
  await writeFile(
    path,
    JSON.stringify({
      name: 'Spring',
      main_composition_id: 'comp_main',
      compositions: [{ id: 'comp_main', width: 640, height: 360, fps: 30, duration: 2, layers }],
      assets: [{ id: 'clip', kind: 'video', file: 'assets/clip.mp4' }],
      templates: [
        {
          id: 'tpl_1',
          name: 'T',
          target_composition_id: 'comp_main',
          fields: [field('a', 'a'), field('b', 'headline')],
        },
      ],
    }),
  );
  const read = await readProject(folder);
  const told = E.isLeft(read) ? reportText(reportOf(read.left)) : '';
  t.is(/```\n(renderctl: .*?)```/s.exec(page)?.[1], told.replace(path, 'spring/project.json'));
});
