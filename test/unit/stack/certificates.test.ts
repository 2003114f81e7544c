import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { execa } from 'execa';
import { createAuthority, issueCertificate } from '../../../stack/tls/certificate.ts';
import { loadOrCreateCertificates } from '../../../stack/tls/kept-certificates.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

const folder = (t: ExecutionContext): string => {
  const made = mkdtempSync(join(tmpdir(), 'certificates '));
  t.teardown(() => rmSync(made, { recursive: true }));
  return made;
};

const text = (path: string): string => readFileSync(path, 'utf8');

const answerOf = (url: string, ca: string): Promise<string> =>
  new Promise((resolve) => {
    get(url, { ca }, (answer) => resolve(String(answer.resume().statusCode))).on('error', (error) =>
      resolve('code' in error ? String(error.code) : error.message),
    );
  });

const serving = async (t: ExecutionContext, pems: { readonly cert: string; readonly key: string }): Promise<number> => {
  const server = createServer(pems, (_, answer) => answer.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
};

test('a local server verifies under each of its names, only with the authority', async (t) => {
  const { ca_file, cert_file, key_file } = await loadOrCreateCertificates(folder(t));
  const port = await serving(t, { cert: text(cert_file), key: text(key_file) });
  for (const host of ['localhost', '127.0.0.1']) t.is(await answerOf(`https://${host}:${port}/`, text(ca_file)), '200');
  t.is(new X509Certificate(text(cert_file)).checkIP('::1'), '::1');
  const another = await createAuthority();
  t.not(await answerOf(`https://localhost:${port}/`, another.cert), '200');

  const issued = await issueCertificate(another, ['hooks.example']);
  const elsewhere = await serving(t, issued);
  t.is(await answerOf(`https://localhost:${elsewhere}/`, another.cert), 'ERR_TLS_CERT_ALTNAME_INVALID');
});

test('openssl accepts the chain and refuses an expired one', async (t) => {
  const place = folder(t);
  const authority = await createAuthority();
  const ended = { from: Date.now() - 2 * DAY_MS, to: Date.now() - DAY_MS };
  for (const [name, pem] of [
    ['ca.pem', authority.cert],
    ['good.pem', (await issueCertificate(authority, ['localhost', '::1'])).cert],
    ['ended.pem', (await issueCertificate(authority, ['localhost'], ended)).cert],
  ] as const)
    writeFileSync(join(place, name), pem);
  const verify = (name: string) =>
    execa('openssl', ['verify', '-purpose', 'sslserver', '-CAfile', 'ca.pem', name], { cwd: place, reject: false });
  t.is((await verify('good.pem')).exitCode, 0);
  t.regex((await verify('ended.pem')).stderr, /certificate has expired/);
});

test('certificates are created once, and only their owner can read the keys', async (t) => {
  const data = join(folder(t), 'data');
  const made = await loadOrCreateCertificates(data);
  const before = readdirSync(join(data, 'tls')).map((name) => [name, text(join(data, 'tls', name))]);
  t.deepEqual(
    before.map(([name]) => name),
    ['ca.key', 'ca.pem', 'localhost.key', 'localhost.pem'],
  );
  t.deepEqual(await loadOrCreateCertificates(data), made);
  t.deepEqual(
    readdirSync(join(data, 'tls')).map((name) => [name, text(join(data, 'tls', name))]),
    before,
  );
  for (const name of ['ca.key', 'localhost.key']) t.is(statSync(join(data, 'tls', name)).mode & 0o777, 0o600);
});

test('an expiring certificate is renewed by its authority, and an expiring authority replaced', async (t) => {
  const data = folder(t);
  const { ca_file, cert_file } = await loadOrCreateCertificates(data);
  const [ca, cert] = [text(ca_file), text(cert_file)];
  await loadOrCreateCertificates(data, Date.now() + 360 * DAY_MS);
  t.is(text(cert_file), cert);
  await loadOrCreateCertificates(data, Date.now() + 370 * DAY_MS);
  t.is(text(ca_file), ca);
  t.not(text(cert_file), cert);
  await loadOrCreateCertificates(data, Date.now() + 3_630 * DAY_MS);
  t.not(text(ca_file), ca);
  t.true(new X509Certificate(text(cert_file)).verify(new X509Certificate(text(ca_file)).publicKey));
});

test('an interrupted creation of certificates is completed', async (t) => {
  const data = folder(t);
  const { ca_file, cert_file, key_file } = await loadOrCreateCertificates(data);
  const ca = text(ca_file);
  const other = await issueCertificate(await createAuthority(), ['localhost']);
  for (const damage of [
    () => writeFileSync(key_file, other.key),
    () => writeFileSync(cert_file, 'nothing'),
    () => rmSync(key_file),
    () => {
      writeFileSync(key_file, other.key);
      writeFileSync(cert_file, other.cert);
    },
  ]) {
    chmodSync(key_file, 0o600);
    damage();
    await loadOrCreateCertificates(data);
    const port = await serving(t, { cert: text(cert_file), key: text(key_file) });
    t.is(await answerOf(`https://localhost:${port}/`, ca), '200');
  }
});
