import { readFileSync } from 'node:fs';

/** The extension `x-codeSamples` of documentation pages and client generators. */
export type CodeSample = { readonly lang: string; readonly label: string; readonly source: string };

type Sources = { readonly sh: string; readonly ts: string; readonly py: string };

const samples = ({ sh, ts, py }: Sources): readonly CodeSample[] => [
  { lang: 'Shell', label: 'curl', source: sh },
  { lang: 'TypeScript', label: 'TypeScript', source: ts },
  { lang: 'Python', label: 'Python', source: py },
];

/** A name in braces in a target, like `{PROJECT_ID}`: the sample reads it from the environment. */
const VARIABLE = /\{([A-Z_]+)\}/g;

type Method = 'GET' | 'POST';

const shellRequest = (method: Method, target: string): string =>
  `curl -sS --fail-with-body ${method === 'GET' ? '' : `-X ${method} `}"$BASE_URL${target.replaceAll(VARIABLE, '$$$1')}" \\
  -H "Authorization: Bearer $API_KEY"
`;

const typeScriptRequest = (method: Method, target: string): string => {
  const names = ['BASE_URL', 'API_KEY', ...Array.from(target.matchAll(VARIABLE), ([, name]) => name)];
  return `const { ${names.join(', ')} } = process.env;

const answer = await fetch(\`\${BASE_URL}${target.replaceAll(VARIABLE, '$${$1}')}\`, {
${method === 'GET' ? '' : `  method: '${method}',\n`}  headers: { Authorization: \`Bearer \${API_KEY}\` },
});
if (!answer.ok) throw new Error(\`\${answer.status}: \${await answer.text()}\`);
console.log(JSON.stringify(await answer.json()));
`;
};

const pythonRequest = (method: Method, target: string): string =>
  `import json
from os import environ as env
from urllib.request import Request, urlopen

request = Request(
    f"{env['BASE_URL']}${target.replaceAll(VARIABLE, "{env['$1']}")}",
${method === 'GET' ? '' : `    method="${method}",\n`}    headers={"Authorization": f"Bearer {env['API_KEY']}"},
)
with urlopen(request) as answer:
    print(json.dumps(json.load(answer)))
`;

const requestSamples = (method: Method, target: string): readonly CodeSample[] =>
  samples({
    sh: shellRequest(method, target),
    ts: typeScriptRequest(method, target),
    py: pythonRequest(method, target),
  });

type SentHeaders = Readonly<Record<string, string>>;

const shellBody = (target: string, body: object, more: SentHeaders): string =>
  `curl -sS --fail-with-body -X POST "$BASE_URL${target.replaceAll(VARIABLE, '$$$1')}" \\
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \\
${Object.entries(more)
  .map(([name, value]) => `  -H '${name}: ${value}' \\\n`)
  .join('')}  -d '${JSON.stringify(body)}'
`;

const typeScriptBody = (target: string, body: object, more: SentHeaders): string => {
  const names = ['BASE_URL', 'API_KEY', ...Array.from(target.matchAll(VARIABLE), ([, name]) => name)];
  const lines = Object.entries(more).map(([name, value]) => `    '${name}': '${value}',\n`);
  return `const { ${names.join(', ')} } = process.env;

const answer = await fetch(\`\${BASE_URL}${target.replaceAll(VARIABLE, '$${$1}')}\`, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${API_KEY}\`,
    'Content-Type': 'application/json',
${lines.join('')}  },
  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),
});
if (!answer.ok) throw new Error(\`\${answer.status}: \${await answer.text()}\`);
console.log(JSON.stringify(await answer.json()));
`;
};

const pythonBody = (target: string, body: object, more: SentHeaders): string =>
  `import json
from os import environ as env
from urllib.request import Request, urlopen

body = ${JSON.stringify(body, null, 4)}
request = Request(
    f"{env['BASE_URL']}${target.replaceAll(VARIABLE, "{env['$1']}")}",
    method="POST",
    headers={
        "Authorization": f"Bearer {env['API_KEY']}",
        "Content-Type": "application/json",
${Object.entries(more)
  .map(([name, value]) => `        "${name}": "${value}",\n`)
  .join('')}    },
    data=json.dumps(body).encode(),
)
with urlopen(request) as answer:
    print(json.dumps(json.load(answer)))
`;

/** @param body without booleans, nulls and apostrophes, so that its JSON is also a literal of Python and of a shell */
export const bodySamples = (target: string, body: object, more: SentHeaders = {}): readonly CodeSample[] =>
  samples({
    sh: shellBody(target, body, more),
    ts: typeScriptBody(target, body, more),
    py: pythonBody(target, body, more),
  });

/** @param target a path with variables in braces: `/v1/projects/{PROJECT_ID}` */
export const getSamples = (target: string): readonly CodeSample[] => requestSamples('GET', target);

export const postSamples = (target: string): readonly CodeSample[] => requestSamples('POST', target);

/**
 * The end of a sample file, which makes it a module for the compiler. It is removed, because readers do not need it.
 */
const MODULE_MARK = '\nexport {};\n';

export const readCodeSamples = (name: string): readonly CodeSample[] => {
  const read = (ending: string): string => readFileSync(new URL(`${name}.${ending}`, import.meta.url), 'utf8');
  return samples({ sh: read('sh'), ts: read('ts').replace(MODULE_MARK, ''), py: read('py') });
};
