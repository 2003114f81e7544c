import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { execa } from 'execa';
import sharp from 'sharp';
import { pollUntil } from '../../../stack/testing/until.ts';
import { caller } from '../../helpers/renderctl.ts';
import { encodeOnce } from '../../helpers/test-media.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const DEMO = join(ROOT, 'examples', 'demo');

const renderctl = caller({});

let media: string;

const PICTURES = ['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=25:duration=2'];
const SOUND = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=2:sample_rate=48000'];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const FILMS: Readonly<Record<string, readonly string[]>> = {
  'film.mp4': [...PICTURES, ...SOUND, ...H264, '-c:a', 'aac'],
  'silent.mp4': [...PICTURES, ...H264],
  'faststart.mp4': [...PICTURES, ...H264, '-movflags', '+faststart'],
  'sound.m4a': [...SOUND, '-c:a', 'aac'],
  'sound.mp3': [...SOUND, '-c:a', 'libmp3lame'],
  'sound.wav': [...SOUND],
  'sound.opus': [...SOUND, '-c:a', 'libopus'],
  // As a browser records it: without a duration and without an index.
  'streamed.webm': [...PICTURES, '-c:v', 'libvpx', '-deadline', 'realtime', '-live', '1', '-f', 'webm'],
  'pro.mov': [...PICTURES, '-c:v', 'prores_ks', '-pix_fmt', 'yuva444p10le'],
};

test.before(async (t) => {
  t.timeout(240_000);
  media = await mkdtemp(join(tmpdir(), 'media '));
  const quiet = ['-v', 'error', '-y'];
  await Promise.all(
    Object.entries(FILMS).map(([name, args]) => encodeOnce('ffmpeg', [...quiet, ...args], join(media, name))),
  );
  const cover = join(media, 'cover.jpg');
  const noise = sharp({
    create: {
      width: 300,
      height: 200,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  });
  await noise.clone().jpeg().toFile(cover);
  await noise.clone().jpeg({ progressive: true }).toFile(join(media, 'progressive.jpg'));
  await noise.clone().png().toFile(join(media, 'picture.png'));
  await noise.clone().gif().toFile(join(media, 'still.gif'));
  await noise.clone().avif({ effort: 0 }).toFile(join(media, 'picture.avif'));
  const pages = await Promise.all(
    ['#FF0000', '#00FF00', '#0000FF'].map((background) =>
      sharp({ create: { width: 40, height: 30, channels: 4, background } })
        .png()
        .toBuffer(),
    ),
  );
  for (const name of ['moving.gif', 'moving.webp'])
    await sharp(pages, { join: { animated: true } }).toFile(join(media, name));
  const key = [
    '-encryption_scheme',
    'cenc-aes-ctr',
    '-encryption_key',
    '0'.repeat(32),
    '-encryption_kid',
    '1'.repeat(32),
  ];
  const protect = ['-i', join(media, 'sound.m4a'), '-c', 'copy', ...key];
  await encodeOnce('ffmpeg', [...quiet, ...protect], join(media, 'locked.m4a'));
  const covered = ['-i', join(media, 'sound.mp3'), '-i', cover, '-map', '0', '-map', '1', '-c', 'copy'];
  const as_cover = ['-disposition:v:0', 'attached_pic', '-id3v2_version', '3'];
  await encodeOnce('ffmpeg', [...quiet, ...covered, ...as_cover], join(media, 'covered.mp3'));
});

test.after.always(() => rm(media, { recursive: true, force: true }));

type Asset = { readonly id: string; readonly kind: string; readonly file: string };
type Project = {
  readonly assets: readonly Asset[];
  readonly layers?: readonly object[];
  readonly fields?: readonly object[];
  readonly duration?: number | 'auto';
};

/** A folder with a project and these files: bytes, or the path of an existing file. */
const folderOf = async (
  t: ExecutionContext,
  { assets, layers = [], fields, duration = 2 }: Project,
  files: Readonly<Record<string, string | Buffer>> = {},
): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'project check '));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  for (const { file } of assets)
    if (files[file] === undefined) await copyFile(join(media, file), join(folder, file)).catch(() => undefined);
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const project = {
    name: 'Checked',
    main_composition_id: 'comp_main',
    compositions: [{ id: 'comp_main', width: 320, height: 180, fps: 25, duration, layers }],
    assets,
    templates: fields === undefined ? [] : [{ id: 'tpl_main', name: 'T', target_composition_id: 'comp_main', fields }],
  };
  await writeFile(join(folder, 'project.json'), JSON.stringify(project));
  return folder;
};

const check = (...args: readonly string[]) => renderctl('project', 'check', ...args);

/** The reported faults of a project, without the folder. */
const faultsOf = async (t: ExecutionContext, folder: string): Promise<readonly string[]> => {
  const { exit_code, stdout, stderr } = await check(folder);
  t.is(exit_code, 1, stdout);
  t.is(stdout, '');
  const [first = '', ...details] = stderr.trimEnd().split('\n');
  t.regex(first, /^renderctl: .*project\.json has \d+ errors?$/);
  return details.map((line) => line.trim());
};

const answerOf = async (t: ExecutionContext, folder: string) => {
  const { exit_code, stdout, stderr } = await check(folder, '--json');
  t.is(exit_code, 0, stderr);
  return JSON.parse(stdout);
};

const nameOf = (file: string): string => `"${file.replaceAll('.', '-')}" (${file})`;

const asset = (kind: string, file: string, id = file.replaceAll('.', '-')): Asset => ({ id, kind, file });

test('undecodable media are reported with id and file, wherever the damage is', async (t) => {
  const own = await folderOf(t, { assets: [] }, {});
  const film = join(own, 'film.mp4');
  const sources = ['-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=10:d=9', '-f', 'lavfi', '-i', 'sine=d=9'];
  const encoded = (...args: readonly string[]) =>
    encodeOnce('ffmpeg', ['-v', 'error', '-y', ...sources, ...args.slice(0, -1)], args.at(-1) ?? '');
  await encoded('-map', '0', '-g', '5', '-c:v', 'libx264', '-pix_fmt', 'yuv420p', film);
  await encoded('-map', '1', '-c:a', 'aac', join(own, 'tone.m4a'));
  const damaged = async (name: string, from: number, until: number): Promise<Buffer> => {
    const bytes = await readFile(join(own, name));
    const [begin, end] = [bytes.indexOf('mdat') + 4, bytes.lastIndexOf('moov') - 4];
    const at = (share: number): number => Math.round(begin + share * (end - begin));
    return bytes.fill(0xa5, at(from), at(until));
  };
  const files = {
    'middle.mp4': await damaged('film.mp4', 0.35, 0.7),
    'between.mp4': await damaged('film.mp4', 0.2, 0.3),
    'end.m4a': await damaged('tone.m4a', 0.8, 1),
  };
  const assets = Object.keys(files).map((file) => asset(file.endsWith('4a') ? 'audio' : 'video', file));
  const told = await faultsOf(t, await folderOf(t, { assets }, files));
  t.deepEqual(told, [
    `assets[0].file: ${nameOf('middle.mp4')} cannot be decoded after 4.5 s: it is damaged; export the file again, or convert it to MP4 (H.264)`,
    `assets[2].file: ${nameOf('end.m4a')} cannot be decoded after 8 s: it is damaged; export the file again, or convert it to M4A, MP3, WAV, FLAC or Ogg`,
  ]);
});

test('unusable files and document errors are reported together, with their paths', async (t) => {
  const half = async (name: string): Promise<Buffer> => {
    const bytes = await readFile(join(media, name));
    return bytes.subarray(0, bytes.length / 2);
  };
  /** The bytes of the file with another codec name in its sample description. */
  const renamed = async (name: string, codec: string, other: string): Promise<Buffer> => {
    const bytes = await readFile(join(media, name));
    bytes.write(other, bytes.indexOf(codec, bytes.indexOf('stsd')), 'latin1');
    return bytes;
  };
  const files = {
    'junk.mp4': 'This is no film.',
    'zeros.mp4': Buffer.alloc(9000),
    'locked.m4a': await readFile(join(media, 'locked.m4a')),
    'bought.m4a': await renamed('sound.m4a', 'mp4a', 'drms'),
    'strange.mp4': await renamed('silent.mp4', 'avc1', 'xyz1'),
    'cut.mp4': await half('silent.mp4'),
    'cut-faststart.mp4': await half('faststart.mp4'),
    'cut.jpg': await half('cover.jpg'),
    'cut.png': await half('picture.png'),
    'cut.gif': await half('still.gif'),
    'only-sound.mp4': await readFile(join(media, 'sound.m4a')),
    'silent.m4a': await readFile(join(media, 'silent.mp4')),
    'broken.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect',
    'page.png': '<!doctype html><title>404</title>',
    'phone.jpg': Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypheic\0\0\0\0mif1heic'), Buffer.alloc(64)]),
    'huge.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9000000" height="9000000"/>',
    'nothing.mp3': '',
    'list.mp3': '#EXTM3U\n/etc/passwd\n',
    'cover.mp4': await readFile(join(media, 'covered.mp3')),
  };
  const kinds: Readonly<Record<string, string>> = { mp4: 'video', mp3: 'audio', m4a: 'audio' };
  const assets = Object.keys(files).map((file) => asset(kinds[file.split('.').at(-1) ?? ''] ?? 'image', file));
  const layers = [
    { id: 'a', type: 'image', asset: 'no', opactiy: 1 },
    { id: 'owl', type: 'text', text: 'An owl: \u{13153}' },
  ];
  const folder = await folderOf(t, { assets, layers }, files);
  const told = await faultsOf(t, folder);
  const of = (file: string): string | undefined =>
    told
      .map((line) => line.split(`assets[${assets.findIndex((one) => one.file === file)}].file: ${nameOf(file)} `))
      .find(([before]) => before === '')?.[1];
  t.is(
    of('junk.mp4'),
    'cannot be read: it is damaged or has an unknown format. Export it again, or convert it to MP4 (H.264)',
  );
  t.is(of('zeros.mp4'), 'is filled with zeros and not a video: copy or download it again');
  t.is(of('locked.m4a'), 'is encrypted, as copy-protected files are: use a copy without protection');
  t.is(of('bought.m4a'), 'is encrypted, as copy-protected files are: use a copy without protection');
  t.is(of('strange.mp4'), 'has an unsupported codec: convert it to MP4 (H.264)');
  t.regex(of('cut.mp4') ?? '', /^cannot be read: it is damaged or cut off/);
  t.is(of('cut-faststart.mp4'), 'is cut off: it ends before the time in its header; copy or download it again');
  t.is(of('cut.jpg'), 'is damaged or cut off: save it again');
  t.is(of('cut.png'), 'is damaged or cut off: save it again');
  t.regex(of('cut.gif') ?? '', /damaged or cut off/);
  t.is(of('only-sound.mp4'), 'has audio but no video: use it as an audio asset, or export it with its video');
  t.is(of('silent.m4a'), 'has video but no audio: export it with its audio');
  t.is(of('broken.svg'), 'cannot be read: it is damaged or cut off, or it lacks width and height as well as a viewBox');
  t.is(of('page.png'), 'is a web page (HTML) and not a picture: download the file itself');
  t.is(of('phone.jpg'), 'is a HEIC image: convert it to JPEG, PNG or AVIF');
  t.is(of('huge.svg'), 'has more than 100 million pixels: make it smaller');
  t.is(of('nothing.mp3'), 'is empty: copy or download it again');
  t.is(of('list.mp3'), 'is a playlist (HLS) and not a sound: use the video that it lists');
  t.is(of('cover.mp4'), 'has audio but no video: use it as an audio asset, or export it with its video');
  t.true(told.includes('compositions[0].layers[0].opactiy: is not a known property; did you mean "opacity"?'));
  t.true(told.includes('compositions[0].layers[1].text: has a character that no font has: U+13153'));
  t.is(told.length, Object.keys(files).length + 3);
});

test('all files that renders can use are accepted', async (t) => {
  const kinds: Readonly<Record<string, readonly string[]>> = {
    video: ['film.mp4', 'silent.mp4', 'faststart.mp4', 'streamed.webm', 'pro.mov'],
    audio: ['sound.m4a', 'sound.mp3', 'sound.wav', 'sound.opus', 'covered.mp3'],
    image: ['cover.jpg', 'progressive.jpg', 'picture.png', 'picture.avif', 'moving.gif', 'moving.webp'],
  };
  const files: Record<string, Buffer | string> = {
    // Names with the ending of another format, as in downloads.
    'really-png.jpg': await readFile(join(media, 'picture.png')),
    'really-jpeg.png': await readFile(join(media, 'cover.jpg')),
    'no-size.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><rect width="5" height="5"/></svg>',
    'empty.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>',
    'line.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="1920" height="2"><rect width="1920" height="2"/></svg>',
    'pole.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="900"><rect width="1" height="900"/></svg>',
  };
  const assets = [
    ...Object.entries(kinds).flatMap(([kind, names]) => names.map((name) => asset(kind, name))),
    ...Object.keys(files).map((name) => asset('image', name)),
  ];
  const folder = await folderOf(t, { assets }, files);
  // Only the owner can read these files, and programs in the sandbox can run as another user.
  for (const name of ['film.mp4', 'cover.jpg']) await chmod(join(folder, name), 0o600);
  await rm(join(folder, 'silent.mp4'));
  await mkdir(join(folder, 'kept'));
  await copyFile(join(media, 'silent.mp4'), join(folder, 'kept', 'without ending'));
  await symlink(join('kept', 'without ending'), join(folder, 'silent.mp4'));
  const answer = await answerOf(t, folder);
  t.is(answer.assets.length, assets.length);
  const of = (id: string) => answer.assets.find((one: Asset) => one.id === id);
  t.like(of('film-mp4'), { width: 160, height: 90, duration_s: 2 });
  t.like(of('streamed-webm'), { width: 160, height: 90 });
  t.true(Math.abs(of('streamed-webm').duration_s - 2) < 0.1);
  t.like(of('covered-mp3'), { width: null });
  t.like(of('moving-gif'), { width: 40, height: 30 });
  t.deepEqual(answer.warnings, []);
});

test("a part that starts after its media's end is refused, even in templates", async (t) => {
  const assets = [asset('video', 'film.mp4', 'long'), asset('audio', 'sound.wav', 'song')];
  const layers = [
    { id: 'a', type: 'video', asset: 'long', trim_start: 2 },
    { id: 'b', type: 'audio', asset: 'song', trim_start: 30 },
    { id: 'c', type: 'video', asset: 'long', trim_start: 1.9 },
    { id: 'd', type: 'video', asset: 'long', trim_start: 9, visible: false },
  ];
  const field = (key: string, kind: string, default_value: string, layer: string, property: string) => ({
    ...{ key, kind, default_value },
    target: { layer, property },
  });
  const fields = [field('from', 'number', '5', 'c', 'trim_start'), field('shown', 'toggle', 'true', 'd', 'visible')];
  t.deepEqual(await faultsOf(t, await folderOf(t, { assets, layers, fields })), [
    'compositions[0].layers[0].trim_start: must be before the end of "long" (2 s)',
    'compositions[0].layers[1].trim_start: must be before the end of "song" (2 s)',
    'templates[0].fields[0].default_value: must be before the end of "long" (2 s)',
    'compositions[0].layers[3].trim_start: must be before the end of "long" (2 s)',
  ]);
});

test('the times that follow from media are shown, and checked', async (t) => {
  const assets = [asset('video', 'film.mp4', 'clip'), asset('audio', 'sound.wav', 'song')];
  const clip = { id: 'clip', type: 'video', asset: 'clip', duration: 'media' };
  const layers = [
    { id: 'jingle', type: 'audio', asset: 'song', duration: 'media', start: { after: 'clip', offset: 0.2 } },
    { ...clip, trim_start: 0.5 },
    { id: 'plate', type: 'shape', color: '#FF0000' },
  ];
  const folder = await folderOf(t, { assets, layers, duration: 'auto' });
  const { layers: times } = await answerOf(t, folder);
  t.deepEqual(times, [
    { id: 'jingle', start_s: 1.72, end_s: 3.72 },
    { id: 'clip', start_s: 0, end_s: 1.52 },
    { id: 'plate', start_s: 0, end_s: 3.72 },
  ]);
  const { stdout } = await check(folder);
  t.regex(stdout, /^layer +start +end$/m);
  t.regex(stdout, /^jingle +1\.72 s +3\.72 s$/m);
  const early = [clip, { ...layers[0], start: { after: 'clip', offset: -2.04 } }];
  t.deepEqual(await faultsOf(t, await folderOf(t, { assets, layers: early, duration: 'auto' })), [
    'compositions[0].layers[1].start: is -0.04 s, because "clip" ends at 2 s; must be >= 0',
  ]);
});

test('a layer longer than its media is a warning, not an error', async (t) => {
  const assets = [asset('video', 'film.mp4', 'clip'), asset('audio', 'sound.wav', 'song')];
  const layers = [
    { id: 'held', type: 'video', asset: 'clip' },
    { id: 'looped', type: 'video', asset: 'clip', loop: true },
    { id: 'slow', type: 'video', asset: 'clip', speed: 0.4 },
    { id: 'media', type: 'video', asset: 'clip', duration: 'media' },
    { id: 'hit', type: 'audio', asset: 'song' },
    { id: 'music', type: 'audio', asset: 'song', duration: 4, speed: 2 },
    { id: 'cut', type: 'video', asset: 'clip', duration: 1, trim_end: 3 },
  ];
  const folder = await folderOf(t, { assets, layers, duration: 5 });
  const { warnings } = await answerOf(t, folder);
  t.deepEqual(
    warnings.map(({ path }: { path: string }) => path),
    ['compositions[0].layers[0]', 'compositions[0].layers[5]', 'compositions[0].layers[6].trim_end'],
  );
  const { stdout } = await check(folder);
  t.regex(stdout, /can be imported: 1 composition, 0 templates, 2 files\./);
  t.regex(stdout, /^clip +video +\d+ +160x90 +2 s +film\.mp4$/m);
  t.regex(
    stdout,
    /layers\[0\]: lasts 5 s, but "clip" only 2 s: the last frame stays visible; set "loop": true to repeat it/,
  );
  t.regex(stdout, /layers\[5\]: lasts 4 s, but "song" only 1 s: the rest is silent;/);
});

test('unsupported features of a picture are warnings, not errors', async (t) => {
  const svg = (inner: string) =>
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">${inner}</svg>`);
  const files = {
    'plain.svg': svg('<text font-family="Arial, sans-serif" y="9">W</text>'),
    'arial.svg': svg('<text font-family="Arial" y="9">W</text>'),
    'outside.svg': svg('<image href="https://example.com/x.png" width="9" height="9"/>'),
    'svg-named.png': svg('<text style="font:9px Gone" y="9">W</text>'),
    'moving.avif': (await readFile(join(media, 'picture.avif'))).fill('avis', 8, 12),
  };
  const folder = await folderOf(t, { assets: Object.keys(files).map((name) => asset('image', name)) }, files);
  const { warnings } = await answerOf(t, folder);
  t.deepEqual(
    warnings.map(({ path, message }: { path: string; message: string }) => `${path}: ${message.replace(/,.*/, '')}`),
    [
      'assets[1].file: "arial-svg" (arial.svg) uses the font "Arial"',
      'assets[2].file: "outside-svg" (outside.svg) refers to the external file "https://example.com/x.png"',
      'assets[3].file: "svg-named-png" (svg-named.png) uses the font "Gone"',
      'assets[4].file: "moving-avif" (moving.avif) is an animated AVIF: only its first frame is shown; save it as WebP or a video',
    ],
  );
  t.regex((await check(folder)).stdout, /assets\[1\]\.file: "arial-svg" .* drawn in Noto Sans/);
});

test('a warning says that only the first of several joined MPEG-TS files is shown', async (t) => {
  const own = await folderOf(t, { assets: [] }, {});
  const made = async (name: string, colour: string): Promise<Buffer> => {
    const sources = ['-f', 'lavfi', '-i', `color=${colour}:s=64x36:r=10:d=2`, '-f', 'lavfi', '-i', 'sine=d=2'];
    const encoded = ['-v', 'error', '-y', ...sources, '-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
    await encodeOnce('ffmpeg', encoded, join(own, name));
    return await readFile(join(own, name));
  };
  const [one, other] = [await made('one.ts', 'red'), await made('other.ts', 'blue')];
  const files = { 'one.ts': one, 'both.ts': Buffer.concat([one, other]) };
  const assets = [asset('video', 'one.ts'), asset('video', 'both.ts'), asset('audio', 'both.ts', 'sound')];
  const { warnings } = await answerOf(t, await folderOf(t, { assets }, files));
  const message = (id: string) =>
    `"${id}" (both.ts) is several recordings in one file, and only the first one plays; convert it to MP4 (H.264)`;
  t.deepEqual(warnings, [
    { path: 'assets[1].file', message: message('both-ts') },
    { path: 'assets[2].file', message: message('sound') },
  ]);
});

test('an animation with too many large frames is refused at its layer', async (t) => {
  const colours = Array.from({ length: 60 }, (_, n) => ({ r: 4 * n, g: 255 - 4 * n, b: n % 2 === 0 ? 0 : 255 }));
  const pages = await Promise.all(
    colours.map((background) =>
      sharp({ create: { width: 8, height: 8, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  const many = await sharp(pages, { join: { animated: true } })
    .gif({ delay: pages.map(() => 100) })
    .toBuffer();
  const layers = [
    {
      id: 'a',
      type: 'image',
      asset: 'many',
      width: 3000,
      height: 2000,
      keyframes: {
        scale: [
          { time: 0, value: 1 },
          { time: 1, value: 2 },
        ],
      },
    },
  ];
  const folder = await folderOf(t, { assets: [asset('image', 'many.gif', 'many')], layers }, { 'many.gif': many });
  t.regex(
    (await faultsOf(t, folder)).join('\n'),
    /^compositions\[0\]\.layers\[0\]\.asset: the image "many" has too many large frames/,
  );
});

test('the demo project is checked without errors and warnings', async (t) => {
  t.deepEqual((await answerOf(t, DEMO)).warnings, []);
});

test('the check reports a missing ffprobe, and an option skips the media', async (t) => {
  const folder = await folderOf(t, { assets: [asset('video', 'film.mp4')] });
  const bare = caller({ FFPROBE_PATH: '/nonexistent/ffprobe' });
  const { exit_code, stderr } = await bare('project', 'check', folder);
  t.is(exit_code, 1);
  t.regex(
    stderr,
    /^renderctl: the media could not be checked on this machine: .*ffprobe.*; the check needs ffprobe \(FFPROBE_PATH/,
  );
  t.is((await bare('project', 'check', folder, '--no-media-check')).exit_code, 0);
});

test('a missing folder for temporary files is reported like any other error', async (t) => {
  const folder = await folderOf(t, { assets: [asset('image', 'picture.png')] });
  const command = [join(ROOT, 'cli', 'main.ts'), 'project', 'check', folder, '--json'];
  const { exitCode, stderr } = await execa(process.execPath, command, {
    env: { TMPDIR: join(folder, 'nowhere') },
    reject: false,
    timeout: 60_000,
  });
  t.is(exitCode, 1);
  const { error } = JSON.parse(stderr);
  t.regex(error, /^the media could not be checked on this machine: ENOENT: .*nowhere/);
});

test('a second Ctrl-C leaves no files or processes either', async (t) => {
  const own = await mkdtemp(join(tmpdir(), 'check '));
  t.teardown(() => rm(own, { recursive: true, force: true }));
  const folder = await folderOf(t, { assets: [asset('image', 'picture.png')] });
  // In an empty folder for temporary files the engine's program is first copied, which takes a second.
  const command = [join(ROOT, 'cli', 'main.ts'), 'project', 'check', folder];
  const checking = execa(process.execPath, command, { env: { TMPDIR: own }, reject: false, timeout: 60_000 });
  const ours = async (): Promise<readonly string[]> =>
    (await readdir(own)).filter((name) => name.startsWith('renderctl-'));
  await pollUntil('it looks into media', async () => (await ours()).length > 0);
  await pollUntil('it has ended', async () => !checking.kill('SIGINT'));
  t.is((await checking).exitCode, 130);
  t.deepEqual(await ours(), []);
});

test('a project with a hundred pictures is checked', async (t) => {
  const names = Array.from({ length: 100 }, (_, n) => `p${n}.png`);
  const picture = await readFile(join(media, 'picture.png'));
  const files = Object.fromEntries(names.map((name) => [name, picture]));
  const folder = await folderOf(t, { assets: names.map((name) => asset('image', name)) }, files);
  t.is((await answerOf(t, folder)).assets.length, 100);
});
