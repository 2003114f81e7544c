import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import sharp from 'sharp';
import { finalOf } from './_composition.ts';
import { colorAround, ffmpeg, folderOf, framesOf, pixelAt } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

const RED = [0xe3, 0x06, 0x13] as const;
const near = (t: ExecutionContext, found: readonly number[], within: number, what: string) =>
  t.true(
    found.length === 3 && found.every((channel, index) => Math.abs(channel - (RED[index] ?? 0)) <= within),
    `${what}: ${found}`,
  );

test('#E30613 keeps its colour as shape, text, picture and clip, in every variant', async (t) => {
  const folder = await folderOf(t);
  const solid = { width: 64, height: 64, channels: 3 as const, background: { r: RED[0], g: RED[1], b: RED[2] } };
  const clip = async (name: string, matrix: string, range: string, tags: readonly string[]) => {
    const to = `scale=out_color_matrix=${matrix}:out_range=${range}:flags=accurate_rnd+full_chroma_int,format=yuv444p`;
    const source = ['-f', 'lavfi', '-i', 'color=c=0xE30613:s=64x64:r=30:d=0.6,format=gbrp'];
    const path = join(folder, name);
    await ffmpeg(...source, '-vf', to, '-c:v', 'libx264', '-qp', '0', ...tags, path);
    return path;
  };
  const files = {
    png: join(folder, 'red.png'),
    jpeg: join(folder, 'red.jpg'),
    untagged: await clip('untagged.mp4', 'bt601', 'tv', []),
    tagged: await clip('tagged.mp4', 'bt709', 'tv', ['-colorspace', 'bt709']),
    full: await clip('full.mp4', 'bt601', 'pc', ['-colorspace', 'smpte170m', '-color_range', 'pc']),
  };
  await sharp({ create: solid }).png().toFile(files.png);
  await sharp({ create: solid }).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toFile(files.jpeg);

  const box = (n: number) => ({ x: 80 * n, y: 40, width: 80, height: 80 });
  const video = (id: string, n: number) => ({ id, type: 'video', asset: id, ...box(n) });
  const image = (id: string, n: number) => ({ id, type: 'image', asset: id, ...box(n) });
  const layers = [
    { id: 'shape', type: 'shape', color: '#E30613', ...box(0) },
    {
      id: 'text',
      type: 'text',
      text: 'l',
      color: '#E30613',
      ...box(1),
      x: 82,
      y: 0,
      height: 180,
      font_size: 400,
      font_weight: 900,
      line_height: 1,
    },
    ...[image('png', 2), image('jpeg', 3), video('untagged', 4), video('tagged', 5), video('full', 6)],
    { id: 'half', type: 'shape', shape: 'ellipse', color: '#E30613', ...box(7), fade_in: 0.2 },
  ];
  const assets = [
    ...(['png', 'jpeg'] as const).map((id) => ({ id, kind: 'image' as const })),
    ...(['untagged', 'tagged', 'full'] as const).map((id) => ({ id, kind: 'video' as const })),
  ];
  const final = finalOf({ width: 640, background: '#204060', layers }, assets, [{ name: 'small', height: 90 }]);
  const { outputs } = await rendered(optionsOf(final, join(folder, 'out'), files));
  for (const { file, width, height, variant } of outputs) {
    const [frame] = await framesOf(file, width, height, [15]);
    const scale = width / 640;
    const within = variant === 'master' ? 3 : 5;
    for (const [n, what] of ['shape', 'text', 'png', 'jpeg', 'untagged', 'tagged', 'full', 'half'].entries()) {
      near(t, colorAround(frame, width, (80 * n + 40) * scale, 80 * scale, 4), within, `${what} in ${variant}`);
    }
  }
});

/** The PQ signal for a luminance in nits (SMPTE ST 2084), from 0 to 1. */
const pq = (nits: number): number => {
  const light = (nits / 10_000) ** 0.1593017578125;
  return ((0.8359375 + 18.8515625 * light) / (1 + 18.6875 * light)) ** 78.84375;
};

test('high dynamic range keeps differences in highlights, and unchanged midtones and shadows', async (t) => {
  const folder = await folderOf(t);
  /** The shown sRGB levels by nits; up to 400 they are unchanged by the mapping of highlights. */
  const shown: Record<number, number> = {};
  const lights = [100, 203, 400, 1_000, 4_000, 10_000];
  const files: Record<string, string> = {};
  for (const nits of lights) {
    const path = join(folder, `${nits}.mp4`);
    const light = `color=c=black:s=64x64:r=30:d=0.2,format=yuv420p10le,geq=lum=${Math.round(64 + 876 * pq(nits))}:cb=512:cr=512`;
    const tags = [
      '-color_trc',
      'smpte2084',
      '-color_primaries',
      'bt2020',
      '-colorspace',
      'bt2020nc',
      '-color_range',
      'tv',
    ];
    await ffmpeg(
      '-f',
      'lavfi',
      '-i',
      light,
      '-c:v',
      'libx265',
      '-x265-params',
      'log-level=none:lossless=1',
      ...tags,
      path,
    );
    files[`v${nits}`] = path;
  }
  const layers = lights.map((nits, n) => ({
    ...{ id: `v${nits}`, type: 'video', asset: `v${nits}` },
    ...{ x: 64 * n, width: 64, height: 64 },
  }));
  const assets = lights.map((nits) => ({ id: `v${nits}`, kind: 'video' as const }));
  const width = 64 * lights.length;
  const final = finalOf({ width, height: 64, duration: 0.2, layers }, assets);
  const { master } = await rendered(optionsOf(final, join(folder, 'out'), files));
  const [frame] = await framesOf(master, width, 64, [3]);
  for (const [n, nits] of lights.entries()) shown[nits] = colorAround(frame, width, 64 * n + 32, 32, 8)[1] ?? 0;
  const at = (nits: number): number => shown[nits] ?? 0;
  for (const [nits, level] of [
    [100, 156.8],
    [203, 192.8],
    [400, 224.5],
  ] as const)
    t.true(Math.abs(at(nits) - level) <= 1.5, `${nits} nits: ${at(nits)}`);
  t.true(at(1_000) - at(400) > 15 && at(4_000) - at(1_000) > 6 && at(10_000) > at(4_000), JSON.stringify(shown));
});

test('high dynamic range with some of its tags looks as with all of them', async (t) => {
  const folder = await folderOf(t);
  const whole = { hlg: 'arib-std-b67:bt2020:bt2020nc', pq: 'smpte2084:bt2020:bt2020nc' };
  const variants = {
    ...whole,
    'hlg alone': 'arib-std-b67',
    'hlg matrix': 'arib-std-b67::bt2020nc',
    'hlg primaries': 'arib-std-b67:bt2020',
    'pq alone': 'smpte2084',
    'pq matrix': 'smpte2084::bt2020nc',
    'pq of constant luminance': 'smpte2084:bt2020:bt2020c',
    'pq with an unsupported matrix': 'smpte2084:film:ycgco',
  };
  const files: Record<string, string> = {};
  for (const [index, [id, tags]] of Object.entries(variants).entries()) {
    const [transfer, primaries, matrix] = tags.split(':');
    const said = [`transfer=${transfer}`, primaries && `colorprim=${primaries}`, matrix && `colormatrix=${matrix}`];
    const path = join(folder, `${index}.mp4`);
    const light = 'color=c=black:s=64x64:r=30:d=0.2,format=yuv420p10le,geq=lum=500:cb=480:cr=600';
    const lossless = ['log-level=none:lossless=1', ...said.filter(Boolean)].join(':');
    await ffmpeg('-f', 'lavfi', '-i', light, '-c:v', 'libx265', '-x265-params', lossless, path);
    files[id] = path;
  }
  const ids = Object.keys(files);
  const layers = ids.map((_, n) => ({ id: `v${n}`, type: 'video', asset: `v${n}`, x: 64 * n, width: 64, height: 64 }));
  const assets = ids.map((_, n) => ({ id: `v${n}`, kind: 'video' as const }));
  const width = 64 * ids.length;
  const final = finalOf({ width, height: 64, duration: 0.2, layers }, assets);
  const { outputs } = await rendered(
    optionsOf(final, join(folder, 'out'), Object.fromEntries(ids.map((id, n) => [`v${n}`, files[id] ?? '']))),
  );
  const [frame] = await framesOf(outputs[0]?.file ?? '', width, 64);
  const colors = ids.map((_, n) => colorAround(frame, width, 64 * n + 32, 32, 8));
  const [hlg = [], pq = []] = colors;
  t.true(hlg.some((level, channel) => Math.abs(level - (pq[channel] ?? 0)) > 10));
  for (const [n, id] of ids.entries()) {
    const wanted = id.startsWith('hlg') ? hlg : pq;
    t.true(
      colors[n]?.every((level, channel) => Math.abs(level - (wanted[channel] ?? 0)) <= 1.5),
      `${id}: ${colors[n]}, not ${wanted}`,
    );
  }
});

test('colours are correct in videos with any primaries and with linear light', async (t) => {
  const folder = await folderOf(t);
  /** [sRGB (200, 80, 60) in this encoding, swscale's output matrix, and the tags: matrix, primaries, transfer]. */
  const variants = {
    bt709: ['c8503c', 'bt709', 'bt709', 'bt709', 'bt709'],
    p3: ['ba5843', 'bt709', 'bt709', 'smpte432', 'bt709'],
    bt2020: ['a85f44', 'bt2020', 'bt2020nc', 'bt2020', 'bt2020-10'],
    'bt601, 525 lines': ['cd4b3d', 'bt601', 'smpte170m', 'smpte170m', 'smpte170m'],
    'bt601, 625 lines': ['c5503c', 'bt601', 'bt470bg', 'bt470bg', 'bt470bg'],
    linear: ['93140c', 'bt709', 'bt709', 'bt709', 'linear'],
    'unsupported primaries': ['c8503c', 'bt709', 'bt709', 'film', 'log100'],
  } as const;
  const names = Object.keys(variants);
  const files: Record<string, string> = {};
  for (const [n, [color, coding, matrix, primaries, transfer]] of Object.values(variants).entries()) {
    const path = join(folder, `${n}.mp4`);
    const tags = `log-level=none:lossless=1:colorprim=${primaries}:colormatrix=${matrix}:transfer=${transfer}`;
    const to = `scale=out_color_matrix=${coding}:out_range=tv:flags=accurate_rnd+full_chroma_int,format=yuv444p12le`;
    const source = ['-f', 'lavfi', '-i', `color=c=0x${color}:s=64x64:r=30:d=0.2,format=gbrp`];
    await ffmpeg(...source, '-vf', to, '-c:v', 'libx265', '-x265-params', tags, path);
    files[`v${n}`] = path;
  }
  const box = { width: 64, height: 64 };
  const layers = names.map((_, n) => ({ id: `v${n}`, type: 'video', asset: `v${n}`, x: 64 * n, ...box }));
  const assets = names.map((_, n) => ({ id: `v${n}`, kind: 'video' as const }));
  const width = 64 * names.length;
  const final = finalOf({ width, height: 64, duration: 0.2, layers }, assets);
  const { master } = await rendered(optionsOf(final, join(folder, 'out'), files));
  const [frame] = await framesOf(master, width, 64);
  for (const [n, name] of names.entries()) {
    const found = colorAround(frame, width, 64 * n + 32, 32, 8);
    t.true(
      found.every((level, channel) => Math.abs(level - ([200, 80, 60][channel] ?? 0)) <= 2),
      `${name}: ${found}`,
    );
  }
});

test('a dark gradient has no broader bands than its source, and flat colours stay', async (t) => {
  const folder = await folderOf(t);
  const [width, height, step] = [640, 96, 32];
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at += 1) {
    const [x, y] = [at % width, Math.floor(at / width)];
    pixels.fill(y < 64 ? Math.floor(x / step) : 13, 3 * at, 3 * at + 3);
  }
  const path = join(folder, 'dark.png');
  await sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toFile(path);
  const layers = [{ id: 'dark', type: 'image', asset: 'dark' }];
  const codecs = ['h265', 'vp9', 'av1'].map((codec) => ({ name: codec, codec, height }));
  const final = finalOf({ width, height, duration: 0.2, layers }, [{ id: 'dark', kind: 'image' }], codecs);
  const { outputs } = await rendered(optionsOf(final, join(folder, 'out'), { dark: path }));
  t.is(outputs.length, 4);
  for (const { file, variant } of outputs) {
    const [first, ...others] = await framesOf(file, width, height);
    const band = (y: number): number => {
      let [longest, begin] = [0, 0];
      for (let x = 1; x <= width; x += 1) {
        if (x < width && pixelAt(first, width, x, y)[1] === pixelAt(first, width, x - 1, y)[1]) continue;
        [longest, begin] = [Math.max(longest, x - begin), x];
      }
      return longest;
    };
    const bands = [9, 18, 30, 45, 52].map(band).sort((a, b) => a - b);
    t.true((bands[2] ?? 0) <= 1.25 * step, `${variant}: bands of ${bands}`);
    t.is(band(88), width, `${variant}: flat`);
    if (variant === 'master')
      t.true(others.length === 5 && others.every((frame) => first?.equals(frame)), 'a still picture');
  }
});
