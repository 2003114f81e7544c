import { filesOf, type HostileFile, type Material, REFUSED } from './hostile-file.ts';
import { deflatedTwice, deflatedZeros } from './write/deflate.ts';
import { element, float, lyingElement, nestedElements, UNKNOWN_SIZE, uint, vint } from './write/ebml.ts';
import { join, latin, many, type Part, repeated, times, u8, u16 } from './write/numbers.ts';
import { chunk, head, png } from './write/png-chunks.ts';
import {
  block,
  cluster,
  documentHead,
  endless,
  ID,
  info,
  matroska,
  pictureTrack,
  segment,
  soundTrack,
} from './write/segment.ts';

const file = filesOf('matroska', 'video', '.mkv');
const AUDIO = { kind: 'audio', ending: '.mkv' } as const;
const WEBM = { ending: '.webm' } as const;

const FRAME = Buffer.alloc(48);
const RAW = pictureTrack(1, 'V_UNCOMPRESSED', 4, 4, element(0x7ba9, 'x'));
const tracks = (...entries: readonly Part[]): Buffer => element(ID.Tracks, ...entries);
const SOUND = tracks(soundTrack(1));
/** A sound track without properties that a valid file declares. */
const oddSound = (codec: string, ...more: readonly Part[]): Buffer =>
  element(ID.TrackEntry, element(0xd7, uint(1)), element(0x83, uint(2)), element(0x86, codec), ...more);
const CLUSTER = cluster(0, block(1, 0, Buffer.alloc(16)));

/** One sound track, with other elements before or after its only cluster. */
const sound = (before: Part, behind: Part = ''): Buffer => matroska(info(), SOUND, before, CLUSTER, behind);

/** Compressed content of a track. `algorithm`: 0 zlib, 1 bzip2, 2 LZO, 3 removed frame headers. */
const packing = (algorithm: number, settings: Part = '', scope = 1): Buffer =>
  element(
    0x6d80,
    element(
      0x6240,
      element(0x5031, uint(0)),
      element(0x5032, uint(scope)),
      element(0x5033, uint(0)),
      element(0x5034, element(0x4254, uint(algorithm)), settings === '' ? '' : element(0x4255, settings)),
    ),
  );

const blank = (side: number): Buffer =>
  png(head({ width: side, height: side }), chunk('IDAT', deflatedZeros(side * (side * 4 + 1))));

const attachment = (name: string, type: string, data: Part, id = 1): Buffer =>
  element(0x61a7, element(0x466e, name), element(0x4660, type), element(0x465c, data), element(0x46ae, uint(id)));

const chapter = (id: number, ...more: readonly Part[]): Buffer =>
  element(0xb6, element(0x73c4, uint(id)), element(0x91, uint(id)), ...more);
const chapters = (...all: readonly Part[]): Buffer => element(ID.Chapters, element(0x45b9, ...all));
const tags = (...all: readonly Part[]): Buffer => element(ID.Tags, element(0x7373, ...all));
const seek = (id: string, at: number): Buffer =>
  element(0x4dbb, element(0x53ab, Buffer.from(id, 'hex')), element(0x53ac, uint(at)));
/** A cue point: where the clusters of a track start at a time. */
const place = (at: number): Buffer => element(0xb7, element(0xf7, uint(1)), element(0xf1, uint(at)));
const simpleTag = (...more: readonly Part[]): Buffer =>
  element(0x67c8, element(0x45a3, 'a'), element(0x4487, 'b'), ...more);

/** The same file, with references to its continuation in other files. */
const linked =
  (name: string, uid: string) =>
  ({ bases: { 'base.mkv': base } }: Material): Buffer => {
    const more = join(
      element(0x3e83bb, name),
      element(0x3eb923, uid),
      element(0x3c83ab, name),
      element(0x3cb923, uid),
      element(0x7384, name),
    );
    return join(
      documentHead('matroska'),
      segment(
        element(ID.Info, element(0x2ad7b1, uint(1_000_000)), more),
        base.subarray(base.indexOf(Buffer.from('1654ae6b', 'hex'))),
      ),
    );
  };

export const MATROSKA: readonly HostileFile[] = [
  file(
    'size',
    'blocks-that-unpack',
    '10,000 blocks that unpack to 10 MB each',
    () => {
      const packed = deflatedZeros(9_990_000);
      return matroska(
        info(),
        tracks(soundTrack(1, packing(0))),
        many(120, (n) => cluster(n * 1000, block(1, 0, packed))),
      );
    },
    AUDIO,
  ),
  file(
    'size',
    'block-that-unpacks-twice',
    'a block that unpacks to a stream of zeros',
    () =>
      matroska(
        info(),
        tracks(soundTrack(1, packing(0), packing(0))),
        cluster(0, block(1, 0, deflatedTwice(9_000_000))),
      ),
    AUDIO,
  ),
  file('size', 'pictures-that-unpack', 'pictures of 3,000 by 3,000 raw pixels that unpack', () => {
    const packed = deflatedZeros(9_000_000);
    return matroska(
      info(),
      tracks(
        pictureTrack(
          1,
          'V_UNCOMPRESSED',
          3000,
          3000,
          packing(0),
          element(0xe0, element(0xb0, uint(3000)), element(0xba, uint(3000)), element(0x2eb524, 'Y800')),
        ),
      ),
      many(200, (n) => cluster(n * 33, block(1, 0, packed))),
    );
  }),
  file(
    'size',
    'frames-with-a-long-beginning',
    '70,000 frames that each begin with the same mebibyte',
    () =>
      matroska(
        info(),
        tracks(soundTrack(1, packing(3, Buffer.alloc(2 ** 20)))),
        repeated(cluster(0, repeated(block(1, 0, 'ab'), 100)), 800),
      ),
    AUDIO,
  ),
  file('size', 'head-that-unpacks', 'a head of the codec that unpacks', () =>
    matroska(
      info(),
      tracks(pictureTrack(1, 'V_MPEG4/ISO/AVC', 64, 48, element(0x63a2, deflatedZeros(9_000_000)), packing(0, '', 2))),
      CLUSTER,
    ),
  ),
  file(
    'lie',
    'bzip2-of-noise',
    'invalid bzip2 and LZO data',
    () =>
      matroska(
        info(),
        tracks(soundTrack(1, packing(1)), soundTrack(2, packing(2))),
        cluster(0, block(1, 0, 'BZh91AY&SY'), block(2, 0, Buffer.alloc(500, 0xff))),
      ),
    AUDIO,
  ),
  file(
    'count',
    'chapters',
    '60,000 chapters, each looked for among the others',
    () => sound(chapters(many(60_000, (n) => chapter(60_000 - n)))),
    AUDIO,
  ),
  file(
    'count',
    'chapters-of-one-number',
    '120,000 chapters of the same number',
    () => sound(chapters(repeated(chapter(1), 120_000))),
    AUDIO,
  ),
  file(
    'depth',
    'chapters-in-chapters',
    '10,000 chapters in each other',
    () => sound(chapters(nestedElements(0xb6, 10_000))),
    AUDIO,
  ),
  file(
    'count',
    'cues-backwards',
    '40,000 places in falling order',
    () =>
      sound(
        element(
          ID.Cues,
          many(40_000, (n) => element(0xbb, element(0xb3, uint(40_000 - n)), place(99))),
        ),
      ),
    AUDIO,
  ),
  file(
    'count',
    'cues-of-many-tracks',
    'a place in 200,000 tracks',
    () => sound(element(ID.Cues, element(0xbb, element(0xb3, uint(1)), repeated(place(1), 180_000)))),
    AUDIO,
  ),
  file(
    'recursion',
    'seek-heads-in-a-circle',
    'tables of contents that lead to themselves',
    () => {
      const circle = element(ID.SeekHead, repeated(seek('114d9b74', 0), 50));
      return matroska(circle, circle, info(), SOUND, CLUSTER, circle);
    },
    AUDIO,
  ),
  file(
    'recursion',
    'seek-heads-to-all',
    'a table of contents that names each place 40,000 times',
    () =>
      matroska(
        element(
          ID.SeekHead,
          repeated(join(...['1549a966', '1654ae6b', '1254c367', '1941a469'].map((id) => seek(id, 9))), 10_000),
        ),
        info(),
        SOUND,
        CLUSTER,
      ),
    AUDIO,
  ),
  file(
    'count',
    'tracks',
    '8,000 tracks',
    () => matroska(info(), tracks(many(8000, (n) => soundTrack(n + 1))), CLUSTER),
    AUDIO,
  ),
  file(
    'count',
    'attachments',
    '12,000 attached files',
    () =>
      sound(
        element(
          ID.Attachments,
          many(12_000, (n) => attachment('a', 'x/y', 'z', n + 1)),
        ),
      ),
    AUDIO,
  ),
  file('count', 'tags', '100,000 tags', () => sound(tags(repeated(simpleTag(), 100_000))), AUDIO),
  file('depth', 'tags-in-tags', '20,000 tags in each other', () => sound(tags(nestedElements(0x67c8, 20_000))), AUDIO),
  file(
    'depth',
    'segments-in-segments',
    '50,000 segments in each other',
    () => join(documentHead(), nestedElements(ID.Segment, 50_000)),
    REFUSED,
  ),
  file(
    'depth',
    'endless-in-endless',
    '30,000 clusters of unknown size in each other',
    () => endless(info(), SOUND, repeated(lyingElement(ID.Cluster, UNKNOWN_SIZE), 30_000)),
    AUDIO,
  ),
  file('count', 'clusters', '200,000 empty clusters', () => sound('', repeated(element(ID.Cluster), 200_000)), AUDIO),
  file(
    'count',
    'blocks',
    '250,000 blocks of one frame',
    () => matroska(info(), SOUND, cluster(0, repeated(block(1, 0, 'ab'), 250_000))),
    AUDIO,
  ),
  file(
    'count',
    'frames-in-lacing',
    '6,000 blocks of 256 frames of nothing',
    () => matroska(info(), SOUND, cluster(0, repeated(block(1, 0, join(u8(255), Buffer.alloc(255)), 0x82), 6000))),
    AUDIO,
  ),
  file(
    'count',
    'frames-of-one-size',
    '200,000 blocks of 256 frames in one size',
    () => matroska(info(), SOUND, cluster(0, repeated(block(1, 0, join(u8(255), Buffer.alloc(256)), 0x84), 7000))),
    AUDIO,
  ),
  file(
    'lie',
    'lacing-that-overflows',
    'sizes in a lacing that are larger than the block',
    () =>
      matroska(
        info(),
        SOUND,
        cluster(
          0,
          block(1, 0, join(u8(255), repeated(vint(2n ** 56n - 2n, 8), 255)), 0x86),
          block(1, 0, join(u8(255), repeated(u8(255), 9000)), 0x82),
        ),
      ),
    AUDIO,
  ),
  file(
    'lie',
    'lacing-of-negative-sizes',
    'differences in a lacing that lead below 0',
    () => matroska(info(), SOUND, cluster(0, block(1, 0, join(u8(3, 0x81, 0x80, 0x80), Buffer.alloc(90)), 0x86))),
    AUDIO,
  ),
  file(
    'lie',
    'block-of-a-petabyte',
    'a block that says that it is a petabyte',
    () =>
      endless(
        info(),
        SOUND,
        lyingElement(
          ID.Cluster,
          UNKNOWN_SIZE,
          element(ID.Timestamp, uint(0)),
          lyingElement(ID.SimpleBlock, vint(2n ** 50n, 8), u8(0x81, 0, 0, 0x80)),
        ),
      ),
    AUDIO,
  ),
  file(
    'lie',
    'text-of-a-gigabyte',
    'a title of a gigabyte that is not there',
    () => matroska(element(ID.Info, lyingElement(0x7ba9, vint(2 ** 30, 8), 'a')), SOUND, CLUSTER),
    AUDIO,
  ),
  file(
    'lie',
    'number-of-nine-bytes',
    'numbers longer than numbers can be',
    () =>
      matroska(
        element(ID.Info, element(0x2ad7b1, Buffer.alloc(9, 255))),
        tracks(soundTrack(1, element(0x23e383, Buffer.alloc(200, 255)))),
        CLUSTER,
      ),
    AUDIO,
  ),
  file(
    'lie',
    'identifiers-of-zeros',
    'a mebibyte of zeros where elements are to be',
    () => join(documentHead(), Buffer.alloc(2 ** 20)),
    REFUSED,
  ),
  file(
    'lie',
    'void-of-2-56',
    'a void without end',
    () => endless(info(), lyingElement(ID.Void, vint(2n ** 56n - 2n, 8)), SOUND, CLUSTER),
    AUDIO,
  ),
  file('time', 'scale-of-0', 'a unit of time of no time', () => matroska(info(0, Number.NaN), SOUND, CLUSTER), AUDIO),
  file(
    'time',
    'scale-of-2-63',
    'a unit of time of three centuries',
    () =>
      matroska(
        element(ID.Info, element(0x2ad7b1, uint(2n ** 63n - 1n)), element(ID.Duration, float(1e300))),
        SOUND,
        cluster(2 ** 40, block(1, 32_767, 'ab')),
        cluster(0, block(1, 32_768, 'ab')),
      ),
    AUDIO,
  ),
  file(
    'time',
    'time-that-jumps',
    '10,000 clusters whose time goes back and forth by years',
    () =>
      matroska(
        info(),
        SOUND,
        many(10_000, (n) => cluster(n % 2 === 0 ? 0 : 2 ** 40, block(1, 0, 'ab'))),
      ),
    AUDIO,
  ),
  file(
    'size',
    'side-of-2-31',
    'pictures of 2^31 pixels on a side',
    () => matroska(info(), tracks(pictureTrack(1, 'V_VP9', 2 ** 31 - 1, 2 ** 31 - 1)), CLUSTER),
    REFUSED,
  ),
  file('size', 'raw-of-16000', 'raw pictures of 16,000 pixels on a side', () =>
    matroska(info(), tracks(RAW, pictureTrack(2, 'V_UNCOMPRESSED', 16_000, 16_000)), cluster(0, block(2, 0, FRAME))),
  ),
  file(
    'size',
    'other-size-in-the-head',
    'a head of 8,192 pixels over VP9 of 64',
    ({ bases: { 'base.webm': base } }) => {
      const copy = Buffer.from(base);
      copy.writeUInt8(0xff, base.indexOf(Buffer.from('b08140', 'hex')) + 2);
      return copy;
    },
    WEBM,
  ),
  file(
    'size',
    'attached-picture',
    'an attached cover of 16,000 pixels on a side',
    () => sound(element(ID.Attachments, attachment('cover.png', 'image/png', blank(16_000)))),
    AUDIO,
  ),
  file('size', 'png-in-matroska', 'frames of PNG of 16,000 pixels on a side', () =>
    matroska(
      info(),
      tracks(
        pictureTrack(
          1,
          'V_MS/VFW/FOURCC',
          64,
          48,
          element(
            0x63a2,
            Buffer.from('28000000400000003000000001001800504e47200000000000000000000000000000000000000000', 'hex'),
          ),
        ),
      ),
      cluster(0, block(1, 0, blank(16_000)), block(1, 40, blank(100))),
    ),
  ),
  file(
    'lie',
    'channels',
    '65,535 channels at 10^30 Hz',
    () =>
      matroska(
        info(),
        tracks(
          oddSound(
            'A_PCM/INT/LIT',
            element(0xe1, element(0xb5, float(1e30)), element(0x9f, uint(65_535)), element(0x6264, uint(64))),
          ),
        ),
        CLUSTER,
      ),
    AUDIO,
  ),
  file(
    'lie',
    'codec-of-a-kibibyte',
    'an unknown codec',
    () => matroska(info(), tracks(pictureTrack(1, 'V_'.padEnd(1024, 'X'), 64, 48)), CLUSTER),
    REFUSED,
  ),
  file('reach', 'linked-to-a-file', 'the next and the one before are files', (material) =>
    linked(material.canary_file, '0123456789abcdef')(material),
  ),
  file('reach', 'linked-to-a-server', 'the next and the one before are at a server', (material) =>
    linked(material.canary_url, '0123456789abcdef')(material),
  ),
  file(
    'reach',
    'chapters-of-other-files',
    'ordered chapters out of other files',
    ({ canary_file, canary_url }) =>
      sound(
        chapters(
          element(0x45dd, uint(1)),
          chapter(
            1,
            element(0x6e67, '0123456789abcdef'),
            element(
              0x6944,
              element(0x6955, uint(0)),
              element(0x6911, element(0x6922, uint(0)), element(0x6933, `${canary_url}command ${canary_file}`)),
            ),
          ),
        ),
      ),
    AUDIO,
  ),
  file(
    'reach',
    'attached-font-and-subtitles',
    'subtitles that name a file, and a font',
    ({ canary_file, canary_url }) =>
      matroska(
        info(),
        tracks(
          soundTrack(1),
          element(
            ID.TrackEntry,
            element(0xd7, uint(2)),
            element(0x83, uint(17)),
            element(0x86, 'S_TEXT/ASS'),
            element(
              0x63a2,
              `[Script Info]\nAudio File: ${canary_file}\nVideo File: ${canary_url}v\n[V4+ Styles]\nStyle: x,${canary_file},20\n`,
            ),
          ),
        ),
        element(
          ID.Attachments,
          attachment(canary_file, 'application/x-truetype-font', 'x'),
          attachment(`../..${canary_file}`, 'text/plain', canary_url, 2),
        ),
        cluster(0, block(1, 0, 'ab'), block(2, 0, `0,0,x,,0,0,0,,{\\fn${canary_file}}a`)),
      ),
    AUDIO,
  ),
  file(
    'reach',
    'codec-to-fetch',
    'where a decoder is to be had',
    ({ canary_url }) =>
      matroska(
        info(),
        tracks(
          pictureTrack(
            1,
            'V_X',
            4,
            4,
            element(0x3b4040, `${canary_url}codec`),
            element(0x26b240, `${canary_url}download`),
          ),
        ),
        CLUSTER,
      ),
    REFUSED,
  ),
  file(
    'reach',
    'tags-of-urls',
    'tags that hold URLs',
    ({ canary_file, canary_url }) =>
      sound(
        tags(
          element(0x67c8, element(0x45a3, 'URL'), element(0x4487, `${canary_url}tag`)),
          element(0x67c8, element(0x45a3, 'FILENAME'), element(0x4487, canary_file)),
        ),
      ),
    AUDIO,
  ),
  file('truncated', 'half', 'the first half', ({ bases: { 'base.mkv': base } }) => base.subarray(0, base.length / 2)),
  file(
    'truncated',
    'half-webm',
    'the first half',
    ({ bases: { 'base.webm': base } }) => base.subarray(0, base.length / 2),
    WEBM,
  ),
  file('truncated', 'head-only', 'a head of EBML', () => documentHead(), REFUSED),
  file(
    'lie',
    'vp9-of-noise',
    'VP9 of noise',
    ({ bases: { 'base.webm': base } }) =>
      join(base.subarray(0, -9000), Buffer.from(times(9000, (n) => (n * n * 17 + n) & 255))),
    WEBM,
  ),
  file(
    'lie',
    'opus-head',
    'Opus of 255 channels',
    () =>
      matroska(
        info(),
        tracks(
          oddSound(
            'A_OPUS',
            element(
              0x63a2,
              'OpusHead',
              u8(1, 255),
              u16(0),
              latin('\x80\xbb\0\0\0\0\xff\xff\xff'),
              Buffer.alloc(255, 254),
            ),
            element(0xe1, element(0x9f, uint(255))),
          ),
        ),
        CLUSTER,
      ),
    AUDIO,
  ),
];
