import { Agent, type IncomingMessage } from 'node:http';
import { createProxyServer } from 'http-proxy-3';
import type { Request, Response } from 'restify';
import { sendReply } from '../../platform/http-server/replies.ts';
import { awayReply } from './away.ts';

const CONNECTIONS = 256;
const CONNECT_TIMEOUT_MS = 2_000;
/** Above the longest that an API takes for an answer of its own. */
const ANSWER_TIMEOUT_MS = 35_000;

/** What is between the client and the gateway alone. An upgrade is never made, so none is asked for. */
const endHere = ({ headers }: IncomingMessage): void => {
  const closes = /(^|,)\s*close\s*(,|$)/i.test(headers.connection ?? '');
  headers.connection = closes ? 'close' : 'keep-alive';
  delete headers.upgrade;
};

export type Forwarder = {
  /** Resolves when the answer has gone out, or the client has gone. */
  readonly forward: (request: Request, response: Response) => Promise<void>;
  readonly close: () => void;
};

/** Passes requests on to one API, over connections that are kept open. */
export const openForwarder = (target: string, answer_timeout_ms = ANSWER_TIMEOUT_MS): Forwarder => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'lifo' });
  const proxy = createProxyServer({
    target,
    agent,
    connectTimeout: CONNECT_TIMEOUT_MS,
    proxyTimeout: answer_timeout_ms,
  });
  // An answer that breaks off must not look like one that is still to come.
  proxy.on('proxyRes', (answer, _request, response) => {
    answer.once('close', () => {
      if (!answer.complete) response.destroy();
    });
  });
  return {
    // restify takes a handler of two arguments only when it is marked as asynchronous.
    forward: async (request, response) =>
      new Promise<void>((resolve) => {
        response.once('close', () => resolve());
        endHere(request);
        proxy.web(request, response, {}, (fault) => {
          const code = 'code' in fault && typeof fault.code === 'string' ? fault.code : undefined;
          if (response.headersSent) response.destroy();
          else sendReply(response, awayReply(request.method ?? '', code));
        });
      }),
    close: () => agent.destroy(),
  };
};
