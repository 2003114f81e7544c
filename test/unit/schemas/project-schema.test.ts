import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import test from 'ava';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { canonicalJson } from '../../../domain/composition/canonical-json.ts';
import { faultsOf, faultText } from '../../../domain/composition/fault.ts';
import { FrameRate } from '../../../domain/composition/frame-rate.ts';
import { decodeProjectFile } from '../../../domain/composition/project-document.ts';
import { ProjectFile } from '../../../domain/composition/project-shape.ts';
import { PROJECT_SCHEMA, PROJECT_SCHEMA_FILE, projectSchemaText } from '../../../schemas/project-schema.ts';
import { runs } from '../../helpers/runs.ts';
import { projectJson } from '../composition/_project.ts';
import { PROJECT, parsed } from '../composition/_spoilt.ts';
import { documents } from './_documents.ts';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
const isValid = ajv.compile(PROJECT_SCHEMA);

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test('the file that editors read is current: node schemas/write-project-schema.ts', (t) => {
  t.is(readFileSync(PROJECT_SCHEMA_FILE, 'utf8'), projectSchemaText());
});

test("editors show the page's description of a property, by the layer's type", (t) => {
  const text = JSON.stringify(PROJECT_SCHEMA);
  for (const said of [
    '"description":"0 to 3600: start of the played part of the source. Default: 0"',
    '"description":"colour that fills the box behind the text. Default: none"',
    '"description":"colour. Default: #FFFFFF"',
    '"description":"of scale, 0.01 to 16: factor of the size, around the middle of the box"',
  ])
    t.true(text.includes(said), said);
});

test('valid sample projects match the schema', (t) => {
  for (const [name, project] of [
    ['small', projectJson()],
    ['of everything', PROJECT],
    ['demo', JSON.parse(read('examples/demo/project.json'))],
    ['stored', JSON.parse(read('test/unit/composition/stored/version-1-document.json'))],
  ])
    t.true(isValid(project), `${name}: ${JSON.stringify(isValid.errors)}`);
});

test('the codec refuses what the schema refuses, and the schema accepts what it accepts', (t) => {
  let refused = 0;
  let taken = 0;
  fc.assert(
    fc.property(parsed, (json) => {
      const decoded = decodeProjectFile(json);
      if (isValid(json)) taken += E.isRight(decoded) ? 1 : 0;
      else if (E.isLeft(decoded)) refused += 1;
      else throw new Error(JSON.stringify(isValid.errors));
    }),
    { numRuns: runs(3_000) },
  );
  t.true(refused > 300 && taken > 10, `${refused} refused, ${taken} taken`);
});

/** Adjusts what the schema cannot express: keyframes are ordered by time, and rates are fractions within bounds. */
const asPeopleWrite = (json: unknown): unknown => {
  if (Array.isArray(json)) {
    const list: readonly unknown[] = json.map(asPeopleWrite);
    const timeOf = (u: unknown) => (typeof u === 'object' && u !== null && 'time' in u ? Number(u.time) : null);
    if (list.some((entry) => timeOf(entry) === null)) return list;
    return [...new Map(list.map((entry) => [timeOf(entry), entry])).entries()]
      .toSorted(([a], [b]) => Number(a) - Number(b))
      .map(([, entry]) => entry);
  }
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(
    Object.entries(json).map(([name, member]) =>
      name === 'fps' && E.isLeft(FrameRate.decode(member)) ? [name, 25] : [name, asPeopleWrite(member)],
    ),
  );
};

test('a document that the schema accepts has no fault of shape', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(documents(PROJECT_SCHEMA), (generated) => {
        const json: unknown = asPeopleWrite(JSON.parse(JSON.stringify(generated)));
        if (!isValid(json)) throw new Error(`the generator: ${JSON.stringify(isValid.errors)}`);
        const decoded = ProjectFile.decode(json);
        if (E.isLeft(decoded)) throw new Error(faultsOf(decoded.left).map(faultText).join('\n'));
        // The decoded document is valid again, as `renderctl project show` prints it.
        if (!isValid(JSON.parse(canonicalJson(decoded.right)))) throw new Error(JSON.stringify(isValid.errors));
      }),
      { numRuns: runs(300) },
    ),
  );
});

test('a project file can name its schema and means the same without it', (t) => {
  const named = { $schema: '../../schemas/project.schema.json', ...projectJson() };
  t.true(isValid(named));
  t.deepEqual(decodeProjectFile(named), decodeProjectFile(projectJson()));
  t.deepEqual(
    decodeProjectFile({ ...projectJson(), $schema: 5 }),
    E.left([{ path: '["$schema"]', message: 'must be a string or null' }]),
  );
});
