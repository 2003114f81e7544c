export type LengthField = { readonly at: number; readonly bytes: 1 | 2 | 4; readonly little: boolean };

const MAX_FIELDS = 5000;

/** Boxes that contain boxes, with the number of bytes before those. */
const CONTAINERS: Readonly<Record<string, number>> = {
  ...{
    moov: 0,
    trak: 0,
    mdia: 0,
    minf: 0,
    stbl: 0,
    dinf: 0,
    edts: 0,
    udta: 0,
    moof: 0,
    traf: 0,
    mvex: 0,
    iprp: 0,
    ipco: 0,
  },
  ...{ meta: 4, stsd: 8, dref: 8, iinf: 6, iref: 4 },
};
/** Boxes with a count after version and flags; stsz has a size before it. */
const COUNTED = ['stts', 'stsc', 'stco', 'co64', 'ctts', 'stss', 'elst', 'trun', 'stsd', 'dref'];

const big = (at: number, bytes: 1 | 2 | 4): LengthField => ({ at, bytes, little: false });
const little = (at: number, bytes: 1 | 2 | 4): LengthField => ({ at, bytes, little: true });

const boxes = (bytes: Buffer, from: number, until: number, found: LengthField[]): void => {
  for (let at = from; at + 8 <= until && found.length < MAX_FIELDS; ) {
    const size = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    found.push(big(at, 4));
    if (COUNTED.includes(type) && at + 16 <= until) found.push(big(at + 12, 4));
    if (type === 'stsz' && at + 20 <= until) found.push(big(at + 12, 4), big(at + 16, 4));
    const before = CONTAINERS[type];
    if (before !== undefined) boxes(bytes, at + 8 + before, Math.min(until, at + size), found);
    if (size < 8) return;
    at += size;
  }
};

const chunks = (bytes: Buffer, from: number, isLittle: boolean, over: number, found: LengthField[]): void => {
  const lengthAt = isLittle ? 4 : 0;
  for (let at = from; at + 8 <= bytes.length && found.length < MAX_FIELDS; ) {
    found.push({ at: at + lengthAt, bytes: 4, little: isLittle });
    const size = isLittle ? bytes.readUInt32LE(at + 4) : bytes.readUInt32BE(at);
    at += size + over + (isLittle ? size % 2 : 0);
  }
};

const segments = (bytes: Buffer, found: LengthField[]): void => {
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2))
    found.push(big(at + 2, 2));
};

const pages = (bytes: Buffer, found: LengthField[]): void => {
  for (let at = bytes.indexOf('OggS'); at >= 0 && at + 28 < bytes.length; at = bytes.indexOf('OggS', at + 4))
    found.push(little(at + 6, 4), little(at + 14, 4), big(at + 26, 1), big(at + 27, 1));
};

const directory = (bytes: Buffer, found: LengthField[]): void => {
  if (bytes.length < 10) return;
  const isLittle = bytes.toString('latin1', 0, 2) === 'II';
  const field = isLittle ? little : big;
  found.push(field(4, 4));
  const from = isLittle ? bytes.readUInt32LE(4) : bytes.readUInt32BE(4);
  if (from + 2 > bytes.length) return;
  found.push(field(from, 2));
  const count = isLittle ? bytes.readUInt16LE(from) : bytes.readUInt16BE(from);
  for (let entry = from + 2; entry + 12 <= bytes.length && entry < from + 2 + 12 * count; entry += 12)
    found.push(field(entry + 4, 4), field(entry + 8, 4));
};

/** Master elements of Matroska; the content of others is not parsed. */
const MASTERS = new Set([
  '18538067',
  '1549a966',
  '1654ae6b',
  'ae',
  'e0',
  'e1',
  '1f43b675',
  'a0',
  '1c53bb6b',
  'bb',
  'b7',
  '114d9b74',
  '4dbb',
]);

const elements = (bytes: Buffer, from: number, until: number, found: LengthField[]): void => {
  for (let at = from; at + 2 <= until && found.length < MAX_FIELDS; ) {
    const id_bytes = Math.clz32((bytes[at] ?? 0) << 24) + 1;
    const size_at = at + id_bytes;
    const size_bytes = Math.clz32((bytes[size_at] ?? 0) << 24) + 1;
    if (id_bytes > 4 || size_bytes > 8 || size_at + size_bytes > until) return;
    let size = (bytes[size_at] ?? 0) & (0xff >> size_bytes);
    for (let n = 1; n < size_bytes; n += 1) size = size * 256 + (bytes[size_at + n] ?? 0);
    found.push(big(size_at, 1), big(size_at + size_bytes - 1, 1));
    const body = size_at + size_bytes;
    if (MASTERS.has(bytes.toString('hex', at, size_at))) elements(bytes, body, Math.min(until, body + size), found);
    at = body + size;
  }
};

const tables = (bytes: Buffer, found: LengthField[]): void => {
  found.push(big(4, 2));
  for (let at = 12; at + 16 <= bytes.length && at < 12 + 16 * bytes.readUInt16BE(4); at += 16) {
    found.push(big(at + 8, 4), big(at + 12, 4));
    const table = bytes.readUInt32BE(at + 8);
    for (const field of [2, 4, 6]) if (table + field + 2 <= bytes.length) found.push(big(table + field, 2));
  }
};

const blocks = (bytes: Buffer, found: LengthField[]): void => {
  for (const at of [4, 5, 6, 7, 8, 10]) found.push(big(at, 1));
  for (
    let at = bytes.indexOf(0x2c, 13);
    at >= 0 && found.length < MAX_FIELDS && at + 11 < bytes.length;
    at = bytes.indexOf(0x2c, at + 11)
  )
    found.push(little(at + 5, 2), little(at + 7, 2), big(at + 10, 1));
};

export const lengthFields = (bytes: Buffer): readonly LengthField[] => {
  const found: LengthField[] = [];
  if (bytes.length < 12) return found;
  const start = bytes.toString('latin1', 0, 4);
  if (bytes.toString('latin1', 4, 8) === 'ftyp') boxes(bytes, 0, bytes.length, found);
  else if (start === '\x89PNG') chunks(bytes, 8, false, 12, found);
  else if (start === 'RIFF') {
    found.push(little(4, 4));
    chunks(bytes, 12, true, 8, found);
  } else if (start.startsWith('\xff\xd8')) segments(bytes, found);
  else if (start === 'OggS') pages(bytes, found);
  else if (start === 'II*\0' || start === 'MM\0*') directory(bytes, found);
  else if (start === '\x1a\x45\xdf\xa3') elements(bytes, 0, bytes.length, found);
  else if (start === '\0\x01\0\0' || start === 'OTTO') tables(bytes, found);
  else if (start === 'GIF8') blocks(bytes, found);
  else if (start === 'fLaC') for (const at of [4, 5, 6, 7, 42, 43, 44, 45]) found.push(big(at, 1));
  else if (start.startsWith('ID3')) for (const at of [6, 7, 8, 9, 14, 15, 16, 17]) found.push(big(at, 1));
  return found.filter(({ at, bytes: size }) => at + size <= bytes.length);
};
