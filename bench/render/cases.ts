import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as E from 'fp-ts/lib/Either.js';
import type { StoredAsset } from '../../domain/composition/assets.ts';
import { faultText } from '../../domain/composition/fault.ts';
import { composeFinal, type FinalComposition } from '../../domain/composition/final-composition.ts';
import { decodeProjectFile, resolveAssets } from '../../domain/composition/project-document.ts';
import { hashOfFile } from '../../platform/blob-store/file-hash.ts';
import type { CaseSources } from './sources.ts';

export type BenchCase = {
  readonly name: string;
  /** The content of the project file that `renderctl project import` reads from the folder of the sources. */
  readonly project: object;
  readonly final: (name: string) => FinalComposition;
  readonly assets: ReadonlyMap<string, string>;
  readonly command: (name: string, folder: string) => readonly string[];
};

export const CASE_TEMPLATE_ID = 'tpl_name';

export const NOTO_SANS_BOLD_FILE = fileURLToPath(
  import.meta.resolve('@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf'),
);
const TAGS = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'];
export const MASTER_ENCODER_OPTIONS = [
  '-c:v',
  'libx264',
  '-preset',
  'faster',
  '-crf',
  '21',
  '-profile:v',
  'high',
  '-x264-params',
  'trellis=0',
  '-pix_fmt',
  'yuv420p',
];
const SOUND = ['-c:a', 'aac', '-b:a', '192k', '-ar', '48000', '-ac', '2'];
export const MP4_OUTPUT_OPTIONS = ['-g', '60', ...TAGS, ...SOUND, '-movflags', '+faststart'];

const KINDS = { clip: 'video', wide: 'video', logo: 'image', bed: 'audio' } as const;

export const nameField = {
  key: 'name',
  kind: 'text',
  default_value: 'Name',
  target: { layer: 'name', property: 'text' },
};

type Parts = { readonly composition: object; readonly variants?: readonly object[] };

/** The project file, as a user would write it next to the sources. */
const projectOf = (
  { composition, variants = [] }: Parts,
  ids: readonly (keyof typeof KINDS)[],
  sources: CaseSources,
) => ({
  name: 'Bench',
  main_composition_id: 'comp_main',
  compositions: [{ id: 'comp_main', fps: 30, ...composition }],
  variants,
  templates: [{ id: CASE_TEMPLATE_ID, name: 'Name', target_composition_id: 'comp_main', fields: [nameField] }],
  assets: ids.map((id) => ({ id, kind: KINDS[id], file: basename(sources[id]) })),
});

export const finalCompositionOf = async (project: object, assets: ReadonlyMap<string, string>) => {
  const file = decodeProjectFile(project);
  if (E.isLeft(file)) throw new Error(file.left.map(faultText).join('\n'));
  const stored = new Map<string, StoredAsset>();
  for (const { id, kind } of file.right.assets) {
    const sha256 = (await hashOfFile(assets.get(id) ?? '')).sha256;
    const rest = {
      size_bytes: 1,
      content_type: 'application/octet-stream',
      file_name: id,
      font_family: null,
      font_covers: null,
    };
    stored.set(id, { id, kind, sha256, ...rest });
  }
  const document = resolveAssets(file.right, stored);
  if (E.isLeft(document)) throw new Error(document.left.map(faultText).join('\n'));
  return (name: string): FinalComposition => {
    const final = composeFinal(document.right, CASE_TEMPLATE_ID, { name });
    if (E.isLeft(final)) throw new Error(final.left.message);
    return final.right;
  };
};

const caseOf = async (
  name: string,
  parts: Parts,
  ids: readonly (keyof typeof KINDS)[],
  sources: CaseSources,
  command: BenchCase['command'],
): Promise<BenchCase> => {
  const project = projectOf(parts, ids, sources);
  const assets = new Map<string, string>(ids.map((id) => [id, sources[id]]));
  return { name, project, final: await finalCompositionOf(project, assets), assets, command };
};

const drawtext = (text: string, size: number, x: number, y: number, from_s: number, until_s: number): string =>
  `drawtext=fontfile=${NOTO_SANS_BOLD_FILE}:text='${text}':fontsize=${size}:fontcolor=white:x=${x}:y=${y}:` +
  `enable='between(t,${from_s},${until_s})':` +
  `alpha='min(1,min((t-${from_s})/0.5,(${until_s}-t)/0.5))'`;

const logo = { id: 'logo', type: 'image', asset: 'logo', x: 60, y: 48, width: 240, height: 120 };
const textLayer = (id: string, text: string, size: number, x: number, y: number, start: number, duration: number) => ({
  ...{ id, type: 'text', text, font_size: size, font_weight: 700, x, y, width: 900, height: Math.ceil(size * 1.5) },
  ...{ start, duration, fade_in: 0.5, fade_out: 0.5 },
});

/** Ten seconds of 720p30: a clip with sound, a picture, a text that fades, and background music. */
const tenSeconds = async (sources: CaseSources, name: string, start: number, duration: number): Promise<BenchCase> => {
  const { clip, bed } = sources;
  const layers = [
    { id: 'clip', type: 'video', asset: 'clip', volume: 0.6 },
    logo,
    textLayer('name', 'Name', 76, 80, 480, start, duration),
    { id: 'bed', type: 'audio', asset: 'bed', volume: 0.4 },
  ];
  return caseOf(
    name,
    { composition: { width: 1280, height: 720, duration: 10, layers } },
    ['clip', 'logo', 'bed'],
    sources,
    (text, folder) => [
      ...['-i', clip, '-i', sources.logo, '-i', bed, '-filter_complex'],
      [
        `[0:v]fps=30[film];[film][1:v]overlay=60:48,${drawtext(text, 76, 80, 480, start, start + duration)}[v]`,
        '[0:a]volume=0.6[one];[2:a]volume=0.4[two];[one][two]amix=inputs=2:normalize=0:duration=first[a]',
      ].join(';'),
      ...[
        '-map',
        '[v]',
        '-map',
        '[a]',
        '-t',
        '10',
        ...MASTER_ENCODER_OPTIONS,
        ...MP4_OUTPUT_OPTIONS,
        `${folder}/master.mp4`,
      ],
    ],
  );
};

/** A minute of 1080p: six visible layers, background music, the master and two smaller variants. */
export const longCase = async (sources: CaseSources): Promise<BenchCase> => {
  const { wide, bed } = sources;
  const layers = [
    { id: 'wide', type: 'video', asset: 'wide', volume: 0.6 },
    { id: 'bar', type: 'shape', color: '#14132E', opacity: 0.8, x: 0, y: 900, width: 1920, height: 180 },
    logo,
    textLayer('name', 'Name', 76, 80, 480, 2, 20),
    textLayer('second', 'A second line', 60, 80, 930, 10, 30),
    textLayer('third', 'The end', 76, 80, 600, 45, 14),
    { id: 'bed', type: 'audio', asset: 'bed', volume: 0.4 },
  ];
  const variants = [
    { name: 'hd', height: 720 },
    { name: 'small', height: 360 },
  ];
  return caseOf(
    '60 s of 1080p, six layers, two variants',
    { composition: { width: 1920, height: 1080, duration: 60, layers }, variants },
    ['wide', 'logo', 'bed'],
    sources,
    (text, folder) => [
      ...['-i', wide, '-i', sources.logo, '-i', bed, '-filter_complex'],
      [
        [
          '[0:v]fps=30,drawbox=x=0:y=900:w=1920:h=180:color=0x14132E@0.8:t=fill[film];[film][1:v]overlay=60:48',
          drawtext(text, 76, 80, 480, 2, 22),
          drawtext('A second line', 60, 80, 930, 10, 40),
          `${drawtext('The end', 76, 80, 600, 45, 59)},split=3[v][b][c]`,
        ].join(','),
        '[b]scale=1280:720[hd];[c]scale=640:360[small]',
        '[0:a]volume=0.6[one];[2:a]volume=0.4[two]',
        '[one][two]amix=inputs=2:normalize=0:duration=first,asplit=3[a0][a1][a2]',
      ].join(';'),
      ...[
        '-map',
        '[v]',
        '-map',
        '[a0]',
        '-t',
        '60',
        ...MASTER_ENCODER_OPTIONS,
        ...MP4_OUTPUT_OPTIONS,
        `${folder}/master.mp4`,
      ],
      ...[
        '-map',
        '[hd]',
        '-map',
        '[a1]',
        '-t',
        '60',
        ...MASTER_ENCODER_OPTIONS,
        ...MP4_OUTPUT_OPTIONS,
        `${folder}/hd.mp4`,
      ],
      ...[
        '-map',
        '[small]',
        '-map',
        '[a2]',
        '-t',
        '60',
        ...MASTER_ENCODER_OPTIONS,
        ...MP4_OUTPUT_OPTIONS,
        `${folder}/small.mp4`,
      ],
    ],
  );
};

export const shortCase = (sources: CaseSources): Promise<BenchCase> => tenSeconds(sources, '10 s of 720p30', 1, 8);

export const campaignCase = (sources: CaseSources): Promise<BenchCase> =>
  tenSeconds(sources, '10 s of 720p30, the name shown for 2 s', 4, 2);
