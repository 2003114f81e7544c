import { readFileSync } from 'node:fs';
import test from 'ava';
import { faultsUnder, membersOf, resolved } from '../../helpers/openapi.ts';
import { caller } from '../../helpers/renderctl.ts';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

const page = read('docs/webhooks.md');

const blocksIn = (language: string): readonly string[] =>
  Array.from(page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms')), ([, block]) => block ?? '');

test('the code on the page is the code of the tested receivers', (t) => {
  for (const [language, file] of [
    ['ts', 'receiver.ts'],
    ['python', 'receiver.py'],
  ] as const) {
    const blocks = blocksIn(language);
    t.true(blocks.length >= 2);
    for (const block of blocks) t.true(read(`examples/webhook-receiver/${file}`).includes(block), block);
  }
});

test('the body on the page is a valid delivery', (t) => {
  const [body = ''] = blocksIn('json');
  t.deepEqual(faultsUnder(['components', 'schemas', 'Delivery'], JSON.parse(body)), []);
});

test('the page, the OpenAPI document and the README name the same headers and steps', (t) => {
  const documented = membersOf(['webhooks', 'render.complete', 'post', 'parameters']).map((index) => {
    const parameter = Object(resolved(['webhooks', 'render.complete', 'post', 'parameters', index]).value);
    return String(parameter.name);
  });
  const shown = Array.from(page.matchAll(/^\| `([\w-]+)` +\|.*\| (?:the same|another)/gm), ([, name]) => name);
  t.deepEqual(documented.toSorted(), shown.toSorted());
  const steps = `\`\`\`sh\n${read('demo/webhook-steps.sh')}\`\`\``;
  t.true(page.includes(steps));
  t.true(read('README.md').includes(steps));
});

test('every command on the page exists in renderctl', async (t) => {
  const commands = new Set(Array.from(page.matchAll(/renderctl (webhook [a-z-]+)/g), ([, command]) => command ?? ''));
  t.true(commands.size >= 9);
  for (const command of commands) {
    const { exit_code, stdout } = await caller({})(...command.split(' '), '--help');
    t.is(exit_code, 0, command);
    t.true(stdout.startsWith(`Usage: renderctl ${command} `), command);
    for (const [, option] of page.matchAll(new RegExp(`renderctl ${command}(?![a-z-]).*? (--[a-z-]+)`, 'g')))
      t.true(stdout.includes(option ?? ''), `${command} ${option}`);
  }
});

test('every internal link of the webhook page has a target', (t) => {
  const anchors = Array.from(page.matchAll(/^#+ (.*)$/gm), ([, title = '']) =>
    title.toLowerCase().replaceAll(' ', '-'),
  );
  for (const [, link = ''] of page.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
    if (link.startsWith('#')) t.true(anchors.includes(link.slice(1)), link);
    else if (/\.md$/.test(link)) t.notThrows(() => read(`docs/${link}`), link);
  }
});
