import { globSync, readFileSync } from 'node:fs';
import test from 'ava';
import { type ApiError, errorBodyOf, STATUS_OF } from '../../../platform/http-server/api-error.ts';
import { ALL_CODES, isErrorCode, PUBLIC_CODES, statusesOf } from '../../../schemas/http/error-codes.ts';
import { MANAGEMENT_OPENAPI } from '../../../schemas/http/management/document.ts';
import { OPENAPI } from '../../../schemas/http/public/document.ts';
import { ROOT } from '../../../stack/servers/tools.ts';

const DOCUMENTS = [
  [OPENAPI, PUBLIC_CODES],
  [MANAGEMENT_OPENAPI, ALL_CODES],
] as const;

const everyObject = (value: unknown): readonly object[] =>
  typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(everyObject)] : [];

test('each code is in the enum and in the text of its documents', (t) => {
  for (const [document, codes] of DOCUMENTS) {
    t.deepEqual(document.components.schemas.ErrorCode?.enum, codes);
    for (const code of codes) t.true(document.info.description.includes(`| \`${code}\` |`), code);
  }
  for (const code of ALL_CODES) t.regex(code, /^[a-z]+(_[a-z]+)*$/);
});

test('each documented status has examples of its own codes', (t) => {
  let seen = 0;
  const check = (status: string, response: unknown) => {
    for (const value of everyObject(response)) {
      if (!('error' in value) || !('code' in value)) continue;
      t.true(isErrorCode(value.code) && statusesOf(value.code).includes(Number(status)), `${status} ${value.code}`);
      seen += 1;
    }
  };
  for (const [document] of DOCUMENTS)
    for (const methods of Object.values(document.paths))
      for (const { responses } of Object.values(methods))
        for (const [status, response] of Object.entries(responses)) check(status, response);
  t.true(seen > 20);
});

test("no answer has a type that a browser runs, except the service's pages", (t) => {
  const pages = new Set<string>();
  for (const [document] of DOCUMENTS)
    for (const [path, methods] of Object.entries(document.paths))
      for (const { responses } of Object.values(methods))
        for (const response of Object.values(responses)) {
          const content = 'content' in response ? response.content : {};
          for (const type of Object.keys(content ?? {})) {
            if (type === 'text/html') pages.add(path);
            else t.regex(type, /^(application\/json|text\/event-stream|image\/(jpeg|webp))$/, path);
          }
        }
  t.true(
    [...pages].every((path) => path.startsWith('/manage/v1/sign-in')),
    [...pages].join(),
  );
});

test('an error without a code has the general code of its status', (t) => {
  for (const [tag, status] of Object.entries(STATUS_OF)) {
    const { code, error } = errorBodyOf({ tag, message: 'no', allow: [], retry_after_s: 1 } as ApiError);
    t.true(statusesOf(code).includes(status), tag);
    t.is(error, 'no');
  }
});

test('an error body has its code, and the part at fault as param', (t) => {
  t.deepEqual(errorBodyOf({ tag: 'not_found', message: 'no' }), { error: 'no', code: 'not_found' });
  t.deepEqual(errorBodyOf({ tag: 'invalid', code: 'invalid_field', param: 'values.logo', message: 'no' }), {
    ...{ error: 'no', code: 'invalid_field', param: 'values.logo' },
  });
  t.deepEqual(errorBodyOf({ tag: 'fresh_sign_in_needed', message: 'no' }), {
    ...{ error: 'no', code: 'fresh_sign_in_needed', sign_in: '/manage/v1/sign-in?fresh=true' },
  });
});

test('only one module writes error bodies, so each has a code of the table', (t) => {
  const folders = [
    'gateway',
    'platform',
    'query-api',
    'command-api',
    'management-api',
    'render-commands',
    'read-models',
  ];
  const files = globSync(
    folders.map((folder) => `${folder}/**/*.ts`),
    { cwd: ROOT },
  );
  t.true(files.length > 300);
  const writers = files.filter((file) =>
    /(?:stringify\(|body:) *\{ *error\b/.test(readFileSync(`${ROOT}/${file}`, 'utf8')),
  );
  t.deepEqual(writers, []);
});
