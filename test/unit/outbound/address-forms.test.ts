import test from 'ava';
import fc from 'fast-check';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { isDialAllowed } from '../../../platform/outbound/address-ranges.ts';
import { checkUrl } from '../../../platform/outbound/outbound-url.ts';
import { runs } from '../../helpers/runs.ts';

const RULES = { addresses: { blocks: [] }, ports: null };

const BLOCKS: readonly (readonly [number, number])[] = [
  ...([0x00000000, 0x0a000000, 0x7f000000] as const).map((base) => [base, 8] as const),
  [0x64400000, 10],
  [0xa9fe0000, 16],
  [0xac100000, 12],
  [0xc0000000, 24],
  [0xc0000200, 24],
  [0xc0586300, 24],
  [0xc0a80000, 16],
  [0xc6120000, 15],
  [0xc6336400, 24],
  [0xcb007100, 24],
  [0xe0000000, 4],
  [0xf0000000, 4],
];

const refused = fc
  .tuple(fc.constantFrom(...BLOCKS), fc.nat(0xffffffff))
  .map(([[base, prefix], rest]) => base + (rest % 2 ** (32 - prefix)));

const bytesOf = (number: number): readonly number[] =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256);

const dotted = (number: number): string => bytesOf(number).join('.');

const digits = fc.constantFrom(
  (part: number) => String(part),
  (part: number) => `0${part.toString(8)}`,
  (part: number) => `0x${part.toString(16)}`,
  (part: number) => `0X${part.toString(16).toUpperCase()}`,
);

const written = (number: number) =>
  fc.tuple(fc.integer({ min: 1, max: 4 }), fc.array(digits, { minLength: 4, maxLength: 4 })).map(([count, ways]) => {
    const whole = bytesOf(number).slice(0, count - 1);
    const last = number % 2 ** (8 * (5 - count));
    return [...whole, last].map((part, n) => ways[n]?.(part) ?? String(part)).join('.');
  });

const escaped = (text: string): string => text.replaceAll(/[0-9a-f]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
const wide = (text: string): string =>
  text.replaceAll(/[0-9]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)).replaceAll('.', '。');
const disguise = fc.constantFrom(
  (text: string) => text,
  (text: string) => `${text}.`,
  escaped,
  wide,
);

test('no spelling of a private IPv4 address is accepted', (t) => {
  const host = refused.chain((number) => fc.tuple(written(number), disguise)).map(([text, change]) => change(text));
  fc.assert(
    fc.property(host, (text) => isLeft(checkUrl(`https://${text}/`, RULES))),
    { numRuns: runs(5_000) },
  );
  t.pass();
});

test('no IPv6 form of a private IPv4 address is accepted', (t) => {
  const prefixes = ['::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::', '0:0:0:0:0:ffff:', '0000::0FFFF:'];
  fc.assert(
    fc.property(fc.nat(0xffffffff), fc.constantFrom(...prefixes), (number, prefix) =>
      isLeft(checkUrl(`https://[${prefix}${dotted(number)}]/`, RULES)),
    ),
    { numRuns: runs(2_000) },
  );
  t.pass();
});

test('every spelling of a public address is that address', (t) => {
  const address = fc.nat(0xffffffff).filter((number) => isDialAllowed(dotted(number), RULES.addresses));
  fc.assert(
    fc.property(
      address.chain((number) => fc.tuple(fc.constant(dotted(number)), written(number))),
      ([expected, text]) => {
        const url = checkUrl(`https://${text}/`, RULES);
        return isRight(url) && url.right.hostname === expected;
      },
    ),
    { numRuns: runs(2_000) },
  );
  t.pass();
});

test('no address outside 2000::/3 is allowed, however public its form', (t) => {
  const group = fc.nat(0xffff).map((number) => number.toString(16));
  const first = fc.nat(0xffff).filter((number) => number < 0x2000 || number > 0x3fff);
  fc.assert(
    fc.property(
      first,
      fc.array(group, { minLength: 7, maxLength: 7 }),
      (head, rest) => !isDialAllowed([head.toString(16), ...rest].join(':'), RULES.addresses),
    ),
    { numRuns: runs(2_000) },
  );
  t.pass();
});
