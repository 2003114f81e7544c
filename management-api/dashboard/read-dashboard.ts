import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { type StaticResponse, staticResponse } from '../../platform/http-server/fixed-answer.ts';

export type Dashboard = {
  /** The HTML page. {@link NONCE_PLACEHOLDER} marks the places for the nonce of its styles. */
  readonly page: string;
  readonly assets: ReadonlyMap<string, StaticResponse>;
  /** Origin of signed URLs of stills and videos, such as `https://media.example.com`. */
  readonly media_origin: string;
};

export const NONCE_PLACEHOLDER = '__CSP_NONCE__';

const BUILT = new URL('../../dashboard/dist/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** File names contain a content hash, so a cached file never changes. */
const CACHED = { 'Cache-Control': 'public, max-age=31536000, immutable' };

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

export const readDashboard = (media_origin: string, built: URL = BUILT): Dashboard | null => {
  const assets = new URL('assets/', built);
  const asset = (name: string): readonly [string, StaticResponse] => [
    name,
    staticResponse(readFileSync(new URL(name, assets)), TYPES[extname(name)] ?? 'application/octet-stream', CACHED),
  ];
  try {
    const page = readFileSync(new URL('index.html', built), 'utf8');
    return { page, assets: new Map(readdirSync(assets).map(asset)), media_origin };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
};
