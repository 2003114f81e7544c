import test from 'ava';
import { openBlobStore } from '../../../platform/blob-store/azure-blob-store.ts';

const KEY = Buffer.from('no key of anybody').toString('base64');
const EMULATOR = `DefaultEndpointsProtocol=http;AccountName=dev;AccountKey=${KEY};BlobEndpoint=http://127.0.0.1:10000/dev;`;
const ACCOUNT = `DefaultEndpointsProtocol=https;AccountName=films;AccountKey=${KEY};EndpointSuffix=core.windows.net`;

const signedText = async (connection_string: string, file_name: string, public_url?: string): Promise<string> => {
  const settings = { connection_string, container: 'renders', public_url, signed_url_lifetime_s: 3600 };
  return await openBlobStore(settings).signedUrl('renders/a!.mp4', { file_name, content_type: 'video/mp4' });
};

const signed = async (connection_string: string, public_url?: string): Promise<URL> =>
  new URL(await signedText(connection_string, 'a.mp4', public_url));

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

test('a signed URL can be quoted in a shell', async (t) => {
  for (const file_name of ['a.mp4', `Ann's "best" $(film) \`of\` !2026*.mp4`, 'été ’24.mp4']) {
    const url = await signedText(EMULATOR, file_name);
    t.notRegex(url, /['"`$!\\()*\s]/, file_name);
    t.regex(new URL(url).searchParams.get('rscd') ?? '', /filename\*=UTF-8''/);
  }
});
