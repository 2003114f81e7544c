import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { readProject } from '../../../cli/catalogue/project-files.ts';
import { reportOf } from '../../../cli/fault.ts';
import { reportText } from '../../../cli/output.ts';
import { FIGURES } from '../../../docs/composition/pictures.ts';
import { AssetFile } from '../../../domain/composition/assets.ts';
import { kindOfProperty } from '../../../domain/composition/bindable-properties.ts';
import { faultText } from '../../../domain/composition/fault.ts';
import { FILE_FORMATS } from '../../../domain/composition/file-forms.ts';
import { FONT_FAMILIES } from '../../../domain/composition/font-families.ts';
import { CropSides } from '../../../domain/composition/framing.ts';
import { Gradient, GradientStop } from '../../../domain/composition/gradients.ts';
import { Easing, OpacityKeyframe, PositionKeyframe, ScaleKeyframe } from '../../../domain/composition/keyframes.ts';
import { Group, LAYER_CODECS, type LayerType } from '../../../domain/composition/layers.ts';
import { decodeProjectFile } from '../../../domain/composition/project-document.ts';
import { Composition, Preview, ProjectFile, Variant } from '../../../domain/composition/project-shape.ts';
import { TemplateField } from '../../../domain/composition/templates.ts';
import { Transition } from '../../../domain/composition/transitions.ts';
import { CRF } from '../../../domain/composition/video-codecs.ts';
import { VisibleIf } from '../../../domain/composition/visible.ts';
import { StartAfter } from '../../../domain/composition/written-layers.ts';

const page = readFileSync(new URL('../../../docs/composition.md', import.meta.url), 'utf8');
const TYPES = ['video', 'image', 'text', 'shape', 'audio'] as const satisfies readonly LayerType[];

test('the example of the page is a valid project', (t) => {
  const decoded = decodeProjectFile(JSON.parse(/```json\n(.*?)```/s.exec(page)?.[1] ?? ''));
  if (E.isLeft(decoded)) return t.fail(decoded.left.map(faultText).join('\n'));
  t.is(decoded.right.name, 'Greeting');
});

/** Rows of the tables that start with these columns: the names in the first column, and the text of the second. */
const rowsOf = (first: string, second: string): readonly (readonly [readonly string[], string])[] =>
  page
    .split('\n\n')
    .filter((block) => new RegExp(`^\\| ${first} +\\| ${second} +\\|`).test(block))
    .flatMap((table) => Array.from(table.matchAll(/^\| (`.*?`) +\| (.*?) +\|/gm)))
    .map(
      ([, names = '', cell = '']) =>
        [Array.from(names.matchAll(/`([\w.]+)`/g), ([, name = '']) => name), cell] as const,
    );

const typesIn = (cell: string): readonly string[] =>
  cell.startsWith('all') ? TYPES.filter((type) => !cell.includes(`but ${type}`)) : cell.split(', ');

test('the tables of layers name exactly the properties of every type', (t) => {
  const documented = new Map<string, Set<string>>(TYPES.map((type) => [type, new Set(['id', 'type'])]));
  for (const [names, cell] of rowsOf('property', 'layers'))
    for (const name of names) for (const type of typesIn(cell)) documented.get(type)?.add(name);
  for (const type of TYPES) {
    const known = Object.keys(LAYER_CODECS[type].members);
    t.deepEqual([...(documented.get(type) ?? [])].toSorted(), known.toSorted(), type);
  }
});

test('the other tables name exactly their members', (t) => {
  const documented = rowsOf('property', 'value').flatMap(([names]) => names);
  const known = [ProjectFile, Variant, Preview, AssetFile, Composition, TemplateField].flatMap(({ members }) =>
    Object.keys(members),
  );
  t.deepEqual(documented.toSorted(), known.toSorted());
  const nested = new Set(rowsOf('member', 'value').flatMap(([names]) => names));
  const members = [
    PositionKeyframe,
    ScaleKeyframe,
    OpacityKeyframe,
    Transition,
    VisibleIf,
    CropSides,
    StartAfter,
    Gradient,
    GradientStop,
    Group,
  ].flatMap((codec) => Object.keys(codec.members));
  members.push('layers');
  t.deepEqual([...nested].toSorted(), [...new Set(members)].toSorted());
  t.deepEqual(
    rowsOf('easing', 'part of the way').flatMap(([names]) => names),
    Easing.schema.enum,
  );
  t.deepEqual(
    Array.from(page.matchAll(/^\| `(\w+)` +\| (\d+) +\| (\d+) +\| (\d+) +\| (\d+) +\|$/gm), ([, codec, ...crf]) => [
      codec,
      ...crf.map(Number),
    ]),
    Object.entries(CRF).map(([codec, { most, draft, standard, high }]) => [codec, most, draft, standard, high]),
  );
});

test('the kinds of fields are those that can set the properties', (t) => {
  const documented = new Map(
    rowsOf('kind', 'properties').flatMap(([kinds, cell]) =>
      Array.from(cell.matchAll(/`([\w.]+)`/g), ([, name = '']) => [name, kinds] as const),
    ),
  );
  for (const type of TYPES) {
    const names = [
      ...Object.keys(LAYER_CODECS[type].members),
      ...Object.keys(Transition.members).map((name) => `transition.${name}`),
    ];
    for (const name of names) {
      const kind = kindOfProperty(type, name);
      if (kind !== null) t.true((documented.get(name) ?? ['number']).includes(kind), `${type}.${name}`);
    }
  }
});

test('the page names the families of the engine', (t) => {
  const [, told = ''] = /^The engine brings (.*?)^Rules for fonts/ms.exec(page) ?? [];
  t.deepEqual(
    Array.from(told.replaceAll('\n', ' ').matchAll(/`(.*?)`/g), ([, family]) => family),
    [...FONT_FAMILIES],
  );
});

test('every property has a small drawn picture on the page', (t) => {
  const shown = new Set(Object.values(FIGURES).flatMap(({ shows }) => shows));
  const nested = [PositionKeyframe, Transition, CropSides, Gradient, GradientStop].flatMap(({ members }) =>
    Object.keys(members),
  );
  const all = [...TYPES.flatMap((type) => Object.keys(LAYER_CODECS[type].members)), ...nested, 'position', 'scale'];
  t.deepEqual(
    all.filter((name) => name !== 'id' && !shown.has(name)),
    [],
  );
  const folder = new URL('../../../docs/composition/', import.meta.url);
  const drawn = readdirSync(folder).filter((file) => file.endsWith('.jpg'));
  const names = Object.keys(FIGURES).map((name) => `${name}.jpg`);
  t.deepEqual(drawn.toSorted(), names.toSorted());
  t.deepEqual(
    Array.from(page.matchAll(/!\[[^\]]+\]\(composition\/([^)]+)\)/g), ([, file]) => file).toSorted(),
    [...names, 'gliding.webp'].toSorted(),
  );
  t.true(statSync(new URL('gliding.webp', folder)).size <= 200 * 1024);
  const sizes = drawn.map((file) => statSync(new URL(file, folder)).size);
  t.true(Math.max(...sizes) <= 30 * 1024);
  t.true(sizes.reduce((sum, size) => sum + size, 0) <= 1024 * 1024);
});

test('every internal link of the composition page has a target', (t) => {
  const anchors = Array.from(page.matchAll(/^#+ (.*)$/gm), ([, title = '']) =>
    title.toLowerCase().replaceAll(' ', '-'),
  );
  for (const [, link = ''] of page.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
    if (link.startsWith('#')) t.true(anchors.includes(link.slice(1)), link);
    else t.notThrows(() => statSync(new URL(`../../../docs/${link}`, import.meta.url)), link);
  }
});

test('errors read as on the page', async (t) => {
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

test('the table of file forms matches the code', (t) => {
  const rows = Array.from(
    page.matchAll(/^\| (\w+) +\| ([^|]+?) +\| `(\.[^`]+)` +\|$/gm),
    ([, kind, name, endings]) => ({
      kind,
      name,
      endings: endings?.split(' '),
    }),
  );
  t.deepEqual(
    rows,
    FILE_FORMATS.map(({ kind, name, endings }) => ({ kind, name, endings: [...endings] })),
  );
});
