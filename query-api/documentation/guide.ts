import { readFileSync } from 'node:fs';
import { OPENAPI } from '../../schemas/http/public/document.ts';

const LANGUAGES = [
  ['sh', 'curl'],
  ['js', 'JavaScript'],
  ['py', 'Python'],
] as const;

type Language = (typeof LANGUAGES)[number][0];

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => MARKUP[sign] ?? '');

const readSample = (name: string): string =>
  readFileSync(new URL(`../../schemas/http/public/samples/${name}`, import.meta.url), 'utf8');

/** A line such as `# --- poll` begins a section of a sample. */
const SECTION = /^(?:#|\/\/) --- (\w+)$/;

/** The parts of a sample by the names of their sections. */
export const sectionsOf = (sample: string): ReadonlyMap<string, string> => {
  const sections = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of sample.split('\n')) {
    const [, name] = SECTION.exec(line) ?? [];
    if (name === undefined) lines.push(line);
    else {
      lines = [];
      sections.set(name, lines);
    }
  }
  return new Map([...sections].map(([name, own]) => [name, own.join('\n').trim()]));
};

type Step = {
  readonly id: string;
  readonly title: string;
  /** HTML. */
  readonly text: string;
  readonly samples: Readonly<Record<Language, string>> | null;
};

const panel = (code: string, language: Language | null): string =>
  `<div class="code"${language === null ? '' : ` data-language="${language}"`}><pre tabindex="0"><code>${escaped(code)}</code></pre></div>`;

const tabs = LANGUAGES.map(
  ([language, label]) => `<button type="button" data-language="${language}" aria-pressed="false">${label}</button>`,
).join('');

const samplesOf = ({ samples }: Step): string =>
  samples === null
    ? ''
    : `<div class="samples"><div class="languages" hidden>${tabs}</div>${LANGUAGES.map(([language]) => panel(samples[language], language)).join('')}</div>`;

const ENVIRONMENT = `export BASE_URL=https://video.example.com
export API_KEY=vr_…
export PROJECT_ID=proj_…
export TEMPLATE_ID=tpl_…`;

const stepsOf = (): readonly Step[] => {
  const programs = { sh: 'first-film.sh', js: 'first-film.js', py: 'first-film.py' };
  const parts = Object.entries(programs).map(([language, file]) => [language, sectionsOf(readSample(file))] as const);
  const section = (name: string): Step['samples'] => {
    const of = (wanted: Language) => parts.find(([language]) => language === wanted)?.[1].get(name) ?? '';
    return { sh: of('sh'), js: of('js'), py: of('py') };
  };
  return [
    {
      ...{ id: 'key', title: '1. Get a key', samples: null },
      text: `<p>Create an API key on the page <i>API keys</i> of a team in the dashboard. The service shows it once. Requests send it as <code>Authorization: Bearer vr_…</code>. Keep it on a server: everybody who has it can spend the credits of the account.</p>${panel(ENVIRONMENT, null)}<p>The samples below read these variables. Put one after the other in a file, and it is a whole program.</p>`,
    },
    {
      ...{ id: 'project', title: '2. Choose a project and a template', samples: section('project') },
      text: '<p>A project has compositions, assets and templates. A template has fields, such as a headline, a colour or a picture. A render gives them values.</p>',
    },
    {
      ...{ id: 'create', title: '3. Create a render', samples: section('create') },
      text: '<p><code>POST /v1/renders</code> answers at once with the new render. If a value is not valid, the answer is <code>400</code>, and <code>param</code> names the value. A picture is an <code>https://</code> URL or an asset of the project. <code>"draft": true</code> makes a small, cheap video for a first look.</p>',
    },
    {
      ...{ id: 'poll', title: '4. Wait for it', samples: section('poll') },
      text: '<p>Read the render until its <code>status</code> is <code>complete</code> or <code>failed</code>. A typical render takes a couple of minutes. While it is <code>processing</code>, <code>progress</code> goes from 0 to 1. If it failed, <code>failure</code> says why, and it costs nothing.</p>',
    },
    {
      ...{ id: 'download', title: '5. Download the film', samples: section('download') },
      text: '<p>A complete render has <code>output</code>: a signed URL for each variant. <code>master</code> is the video in full size.</p>',
    },
    {
      ...{ id: 'webhook', title: '6. Get a webhook instead of polling' },
      samples: {
        sh: readSample('webhook.sh').trim(),
        js: readSample('webhook.js').trim(),
        py: readSample('webhook.py').trim(),
      },
      text: '<p>Add an endpoint on the page <i>Webhooks</i> of the dashboard: a public <code>https://</code> address and the events that it gets. The service sends a <code>POST</code> at each event, with the render as <code>data</code>. Check the signature over the exact bytes of the body before you use them. Deliveries can come twice: <code>X-Webhook-ID</code> is the same then.</p>',
    },
  ];
};

const stepOf = (step: Step): string =>
  `<section id="${step.id}"><h2>${step.title}</h2>${step.text}${samplesOf(step)}</section>`;

const linkTo = (id: string, text: string): string => `<li><a href="#${id}">${escaped(text)}</a></li>`;

/** The id that a heading of the document's description gets on the page. */
export const idOfHeading = (heading: string): string => heading.toLowerCase().replace(/[^a-z]+/g, '-');

const headings = (): readonly string[] =>
  Array.from(OPENAPI.info.description.matchAll(/^## (.+)$/gm), ([, heading]) => heading ?? '');

type Linked = { readonly operationId: string; readonly tags: readonly string[]; readonly summary: string };

const operations = (): readonly Linked[] =>
  Object.values(OPENAPI.paths).flatMap((methods) => Object.values(methods).filter((one) => one !== undefined));

const operationLinks = (tag: string): string =>
  operations()
    .filter(({ tags }) => tags.includes(tag))
    .map(({ operationId, summary }) => linkTo(`/${tag}/${operationId}`, summary))
    .join('');

const part = (title: string, links: string): string => `<h2>${escaped(title)}</h2><ul>${links}</ul>`;

/** The navigation and the guide, as HTML without scripts and styles. */
export const guidePage = (template: string): string => {
  const steps = stepsOf();
  const contents = [
    part('First film', steps.map(({ id, title }) => linkTo(id, title)).join('')),
    part(
      'Rules',
      headings()
        .map((heading) => linkTo(idOfHeading(heading), heading))
        .join(''),
    ),
    ...OPENAPI.tags.map(({ name }) => part(name, operationLinks(name))),
    part('Webhooks', linkTo('webhook', 'Receive a delivery')),
  ].join('');
  return template
    .replace('<!-- contents -->', () => contents)
    .replace('<!-- guide -->', () => steps.map(stepOf).join('\n'));
};
