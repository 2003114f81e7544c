import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { signatureOf } from '../../../engine/media/file-signature.ts';
import { countPackets } from '../../../engine/media/packet-count.ts';
import type { ProbedFile, ProbedStream } from '../../../engine/media/probed-file.ts';
import { endOfStream, limitFault } from '../../../engine/media/source-limits.ts';
import { resolveStreamEnd } from '../../../engine/media/stream-end.ts';
import { videoStreamProperties } from '../../../engine/media/video-properties.ts';

const counted = (...packets: readonly string[]) => {
  const count = countPackets();
  for (const line of ['{', '    "packets": [', ...packets, '    ],', '    "streams": [ ]', '}']) count.onLine(line);
  return count;
};
const packet = (index: number, at: string, length: string | null, flags = 'K_'): string =>
  `        { "stream_index": ${index}, "pts_time": "${at}", "dts_time": "${at}", ${
    length === null ? '' : `"duration_time": "${length}", `
  }"flags": "${flags}" },`;

test('the last packets of a stream are found in any order', (t) => {
  const { endOf, rest } = counted(
    packet(0, '0.000000', '0.040000'),
    packet(1, '-0.023000', '0.023000', 'KD'),
    packet(0, '0.120000', '0.040000'),
    packet(1, '0.000000', '0.023000'),
    packet(0, '0.040000', '0.040000'),
    packet(0, '0.080000', '0.040000'),
    packet(0, '9.000000', '0.040000', '_D'),
  );
  t.deepEqual(endOf(0), { end_s: 0.16, last_s: 0.12, step_s: 0.12 - 0.08, last_duration_s: 0.04, padding_samples: 0 });
  t.deepEqual(endOf(1), { end_s: 0.023, last_s: 0, step_s: 0, last_duration_s: 0.023, padding_samples: 0 });
  t.is(endOf(2), null);
  t.deepEqual(JSON.parse(rest()), { streams: [] });
});

test('only a stream whose clock restarts is as long as all its packets', (t) => {
  const { chainedEndOf } = counted(
    ...['0.000000', '0.500000', '0.000000', '0.500000', '0.000000'].map((at) => packet(0, at, '0.500000')),
    packet(1, '0.000000', '0.500000'),
    packet(1, '-0.010000', '0.500000'),
    packet(1, '0.500000', '0.500000'),
  );
  t.is(chainedEndOf(0), 2.5);
  t.is(chainedEndOf(1), null);
  t.is(chainedEndOf(2), null);
});

test('a stream ends with its last packet, or as header or former packet says', (t) => {
  const tick_s = 1 / 600;
  const end = { end_s: 1.5 + tick_s, last_s: 1.5, step_s: 0.5, last_duration_s: tick_s };
  t.is(resolveStreamEnd({ ...end, end_s: 1.75, last_duration_s: 0.25 }, tick_s, 1.7), 1.75);
  t.is(resolveStreamEnd(end, tick_s, 2.25), 2.25);
  t.is(resolveStreamEnd({ ...end, end_s: 1.75, last_duration_s: 0.25 }, tick_s, 1.75 + tick_s), 1.75 + tick_s);
  t.is(resolveStreamEnd(end, tick_s, null), 2);
  t.is(resolveStreamEnd({ ...end, last_duration_s: null }, 0.001, null), 2);
  t.is(resolveStreamEnd(end, tick_s, 4), 2, 'the file is truncated');
  t.is(resolveStreamEnd(end, tick_s, 1.25), 2, 'the header is wrong');
  t.is(resolveStreamEnd(end, 0.5, 3), 1.5 + tick_s, 'each packet lasts a tick');
});

test('side data of packets do not affect the next packet', (t) => {
  const side_data = ['            "side_data_list": [', '                {  }', '            ] },'];
  const { rest } = counted(packet(0, '0.000000', '0.040000').replace(' },', ','), ...side_data);
  t.deepEqual(JSON.parse(rest()), { streams: [] });
});

test('the padding of a stream is that of its last packet', (t) => {
  const withPadding = (line: string, samples: number) => [
    line.replace(' },', ','),
    '            "side_data_list": [',
    `                { "discard_padding": ${samples} }`,
    '            ] },',
  ];
  const { endOf } = counted(
    ...withPadding(packet(0, '0.000000', '0.040000'), 300),
    packet(1, '0.000000', '0.023000'),
    ...withPadding(packet(0, '0.040000', '0.040000'), 200),
    packet(1, '0.023000', '0.023000'),
  );
  t.is(endOf(0)?.padding_samples, 200);
  t.is(endOf(1)?.padding_samples, 0);
});

const stream = (parts: Partial<ProbedStream> = {}): ProbedStream => ({
  index: 0,
  codec_type: 'video',
  codec_name: 'h264',
  codec_tag_string: undefined,
  width: 1920,
  height: 1080,
  pix_fmt: 'yuv420p',
  sample_fmt: undefined,
  sample_rate: undefined,
  channels: undefined,
  channel_layout: undefined,
  sample_aspect_ratio: undefined,
  color_space: undefined,
  color_range: undefined,
  color_transfer: undefined,
  color_primaries: undefined,
  field_order: undefined,
  avg_frame_rate: '25/1',
  start_time: '0.000000',
  duration: '10.000000',
  time_base: '1/12800',
  tags: undefined,
  disposition: undefined,
  side_data_list: undefined,
  ...parts,
});
const fileOf = (one: ProbedStream, end: number | null, format_name = 'mov,mp4,m4a', streams = 1): ProbedFile => ({
  streams: Array.from({ length: streams }, () => one),
  format: { format_name, start_time: '0.000000' },
  endOf: () => end,
  chainedEndOf: () => null,
  isEncrypted: () => false,
  keyFramesOf: () => [],
});
const faultOf = (parts: Partial<ProbedStream>, end_s: number, format_name?: string, streams?: number) => {
  const one = stream(parts);
  return limitFault(fileOf(one, end_s, format_name, streams), [one]);
};

test('a source beyond its limits is refused with a message for the user', (t) => {
  t.is(faultOf({}, 10), null);
  t.is(faultOf({ width: 7680, height: 4320 }, 10), null);
  t.is(
    faultOf({ width: 16_384, height: 16_384 }, 10),
    'has 16384x16384 pixels: scale it down (at most 8192x4320 are supported)',
  );
  t.regex(faultOf({ width: 8193, height: 2 }, 10) ?? '', /8193x2 pixels/);
  t.is(faultOf({}, 10, 'mov,mp4', 32), null);
  t.is(faultOf({}, 10, 'mov,mp4', 33), 'has more than 32 streams: export it with one video and one audio stream');
  t.is(faultOf({ duration: undefined }, 24 * 3600 + 1, 'matroska,webm'), 'is longer than 24 hours: cut it');
  const one = stream();
  t.is(limitFault(fileOf(one, null, 'matroska,webm'), [one]), 'has no frames: export it again');
});

test("an MP4 shorter than its header's duration is truncated; other formats can be shorter", (t) => {
  t.is(faultOf({}, 9.5), null);
  t.is(faultOf({}, 4), 'is cut off: it ends before the time in its header; copy or download it again');
  t.is(faultOf({ start_time: '1.000000' }, 10.5), null);
  t.is(faultOf({ duration: '1000000.000000' }, 4, 'matroska,webm'), null);
  t.is(faultOf({ duration: undefined }, 4), null);
});

test('the end of a source is measured from the start of its file', (t) => {
  const one = stream();
  const file = fileOf(one, 11.5);
  t.is(endOfStream({ ...file, format: { format_name: 'mpegts', start_time: '1.400000' } }, one), 10.1);
});

test('a video is converted only for known tags other than BT.709', (t) => {
  const colorOf = (parts: Partial<ProbedStream>) => videoStreamProperties(stream(parts)).color;
  const untagged = { matrix: 'bt709', full_range: false, hdr: null } as const;
  t.deepEqual(colorOf({}), untagged);
  for (const name of ['bt709', 'unknown', 'film', 'smpte428', 'reserved', 'constructor', 'bt2020,nullsink'])
    t.deepEqual(colorOf({ color_primaries: name, color_transfer: name, color_space: name }), untagged, name);
  t.deepEqual(colorOf({ color_primaries: 'smpte432' }).converted, { primaries: 'smpte432', transfer: 'iec61966-2-1' });
  t.deepEqual(colorOf({ color_transfer: 'linear' }).converted, { primaries: 'bt709', transfer: 'linear' });
  const pq = colorOf({ color_transfer: 'smpte2084', color_primaries: 'film', color_space: 'a:b' });
  t.deepEqual(pq.hdr, { transfer: 'smpte2084', matrix: 'bt2020nc', primaries: 'bt2020' });
  t.is(pq.converted, undefined);
});

test('file types are detected from the first bytes, not from the name', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'signatures '));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'file.png');
  const ftyp = (brand: string) => Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0`, 'latin1');
  const KNOWN: readonly (readonly [string | Buffer, string | null])[] = [
    ['', 'empty'],
    ['#EXTM3U\n', 'a playlist (HLS)'],
    ['\uFEFF#EXTM3U\n', 'a playlist (HLS)'],
    ["ffconcat version 1.0\nfile 'x'", 'a list of files'],
    ['<!DOCTYPE html><p>', 'a web page (HTML)'],
    ['<?xml version="1.0"?>\n<!-- x -->\n<svg xmlns="">', 'SVG'],
    ['{"error":"no"}', 'JSON'],
    ['{"v":"5.5.7","layers":[]}', 'a Lottie animation'],
    ['8BPS\0\u0001', 'a Photoshop document'],
    ['#!AMR\n', 'AMR'],
    [Buffer.from('1f8b0800', 'hex'), 'compressed (gzip)'],
    [Buffer.from('ffd8ffe0', 'hex'), 'JPEG'],
    [Buffer.from('RIFF\0\0\0\0WEBPVP8 '), 'WebP'],
    [Buffer.from('RIFF\0\0\0\0WAVEfmt '), 'WAV'],
    [ftyp('heic'), 'HEIC'],
    [ftyp('mif1'), 'HEIC'],
    [ftyp('avif'), 'AVIF'],
    [ftyp('isom'), 'MP4'],
    [ftyp('M4A '), 'M4A'],
    [Buffer.from('1a45dfa3', 'hex'), 'WebM or Matroska'],
    ['ID3\u0004', 'MP3'],
    ['OggS\0', 'Ogg'],
    [Buffer.from('fff384c4', 'hex'), 'MP3'],
    [Buffer.alloc(5000), 'filled with zeros'],
    ['version https://git-lfs.github.com/spec/v1\noid sha256:0', 'a Git LFS pointer'],
    ['<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code>', "a server's error message"],
    ['MThd\0\0', 'MIDI'],
    ['something else', null],
  ];
  for (const [bytes, name] of KNOWN) {
    await writeFile(path, bytes);
    t.is((await signatureOf(path))?.name ?? null, name, bytes.toString());
  }
});

test('the graph applies rotation tags of quarter turns, and ffmpeg mirrored ones', (t) => {
  const matrixOf = (a: number, b: number, c: number, d: number) =>
    `\n00000000: ${a * 65536} ${b * 65536} 0\n00000001: ${c * 65536} ${d * 65536} 0\n00000002: 0 0 1073741824\n`;
  const turnOf = (rotation: number, displaymatrix: string) => {
    const side = { rotation, displaymatrix, dv_profile: undefined, dv_bl_signal_compatibility_id: undefined };
    return videoStreamProperties(stream({ side_data_list: [side] })).coded?.rotation ?? null;
  };
  t.is(turnOf(90, matrixOf(0, -1, 1, 0)), 270);
  t.is(turnOf(-90, matrixOf(0, 1, -1, 0)), 90);
  t.is(turnOf(-180, matrixOf(-1, 0, 0, -1)), 180);
  t.is(turnOf(0, matrixOf(1, 0, 0, 1)), 0);
  t.is(turnOf(-90, matrixOf(0, 1, 1, 0)), null);
  t.is(turnOf(-45, matrixOf(0.7, 0.7, -0.7, 0.7)), null);
});
