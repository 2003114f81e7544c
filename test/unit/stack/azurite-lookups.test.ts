import { createRequire } from 'node:module';
import test from 'ava';
import { type Lookups, lookUpByName } from '../../../stack/servers/azurite-lookups.ts';

type Blobs = Lookups & { readonly insert: (blob: object) => unknown };

const ofAzurite = createRequire(createRequire(import.meta.url).resolve('azurite/package.json'));
const Loki: (new (
  filename: string,
) => { readonly addCollection: (name: string, options: object) => Blobs }) & {
  readonly Collection: { readonly prototype: Lookups };
} = ofAzurite('lokijs');
lookUpByName(Loki.Collection.prototype);

const withBlobs = (count: number) => {
  const blobs = new Loki('index').addCollection('blobs', { indices: ['account', 'name'] });
  let looked_at = 0;
  for (let n = 0; n < count; n += 1)
    blobs.insert({
      name: `blob ${n}`,
      get account() {
        looked_at += 1;
        return 'the only one';
      },
    });
  return (query: Readonly<Record<string, unknown>>) => {
    looked_at = 0;
    return { found: blobs.findOne(query), looked_at };
  };
};

test('a blob is found by its name without reading others', (t) => {
  const find = withBlobs(1_000);
  const present = find({ account: 'the only one', name: 'blob 417' });
  t.like(present.found, { name: 'blob 417' });
  t.true(present.looked_at < 5, `looked at ${present.looked_at} blobs`);
  const absent = find({ account: 'the only one', name: 'blob 1000' });
  t.is(absent.found, null);
  t.true(absent.looked_at < 5, `looked at ${absent.looked_at} blobs`);
});

test('a blob is not found by another account or by an invalid name', (t) => {
  const find = withBlobs(10);
  t.is(find({ account: 'another', name: 'blob 1' }).found, null);
  t.like(find({ account: 'the only one' }).found, { account: 'the only one' });
  t.is(find({ account: 'the only one', name: undefined }).found, null);
});
