/** The text at the head of the document, in Markdown. */
export const ABOUT = `Turns a project, a template and values into a video.

Create a render with \`POST /v1/renders\`, follow it with \`GET /v1/renders/{id}\` or by webhook, and once it is
\`complete\` download the video from the signed URLs in its \`output\`.

## Authentication

Every request needs the header \`Authorization: Bearer <API key>\`. A key reaches the teams that \`GET /v1/teams\` lists,
and what belongs to them. What a key does not reach is answered like what does not exist: \`404\`.

## Conventions

- Bodies are JSON in UTF-8. Ids are a prefix for their kind and opaque text.
- Times are numbers: milliseconds since the epoch.
- A field that may be null is always there. Within \`/v1\` fields may be added to answers, and then stand here: ignore
  what you do not know. Requests may hold more as well; keys of \`values\` that the template lacks are ignored, and named in
  the header \`Ignored-Values\` of the answer.
- \`HEAD\` works wherever \`GET\` does; \`OPTIONS\` says what a path allows.
- Signed URLs are good for a limited time. Read the resource again for fresh ones, and do not keep them.

## Samples

Every operation has one for curl, TypeScript (Node 24) and Python, without a library. They read \`BASE_URL\`, \`API_KEY\` and
the ids that they name (\`PROJECT_ID\`, …) from the environment.

## Errors

Whatever goes wrong, the body is \`{"error": "…"}\` with a text for a person, also where the path is not known (\`404\`) or
lacks the method (\`405\`, with \`Allow\`). Tell by the status what to do:

| Status | Meaning | Again? |
| --- | --- | --- |
| 400 | Something in the request is not valid; the text names it | after a change |
| 401 | The key is missing or not accepted | with another key |
| 402 | Not enough credits | once there are more |
| 404 | There is none, or not in reach of the key | |
| 405 | The path has no such method | |
| 408 | The request took too long to arrive | yes |
| 409 | The render has ended otherwise, or cannot be cancelled | |
| 413 | The body is too large | after a change |
| 415 | The body is no JSON | after a change |
| 417 | The header \`Expect\` asks for what cannot be met | after a change |
| 422 | The \`Idempotency-Key\` was used for another request | with a new one |
| 429 | Too many requests with this key, or a limit of its account is reached | after \`Retry-After\` seconds |
| 431 | The headers are too large | after a change |
| 500 | A fault of the service | |
| 502, 503 | Something is away for the moment; the text says whether the outcome is known | after \`Retry-After\` seconds |

Every answer has \`X-Request-Id\`: name it when you ask about one.

## Repeating safely

Send an \`Idempotency-Key\` with \`POST /v1/renders\`, and send the same again when an answer is lost or its outcome unknown:
there will be one render, and one charge.

## Pages

Long lists come in pages of \`limit\` elements (20, at most 60). Send \`next_cursor\` as \`cursor\` for the next page, with
the same filters, until it is null. A page may hold fewer than \`limit\` and be followed by more. Cursors are opaque; do not
keep them for long. Short lists come whole, with \`data\` alone.

## Rate limits

Each key may make a burst of requests, which fills up again steadily. \`RateLimit-Limit\`, \`RateLimit-Remaining\` and
\`RateLimit-Reset\` (seconds) are on every answer to a request whose key was accepted.

Two limits are those of the account, whichever of its keys is used; \`POST /v1/renders\` alone has them, and its \`429\` begins
with their names. \`waiting renders\`: so many renders may be neither complete nor failed at a time (20,000 as it ships); go
on as they end. \`failed work\`: what was done for renders that then failed by a fault of their own, or were cancelled, is added up by
the hour
(1,800 CPU seconds, 20 GiB of fetched media as it ships); beyond that nothing new is taken until the hour ends, and
renders that wait to be prepared go on waiting. None of it is charged. Look at \`failure\` in their transitions, and mend
what makes them fail, before asking again. A request that repeats an \`Idempotency-Key\` is answered as ever.
`;
