import type { Request, Response } from 'restify';

/** Members of restify 12 that its types (for 8.5) lack. */
declare module 'restify' {
  interface Server {
    /** Runs before all other handlers, synchronously; false ends the request. */
    first(...handlers: ReadonlyArray<(request: Request, response: Response) => boolean>): Server;
  }
}
