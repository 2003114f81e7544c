// Attacks from public lists of request smuggling, as bytes. If a gateway could take bytes of a case for a separate
// request, that request is for `smuggled`.

/** A request without its last header: a gateway would take the following bytes on the connection for its value. */
const UNFINISHED = 'GET /v1/teams/smuggled HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer smuggled\r\nX-Rest: ';
const WHOLE = 'GET /v1/teams/smuggled HTTP/1.1\r\nHost: a\r\n\r\n';

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const chunked = (text: string): string => `${chunk(text)}0\r\n\r\n`;

const JSON_TYPE = 'Content-Type: application/json';

const request = (start: string, lines: readonly string[], body = ''): string =>
  `${[start, 'Host: a', 'Authorization: Bearer attacker', ...lines].join('\r\n')}\r\n\r\n${body}`;

const get = (...lines: readonly string[]) => request('GET /v1/teams/attacker HTTP/1.1', lines);
const post = (lines: readonly string[], body = '', version = '1.1') =>
  request(`POST /v1/renders HTTP/${version}`, [JSON_TYPE, ...lines], body);
const length = (text: string): string => `Content-Length: ${text.length}`;

const CHUNKED = 'Transfer-Encoding: chunked';
const SMALL = '{"a":1}';

/**
 * The sent bytes and the statuses of the answers in order; `ends` means that the gateway closes the connection after
 * them.
 */
export type Case = {
  readonly name: string;
  readonly bytes: string;
  readonly statuses: readonly number[];
  readonly ends: boolean;
  /** The number of requests that can reach the API and whose answers are discarded. */
  readonly unanswered?: number;
};

const refused = (name: string, bytes: string, status = 400): Case => ({ name, bytes, statuses: [status], ends: true });
const served = (name: string, bytes: string, ...statuses: readonly number[]): Case => ({
  name,
  bytes,
  statuses,
  ends: false,
});

/** Transfer codings that a server may not recognise. */
const CODINGS: readonly string[] = [
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: x',
  'Transfer-Encoding: x\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: ,chunked',
  'Transfer-Encoding: chunked,',
  'Transfer-Encoding: "chunked"',
  "Transfer-Encoding: 'chunked'",
  'Transfer-Encoding: chunked;q=1',
  'Transfer-Encoding: chunked x',
  'Transfer-Encoding:\x0bchunked',
  'Transfer-Encoding:\x0cchunked',
  'Transfer-Encoding:\r\n chunked',
  'Transfer-Encoding: \x00chunked',
  'Transfer-Encoding\x00: chunked',
  'Transfer-Encoding\x0b: chunked',
  ' Transfer-Encoding: chunked',
  'X: x\nTransfer-Encoding: chunked',
  'X: x\rTransfer-Encoding: chunked',
  'Transfer-Encoding',
  'Transfer-Encoding:',
  'Transfer-Encoding: \xe7hunked',
  '\xff\xfeTransfer-Encoding: chunked',
];

/** Lengths that a server may read as another one. */
const LENGTHS: readonly string[] = [
  '+7',
  '-7',
  '7x',
  '0x7',
  '7 7',
  '7, 7',
  '7;7',
  '',
  '7.0',
  '7e0',
  '1_0',
  '18446744073709551623',
  '\x0b7',
];

const CHUNKS: readonly (readonly [name: string, body: string])[] = [
  ['a size with 0x', `0x7\r\n${SMALL}\r\n0\r\n\r\n${WHOLE}`],
  ['a negative size', `-7\r\n${SMALL}\r\n0\r\n\r\n${WHOLE}`],
  ['a size with a plus', `+7\r\n${SMALL}\r\n0\r\n\r\n${WHOLE}`],
  ['a size with a space', `7 \r\n${SMALL}\r\n0\r\n\r\n${WHOLE}`],
  ['a size of more than 64 bits', `10000000000000007\r\n${SMALL}\r\n0\r\n\r\n${WHOLE}`],
  ['an empty size', `\r\n${SMALL}\r\n0\r\n\r\n${WHOLE}`],
  ['no line break behind a chunk', `7\r\n${SMALL}XX0\r\n\r\n${WHOLE}`],
  ['a bare line feed behind a size', `7\n${SMALL}\r\n0\r\n\r\n${WHOLE}`],
  ['a bare line feed behind a chunk', `7\r\n${SMALL}\n0\r\n\r\n${WHOLE}`],
  ['a bare carriage return behind a size', `7\r${SMALL}\r\n0\r\n\r\n${WHOLE}`],
  ['a bare line feed behind the last chunk', `7\r\n${SMALL}\r\n0\n\n${WHOLE}`],
  ['a bare line feed in an extension', `7;a\n\r\n${SMALL}\r\n0\r\n\r\n${WHOLE}`],
  ['a bare carriage return in an extension', `7;a\rb\r\n${SMALL}\r\n0\r\n\r\n${WHOLE}`],
  ['a line break in a quoted extension', `7;a="\r\n"\r\n${SMALL}\r\n0\r\n\r\n${WHOLE}`],
  ['a NUL in an extension', `7;a=\x00\r\n${SMALL}\r\n0\r\n\r\n${WHOLE}`],
  ['a trailer that is a length', `7\r\n${SMALL}\r\n0\r\nContent-Length: 80\r\n\r\n${WHOLE}`],
  ['a trailer that is a coding', `7\r\n${SMALL}\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n${WHOLE}`],
  ['a trailer that is folded', `7\r\n${SMALL}\r\n0\r\nX: y\r\n z\r\n\r\n${WHOLE}`],
];

/** For methods without a body: the gateway ignores a body and everything after it. */
const bodies = (method: string, status: number): readonly Case[] => {
  const start = `${method} /v1/teams HTTP/1.1`;
  return [
    refused(`${method}, chunks that hold a request`, request(start, [CHUNKED], chunked(UNFINISHED)), status),
    refused(`${method}, a length that holds a request`, request(start, [length(WHOLE)], WHOLE), status),
    refused(`${method}, a request behind a body`, request(start, [length(SMALL)], SMALL + WHOLE), status),
    refused(
      `${method}, no length at all, and a request behind a length of 0`,
      request(start, ['Content-Length: 00x'], WHOLE),
    ),
  ];
};

/** Any input after the last request of a connection ends the connection at once, before the answer. */
const CUT = { statuses: [], ends: true, unanswered: 1 };

const ahead = get() + get() + get();

export const CASES: readonly Case[] = [
  refused('CL.TE', post(['Content-Length: 6', CHUNKED], `0\r\n\r\n${WHOLE}`)),
  refused('TE.CL', post([CHUNKED, 'Content-Length: 4'], chunked(WHOLE))),
  refused('CL.TE, a length of 0', post(['Content-Length: 0', CHUNKED], chunked(WHOLE))),
  refused('CL.CL, different', post(['Content-Length: 7', 'Content-Length: 0'], SMALL + WHOLE)),
  refused('CL.CL, equal', post(['Content-Length: 7', 'Content-Length: 7'], SMALL + WHOLE)),
  refused('CL.CL, in other letters', post(['content-length: 7', 'CONTENT-LENGTH: 0'], SMALL + WHOLE)),
  ...CODINGS.map((coding) => refused(`TE.TE ${JSON.stringify(coding)}`, post([coding], chunked(UNFINISHED)))),
  ...CODINGS.map((coding) =>
    refused(`TE.CL ${JSON.stringify(coding)}`, post([coding, 'Content-Length: 4'], chunked(UNFINISHED))),
  ),
  ...LENGTHS.map((text) => refused(`CL ${JSON.stringify(text)}`, post([`Content-Length: ${text}`], SMALL + WHOLE))),
  refused('CL behind a space', post(['Content-Length : 7'], SMALL + WHOLE)),
  refused('CL, folded', post(['Content-Length:\r\n 7'], SMALL + WHOLE)),
  ...CHUNKS.map(([name, body]) => refused(name, post([CHUNKED], body))),
  refused('CL.0, GET', request('GET /v1/teams/attacker HTTP/1.1', [length(UNFINISHED)], UNFINISHED)),
  ...bodies('GET', 400),
  ...bodies('OPTIONS', 204),
  ...bodies('DELETE', 405),
  ...bodies('PUT', 405),
  ...bodies('PATCH', 405),
  ...bodies('TRACE', 405),
  ...bodies('PROPFIND', 405),
  ...bodies('HEAD', 400),
  refused('CONNECT', request('CONNECT /v1/teams HTTP/1.1', [length(WHOLE)], WHOLE)),
  refused('CONNECT to an authority', request('CONNECT a:80 HTTP/1.1', [], WHOLE)),
  refused('an unknown method', request('BREW /v1/teams HTTP/1.1', [length(WHOLE)], WHOLE)),
  refused('a method in small letters', request('get /v1/teams HTTP/1.1', [], WHOLE)),
  refused('a folded header', get('X: a', ' b') + WHOLE),
  refused('a folded first header', `GET /v1/teams/attacker HTTP/1.1\r\n Host: a\r\n\r\n${WHOLE}`),
  refused('bare line feeds', `GET /v1/teams/attacker HTTP/1.1\nHost: a\n\n${WHOLE}`),
  refused('a bare line feed in a header', `GET /v1/teams/attacker HTTP/1.1\r\nHost: a\r\nX: a\nY: b\r\n\r\n${WHOLE}`),
  refused('a bare line feed at the end of the head', `GET /v1/teams/attacker HTTP/1.1\r\nHost: a\r\n\n${WHOLE}`),
  refused('a bare carriage return', `GET /v1/teams/attacker HTTP/1.1\r\nHost: a\r\nX: a\rY: b\r\n\r\n${WHOLE}`),
  refused('carriage returns alone', `GET /v1/teams/attacker HTTP/1.1\rHost: a\r\r${WHOLE}`),
  refused('a NUL in a value', get('X: a\x00b') + WHOLE),
  refused('a NUL in a name', get('X\x00: a') + WHOLE),
  refused('a NUL in the target', `GET /v1/teams/\x00 HTTP/1.1\r\nHost: a\r\n\r\n${WHOLE}`),
  refused('a header without a name', get(': a') + WHOLE),
  refused('a header without a colon', get('X') + WHOLE),
  refused('HTTP/0.9', `GET /v1/teams/attacker\r\n${WHOLE}`),
  refused('HTTP/0.9, and an empty line', `GET /v1/teams/attacker\r\n\r\n${WHOLE}`),
  refused('HTTP/2.0', `GET /v1/teams/attacker HTTP/2.0\r\nHost: a\r\n\r\n${WHOLE}`),
  refused('HTTP/1.2', `GET /v1/teams/attacker HTTP/1.2\r\nHost: a\r\n\r\n${WHOLE}`),
  refused('HTTP/1.10', `GET /v1/teams/attacker HTTP/1.10\r\nHost: a\r\n\r\n${WHOLE}`),
  refused('http in small letters', `GET /v1/teams/attacker http/1.1\r\nHost: a\r\n\r\n${WHOLE}`),
  refused('the preface of HTTP/2', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${WHOLE}`),
  refused('HTTP/1.0, chunks', post([CHUNKED, 'Connection: keep-alive'], chunked(WHOLE) + WHOLE, '1.0')),
  { ...served('HTTP/1.0', request('GET /v1/teams/attacker HTTP/1.0', []), 200), ends: true },
  {
    ...served('requests behind one of HTTP/1.0', request('GET /v1/teams/attacker HTTP/1.0', []) + WHOLE, 200),
    ends: true,
  },
  served(
    'an upgrade to h2c',
    get('Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'),
    200,
  ),
  served('an upgrade to a socket', get('Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'), 200),
  served('an upgrade of a POST', post(['Connection: Upgrade', 'Upgrade: websocket', length(SMALL)], SMALL), 200),
  refused('an upgrade of a GET with a body', get('Connection: Upgrade', 'Upgrade: h2c', length(WHOLE)) + WHOLE),
  refused('two hosts', get('Host: b') + WHOLE),
  refused(
    'an expectation that cannot be met',
    post(['Expect: wonders', 'Connection: close', length(SMALL)], SMALL + WHOLE),
    417,
  ),
  served('an expectation that is met', post(['Expect: 100-continue', length(SMALL)], SMALL), 100, 200),
  {
    name: 'an expectation of a GET with a body',
    bytes: get('Expect: 100-continue', length(WHOLE)) + WHOLE,
    statuses: [100, 400],
    ends: true,
  },
  served('Connection names the length', post(['Connection: Content-Length', length(WHOLE)], WHOLE), 200),
  served('Connection names the coding', post(['Connection: Transfer-Encoding', CHUNKED], chunked(WHOLE)), 200),
  served('Connection names the key', get('Connection: Authorization'), 200),
  served('a name that looks like the coding', post(['Transfer_Encoding: chunked', length(WHOLE)], WHOLE), 200),
  served('a length with a zero before', post(['Content-Length: 07'], SMALL), 200),
  served('chunks in capitals', post(['TRANSFER-ENCODING: CHUNKED'], chunked(WHOLE)), 200),
  served('a chunk with an extension', post([CHUNKED], `7;a=b;c="d"\r\n${SMALL}\r\n0;e\r\n\r\n`), 200),
  served('a size with zeros before', post([CHUNKED], `0000000007\r\n${SMALL}\r\n0\r\n\r\n`), 200),
  served('a request for a body', post([length(WHOLE)], WHOLE), 200),
  served('another method by a header', post(['X-HTTP-Method-Override: GET', length(WHOLE)], WHOLE), 200),
  served('an absolute address', request('GET http://b/v1/teams/attacker HTTP/1.1', []), 200),
  served('an absolute address that is not normal', request('GET http://b/../v1/teams/smuggled HTTP/1.1', []), 400),
  served('an absolute address of another scheme', request('GET ftp://b/v1/teams/smuggled HTTP/1.1', []), 400),
  served('a line feed in the address', request('GET /v1/teams/a%0d%0aX:%20b HTTP/1.1', []), 200),
  served('requests ahead', ahead, 200, 200, 200),
  served('requests ahead, a POST among them', get() + post([length(SMALL)], SMALL) + get(), 200, 200, 200),
  {
    name: 'requests ahead, one of them wrong',
    bytes: get() + post(['Content-Length: 7', CHUNKED], chunked(WHOLE)) + WHOLE,
    ...CUT,
  },
  { ...served('requests behind the last one', get('Connection: close') + WHOLE, 200), ends: true },
  served('a body that is too large', post(['Content-Length: 300000'], 'x'.repeat(300_000)), 413),
];
