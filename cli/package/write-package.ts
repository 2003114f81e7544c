import { chmod, copyFile, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { execa } from 'execa';
import { build } from 'vite';
import { SERVICE_VERSION } from '../../platform/process/version.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** These are only for direct access to the servers, and for drawing on this machine. */
const SERVER_LIBRARIES = [
  ...['@azure/', '@duckdb/', '@kafkajs/', '@napi-rs/', '@expo-google-fonts/', 'kafkajs', 'mongodb', 'restify', 'pino'],
  ...['sharp', 'prom-client', 'openid-client', 'undici', 'selfsigned', 'hyphen', 'execa'],
];

const THIRD_PARTY = 'third-party-licences.md';

const isExternal = (name: string): boolean =>
  name.startsWith('node:') || builtinModules.includes(name) || SERVER_LIBRARIES.some((one) => name.startsWith(one));

/**
 * Writes renderctl as a package without dependencies, for machines that reach only the public URL of a service. It
 * needs only Node.
 *
 * @param folder is emptied first
 */
export const writePackage = async (folder: string): Promise<{ readonly file: string; readonly size_bytes: number }> => {
  await rm(folder, { recursive: true, force: true });
  const dist = join(folder, 'dist');
  await build({
    ...{ root: ROOT, configFile: false, publicDir: false, logLevel: 'silent' },
    ssr: { noExternal: true },
    build: {
      ...{ ssr: join(ROOT, 'cli', 'main.ts'), outDir: dist, target: 'node24', minify: false },
      // Licences ask for their text in each copy of the code.
      license: { fileName: THIRD_PARTY },
      rolldownOptions: {
        external: isExternal,
        output: { banner: (chunk) => (chunk.isEntry ? '#!/usr/bin/env node' : '') },
      },
    },
  });
  await mkdir(folder, { recursive: true });
  await copyFile(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  await chmod(join(dist, 'main.js'), 0o755);
  const manifest = {
    ...{ name: 'renderctl', version: SERVICE_VERSION, private: true, license: 'Apache-2.0', type: 'module' },
    ...{ bin: { renderctl: 'dist/main.js' }, files: ['dist'], engines: { node: '>=24' } },
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await execa('npm', ['pack', '--silent'], { cwd: folder });
  const file = join(folder, `renderctl-${SERVICE_VERSION}.tgz`);
  return { file, size_bytes: (await stat(file)).size };
};
