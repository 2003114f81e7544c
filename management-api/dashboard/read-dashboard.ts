import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { type FixedAnswer, fixedAnswer } from '../../platform/http-server/fixed-answer.ts';

/** What was built of `dashboard/`, held in memory. */
export type Dashboard = {
  /** The one page, with {@link NONCE} wherever the nonce of its styles belongs. */
  readonly page: string;
  /** What the page loads, by name. Names hold a hash of what is in them. */
  readonly assets: ReadonlyMap<string, FixedAnswer>;
  /** Where signed URLs of stills and videos lead, as `https://media.example.com`. */
  readonly media_origin: string;
};

export const NONCE = '__CSP_NONCE__';

const BUILT = new URL('../../dashboard/dist/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** For ever: another content has another name. */
const CACHED = { 'Cache-Control': 'public, max-age=31536000, immutable' };

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** @returns null where nothing was built */
export const readDashboard = (media_origin: string, built: URL = BUILT): Dashboard | null => {
  const assets = new URL('assets/', built);
  const asset = (name: string): readonly [string, FixedAnswer] => [
    name,
    fixedAnswer(readFileSync(new URL(name, assets)), TYPES[extname(name)] ?? 'application/octet-stream', CACHED),
  ];
  try {
    const page = readFileSync(new URL('index.html', built), 'utf8');
    return { page, assets: new Map(readdirSync(assets).map(asset)), media_origin };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
};
