import type { Reply } from './replies.ts';

/** For answers with signed URLs, which caches must not store. */
export const privateReply = (reply: Reply): Reply => ({
  ...reply,
  headers: { ...reply.headers, 'Cache-Control': 'private, no-store' },
});
