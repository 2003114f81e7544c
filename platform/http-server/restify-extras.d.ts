import type { Request, Response } from 'restify';

/** What restify 12 has and its types (of 8.5) do not know. */
declare module 'restify' {
  interface Server {
    /** Runs before anything else, synchronously; false ends the request there. */
    first(...handlers: ReadonlyArray<(request: Request, response: Response) => boolean>): Server;
  }
}
