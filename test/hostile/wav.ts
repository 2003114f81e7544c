import { filesOf, type HostileFile, REFUSED } from './hostile-file.ts';
import { join, many, type Part, repeated, times, u16le, u32le, u64le } from './write/numbers.ts';
import { lyingChunk, riff, riffChunk } from './write/riff.ts';

const file = filesOf('wav', 'audio', '.wav');

type Form = {
  readonly tag?: number;
  readonly channels?: number;
  readonly rate?: number;
  readonly align?: number;
  readonly bits?: number;
  readonly more?: Part;
};
const fmt = ({ tag = 1, channels = 1, rate = 8000, align = 2, bits = 16, more = '' }: Form = {}): Buffer =>
  riffChunk('fmt ', u16le(tag, channels), u32le(rate, rate * align), u16le(align, bits), more);

const SOUND = Buffer.alloc(1600);
const of = (form: Form, data: Buffer = SOUND): Buffer => riff('WAVE', fmt(form), riffChunk('data', data));
const sound = (before: Part, behind: Part = ''): Buffer =>
  riff('WAVE', fmt(), before, riffChunk('data', SOUND), behind);

export const WAV: readonly HostileFile[] = [
  file('lie', 'data-of-4-gb', 'data that say to have 4 GB', () =>
    join('RIFF', u32le(0xffffffff), 'WAVE', fmt(), lyingChunk('data', 0xfffffff0, SOUND)),
  ),
  file('lie', 'data-of-2-63', 'RF64 of 2^63 bytes', () =>
    join(
      'RF64',
      u32le(0xffffffff),
      'WAVE',
      riffChunk('ds64', u64le(2n ** 63n - 1n), u64le(2n ** 63n - 1n), u64le(2n ** 63n - 1n), u32le(0xffffffff)),
      fmt(),
      lyingChunk('data', 0xffffffff, SOUND),
    ),
  ),
  file('lie', 'data-of-nothing', 'data of no byte', () =>
    join('RIFF', u32le(0), 'WAVE', fmt(), lyingChunk('data', 0, SOUND)),
  ),
  file('size', 'thousand-channels', '1,000 channels', () => of({ channels: 1000, align: 2000 }, Buffer.alloc(200_000))),
  file('size', 'sixty-four-channels', '64 channels at 384 kHz', () =>
    of({ channels: 64, align: 128, rate: 384_000 }, Buffer.alloc(1_280_000)),
  ),
  file('size', 'all-channels', '65,535 channels', () => of({ channels: 65_535, align: 65_535 }), {}),
  file('lie', 'no-channel', '0 channels', () => of({ channels: 0, align: 0 }), REFUSED),
  file('lie', 'rate-of-2-31', 'a rate of 2^31 Hz', () => of({ rate: 2 ** 31 - 1 })),
  file('lie', 'rate-of-2-32', 'a rate of 2^32-1 Hz', () => of({ rate: 2 ** 32 - 1 })),
  file('lie', 'rate-of-0', 'a rate of 0', () => of({ rate: 0 })),
  file(
    'time',
    'rate-of-1',
    'one sample a second: ten days in a mebibyte',
    () => of({ rate: 1, align: 1, bits: 8 }, Buffer.alloc(900_000)),
    REFUSED,
  ),
  file('time', 'a-day', 'nearly a day in a mebibyte', () =>
    of({ rate: 20, align: 1, bits: 8 }, Buffer.alloc(1_720_000)),
  ),
  file('time', 'a-day-of-telephone-codec', 'a codec of 50 bits a second', () =>
    of({ tag: 0x11, rate: 100, align: 4096, bits: 4, more: u16le(2, 65_535) }, Buffer.alloc(1_000_000)),
  ),
  file('lie', 'alignment-of-0', 'blocks of no byte', () => of({ align: 0 })),
  file('lie', 'alignment-of-65535', 'blocks of 65,535 bytes', () =>
    of({ tag: 2, align: 65_535, bits: 4, more: join(u16le(32, 65_535, 7), Buffer.alloc(28)) }, Buffer.alloc(131_070)),
  ),
  file('lie', 'samples-of-65535-bits', '65,535 bits for a sample', () => of({ bits: 65_535 })),
  file('count', 'chunks', '200,000 unknown chunks', () => sound(repeated(riffChunk('junk'), 200_000))),
  file('count', 'formats', '60,000 formats', () => riff('WAVE', repeated(fmt(), 60_000), riffChunk('data', SOUND))),
  file('count', 'notes', '100,000 notes', () =>
    sound(riffChunk('LIST', 'INFO', repeated(riffChunk('ICMT', 'a\0'), 150_000))),
  ),
  file('lie', 'note-of-4-gb', 'a note of 4 GB', () =>
    sound(riffChunk('LIST', 'INFO', lyingChunk('INAM', 0xfffffffe, 'a'))),
  ),
  file('count', 'marks', '2^32 marks that are not there', () =>
    sound(riffChunk('cue ', u32le(0xffffffff), Buffer.alloc(24))),
  ),
  file('depth', 'lists-in-lists', '50,000 lists in each other', () => {
    const total = 12 * 50_000;
    return sound(join(many(50_000, (n) => join('LIST', u32le(total - 12 * n - 8), 'adtl'))));
  }),
  file('count', 'data-in-pieces', '100,000 pieces of data', () =>
    riff('WAVE', fmt(), repeated(riffChunk('data', 'ab'), 100_000)),
  ),
  file('lie', 'extensible', 'an extension of a codec that is itself an extension', () =>
    of({
      tag: 0xfffe,
      more: join(u16le(22, 16), u32le(0xffffffff), u16le(0xfffe), Buffer.from('000000001000800000aa00389b71', 'hex')),
    }),
  ),
  file('lie', 'video-inside', 'a picture codec as sound', () =>
    sound(riffChunk('SMV0', '0200', Buffer.from(times(200, (n) => n)))),
  ),
  file('lie', 'mp3-inside', 'MP3 within WAV, of noise', () =>
    of(
      { tag: 0x55, align: 1, bits: 0, more: join(u16le(12, 1), u32le(2), u16le(0xffff, 1, 0)) },
      Buffer.alloc(90_000, 'ÿû\x90'),
    ),
  ),
  file(
    'lie',
    'wave64',
    'Sony Wave64 of 2^63 bytes',
    () =>
      join(
        Buffer.from('726966662e91cf11a5d628db04c10000', 'hex'),
        u64le(2n ** 63n - 1n),
        Buffer.from('77617665f3acd3118cd100c04f8edb8a', 'hex'),
        Buffer.alloc(64),
      ),
    REFUSED,
  ),
  file('reach', 'broadcast-text', 'a description that holds URLs', ({ canary_file, canary_url }) =>
    sound(
      riffChunk('bext', canary_url.padEnd(256), canary_file.padEnd(32), Buffer.alloc(314), canary_url),
      riffChunk(
        'iXML',
        `<!DOCTYPE x [<!ENTITY a SYSTEM "file://${canary_file}">]><BWFXML><PROJECT>&a;</PROJECT></BWFXML>`,
      ),
    ),
  ),
  file(
    'truncated',
    'half',
    'the first half of the head',
    ({ bases: { 'base.wav': base } }) => base.subarray(0, 22),
    REFUSED,
  ),
  file('truncated', 'no-data', 'a format and nothing else', () => riff('WAVE', fmt()), REFUSED),
];
