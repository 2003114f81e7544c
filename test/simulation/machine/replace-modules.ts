import { registerHooks } from 'node:module';

/** In modules whose path contains `in`, the module `name` is replaced by `by`. */
const REPLACED = [
  { in: '/platform/identity/mint-ulid.ts', name: 'node:crypto', by: './seeded-crypto.ts' },
  { in: '/platform/seals/sealer.ts', name: 'node:crypto', by: './seeded-crypto.ts' },
  { in: '/platform/seals/', name: './tree-age.ts', by: './tree-age.ts' },
  { in: '/platform/http-server/trace-parent.ts', name: 'node:crypto', by: './seeded-crypto.ts' },
  { in: '/render-commands/credits/account-credits.ts', name: 'node:crypto', by: './seeded-crypto.ts' },
  { in: '/render-commands/credits/lease-renewal.ts', name: 'node:crypto', by: './seeded-crypto.ts' },
  { in: '/render-workers/', name: 'node:fs/promises', by: './disk.ts' },
  { in: '/engine/', name: 'node:fs/promises', by: './disk.ts' },
  { in: '/engine/cache/local-cache.ts', name: 'node:fs', by: './disk.ts' },
  { in: '/platform/blob-store/file-hash.ts', name: 'node:fs', by: './disk.ts' },
  { in: '/engine/cache/', name: 'node:timers/promises', by: './timers.ts' },
  ...[
    ...['./plan/prepare.ts', '../plan/prepare.ts', './raster/raster-process.ts', '../raster/raster-process.ts'],
    ...['./render/encode-run.ts', './encode-run.ts', './render/encode-video.ts', './encode-video.ts'],
    ...['./encode-sound.ts', './finish.ts', '../encode/verify-output.ts'],
  ].map((name) => ({ in: '/engine/', name, by: './engine.ts' })),
  { in: '/render-workers/preparer/prepare.ts', name: '../../engine/check-composition.ts', by: './engine.ts' },
  ...[
    '/platform/',
    '/read-models/',
    '/render-commands/',
    '/command-api/',
    '/projectors/',
    '/retention/',
    '/engine/',
    '/render-workers/',
    '/engine/',
    '/webhook-relay/',
  ].map((one) => ({ in: one, name: 'lru-cache', by: './small-caches.ts' })),
] as const;

/** The replaced modules: randomness, the disk, the age of key trees, and the engine's programs. */
export const replaceModules = (): void => {
  registerHooks({
    resolve: (specifier, context, next) => {
      const parent = context.parentURL ?? '';
      const replaced = REPLACED.find((one) => one.name === specifier && parent.includes(one.in));
      return replaced === undefined
        ? next(specifier, context)
        : { url: new URL(replaced.by, import.meta.url).href, shortCircuit: true, format: 'module-typescript' };
    },
  });
};
