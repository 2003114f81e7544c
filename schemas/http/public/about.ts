import { codeTable, PUBLIC_CODES } from '../error-codes.ts';

export const ABOUT = `Turns a project, a template and values into a video.

Create a render with \`POST /v1/renders\`. Follow it with \`GET /v1/renders/{id}\` or by webhook. Once it is \`complete\`, download
the video from the signed URLs in its \`output\`.

## Authentication

Every request needs the header \`Authorization: Bearer <API key>\`. A key has access to the teams that \`GET /v1/teams\` lists, and
to their resources. Other resources get \`404\`, like resources that do not exist.

## Conventions

- Bodies are JSON in UTF-8. IDs are a prefix for their kind and opaque text.
- Times are numbers: milliseconds since the epoch.
- A field that may be null is always present. Later versions of \`/v1\` may add fields to answers, and this document will list them:
  ignore unknown fields.
- Requests may have unknown fields and parameters too. They have no effect, and the answer names them: unknown members of the
  body in the header \`Ignored-Members\`, query parameters in \`Ignored-Parameters\`, and keys of \`values\` that the template lacks
  in \`Ignored-Values\`. Each has the name that you may mean: \`"created_after"\`, or \`"templateid";did-you-mean="template_id"\`.
- \`HEAD\` works wherever \`GET\` does. \`OPTIONS\` lists the methods of a path.
- Signed URLs are valid for a limited time. Read the resource again for fresh URLs, and do not store them.

## Samples

Every operation has a sample for curl, TypeScript (Node 24) and Python, without a library. Samples read \`BASE_URL\`, \`API_KEY\` and
the IDs that they name (\`PROJECT_ID\`, …) from the environment.

## Errors

The body of every error has the same form. Unknown paths (\`404\`) and methods (\`405\`, with \`Allow\`) have it too.

\`\`\`json
{ "error": "values.price: must be a number", "code": "invalid_field", "param": "values.price" }
\`\`\`

\`error\` is a message for people, whose words may change. \`code\` is for programs, and never changes. \`param\` names the part
of the request at fault, the first of several: the path of a member of the body, or a parameter or header. It is absent if no
part is at fault. The status says what to do:

| Status | Meaning | Try again? |
| --- | --- | --- |
| 400 | Something in the request is not valid; the message names it | after a change |
| 401 | The key is missing or not accepted | with another key |
| 402 | Not enough credits | once there are more |
| 404 | The resource does not exist, or the key has no access to it | |
| 405 | The path does not have the method | |
| 408 | The request took too long to arrive | yes |
| 409 | The render has already ended, or cannot be cancelled; the bytes of an upload are missing, URLs are still being fetched, or the file of an asset is lost | after \`Retry-After\`, if the answer has it |
| 413 | The body is too large | after a change |
| 415 | The body is not JSON | after a change |
| 417 | The server cannot meet the header \`Expect\` | after a change |
| 422 | The \`Idempotency-Key\` was used for another request | with a new one |
| 429 | Too many requests with this key, or a limit of its account is reached | after \`Retry-After\` seconds |
| 431 | The headers are too large | after a change |
| 500 | Internal error | |
| 502, 503 | A server is unavailable; the message says whether the outcome is known | after \`Retry-After\` seconds |

Every answer has \`X-Request-Id\`: name it when you report a problem.

The \`code\` says what happened. More codes may follow, so treat an unknown one by its status.

${codeTable(PUBLIC_CODES)}

## Repeating safely

Send an \`Idempotency-Key\` with \`POST /v1/renders\`. If an answer is lost or the outcome is unknown, send the same request again:
this creates only one render and one charge.

## Pages

Long lists come in pages of \`limit\` elements (20, at most 60). Send \`next_cursor\` as \`cursor\` for the next page, with the same
filters, until it is null. A page may have fewer than \`limit\` elements even if another page follows. Cursors are opaque; do not
keep them for long. Short lists are not paged; they have only \`data\`.

## Rate limits

Each key may make a burst of requests, which fills up again steadily. Every answer to a request whose key was accepted has
\`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` (seconds).

Two limits apply to the account, with any of its keys. Only \`POST /v1/renders\` has them, and its \`429\` begins with their names.

- \`waiting renders\`: the number of renders that are neither complete nor failed (20,000 by default). Continue as they end.
- \`failed work\`: the work for failed and cancelled renders in an hour (1,800 CPU seconds and
  20 GiB of fetched media by default). Beyond it the service accepts no new renders until the hour ends, and renders that wait
  for preparation continue to wait. This work is not charged. Read \`failure\` of the renders, and fix the cause first.

A request that repeats an \`Idempotency-Key\` gets its usual answer.
`;
