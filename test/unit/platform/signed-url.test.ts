import test from 'ava';
import { openBlobStore } from '../../../platform/blob-store/azure-blob-store.ts';

const KEY = Buffer.from('no key of anybody').toString('base64');
const EMULATOR = `DefaultEndpointsProtocol=http;AccountName=dev;AccountKey=${KEY};BlobEndpoint=http://127.0.0.1:10000/dev;`;
const ACCOUNT = `DefaultEndpointsProtocol=https;AccountName=films;AccountKey=${KEY};EndpointSuffix=core.windows.net`;

const signed = async (connection_string: string, public_url?: string): Promise<URL> => {
  const settings = { connection_string, container: 'renders', public_url, signed_url_lifetime_s: 3600 };
  const of = { file_name: 'a.mp4', content_type: 'video/mp4' };
  return new URL(await openBlobStore(settings).signedUrl('renders/a.mp4', of));
};

test('a signed URL works only over https if its client uses https', async (t) => {
  const account = await signed(ACCOUNT);
  t.is(account.origin, 'https://films.blob.core.windows.net');
  t.is(account.searchParams.get('spr'), 'https');
  t.is((await signed(EMULATOR, 'HTTPS://media.example.com/base')).searchParams.get('spr'), 'https');
});

test('a signed URL does not require https if its client uses http', async (t) => {
  t.false((await signed(EMULATOR)).searchParams.has('spr'));
  t.false((await signed(ACCOUNT, 'http://127.0.0.1:10000/films')).searchParams.has('spr'));
});
