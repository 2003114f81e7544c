import { readFileSync } from 'node:fs';
import test from 'ava';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test('the README shows the session that the demo prints', (t) => {
  t.true(read('README.md').includes(`\`\`\`sh\n${read('demo/first-steps.sh')}\`\`\``));
});

test('the README shows the program of the example', (t) => {
  t.true(read('README.md').includes(`\`\`\`python\n${read('examples/own-film/own_film.py')}\`\`\``));
});

test('every file that the README links to exists', (t) => {
  const links = Array.from(read('README.md').matchAll(/\]\((?!https?:)([^)#]+)\)/g), ([, path]) => path ?? '');
  t.true(links.length > 15);
  const folders = links.filter((link) => !/\.[a-z]+$|LICENSE/.test(link));
  for (const link of links.filter((one) => !folders.includes(one))) t.notThrows(() => read(link), link);
});
