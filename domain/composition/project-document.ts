import * as E from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { nameFault } from '../shape/text-rules.ts';
import type { StoredAsset } from './assets.ts';
import { peakInputFaults } from './bounds.ts';
import { canonicalJson } from './canonical-json.ts';
import { type Fault, faultsOf } from './fault.ts';
import { faultsInDocument, flatProject, layerCountFaults, timedAndPlaced } from './flat-project.ts';
import { decodeLeniently, type LenientField, type LenientProject } from './lenient-decode.ts';
import { LIMITS } from './limits.ts';
import { ProjectDocument, ProjectFile } from './project-shape.ts';
import { type FontFacts, fontFaults, glyphFaults, referenceFaults } from './references.ts';
import { textFaults } from './text-faults.ts';

const at = (path: string, name: string | null | undefined): readonly Fault[] => {
  const message = typeof name === 'string' ? nameFault(name) : null;
  return message === null ? [] : [{ path, message }];
};

const labelFaults = (fields: readonly LenientField[], path: string): readonly Fault[] =>
  fields.flatMap(({ label }, index) => at(`${path}fields[${index}].label`, label));

const shownNameFaults = ({ name, assets = [], templates = [] }: LenientProject): readonly Fault[] => [
  ...at('name', name),
  ...assets.flatMap(({ file, file_name }, index) => [
    ...at(`assets[${index}].file`, file),
    ...at(`assets[${index}].file_name`, file_name),
  ]),
  ...templates.flatMap((template, index) => [
    ...at(`templates[${index}].name`, template.name),
    ...labelFaults(template.fields ?? [], `templates[${index}].`),
  ]),
];

/**
 * True if a JSON value nests more than `limit` levels. Not recursive, because the author of the value chooses the
 * depth.
 */
const isDeeperThan = (json: unknown, limit: number): boolean => {
  let level: readonly unknown[] = [json];
  for (let depth = 0; depth <= limit; depth += 1) {
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
    if (level.length === 0) return false;
  }
  return true;
};

export { ProjectDocument, ProjectFile };

/** A valid document nests 16 levels: 8, and 2 for each group. */
const MAX_LEVELS = 32;

const unreadable = (json: unknown, size_limit_bytes: number): readonly Fault[] => {
  if (isDeeperThan(json, MAX_LEVELS)) return [{ path: '', message: `must not nest more than ${MAX_LEVELS} levels` }];
  return new TextEncoder().encode(canonicalJson(json)).length > size_limit_bytes
    ? [{ path: '', message: `must be at most ${size_limit_bytes / 1024} KiB` }]
    : [];
};

const decodeWith =
  <A extends ProjectFile>(
    codec: t.Type<A, A, unknown>,
    size_limit_bytes: number,
    faultsBetween: (project: LenientProject) => readonly Fault[],
  ) =>
  (json: unknown): E.Either<readonly Fault[], A> => {
    const hopeless = unreadable(json, size_limit_bytes);
    if (hopeless.length > 0) return E.left(hopeless);
    const decoded = codec.decode(json);
    const project = E.isRight(decoded) ? flatProject(decoded.right) : decodeLeniently(json);
    const too_many = layerCountFaults(project);
    const faults = too_many.length > 0 ? too_many : faultsInDocument(faultsBetween(project), project);
    if (E.isLeft(decoded)) return E.left([...faultsOf(decoded.left), ...faults]);
    return faults.length === 0 ? E.right(decoded.right) : E.left(faults);
  };

/**
 * Reports all faults at once: first invalid members, then broken references between the valid ones.
 *
 * @param facts of the font files next to the project file, by asset id
 */
export const decodeProjectFile = (
  json: unknown,
  facts: ReadonlyMap<string, FontFacts> = new Map(),
): E.Either<readonly Fault[], ProjectFile> =>
  decodeWith(ProjectFile, LIMITS.document_bytes, (project) => [
    ...referenceFaults(project),
    ...(project.compositions ?? []).flatMap((composition, index) =>
      peakInputFaults(timedAndPlaced(composition, project).composition, `compositions[${index}].`),
    ),
    ...fontFaults(project, facts),
    ...glyphFaults(project, facts),
    ...textFaults(project),
    ...shownNameFaults(project),
  ])(json);

export const decodeProjectDocument: (json: unknown) => E.Either<readonly Fault[], ProjectDocument> = decodeWith(
  ProjectDocument,
  4 * LIMITS.document_bytes,
  referenceFaults,
);

/**
 * Replaces each file of the project file by the stored asset of the same id. A missing asset is a fault at
 * `assets[i].file`, an asset of another kind at `assets[i].kind`.
 */
export const resolveAssets = (
  file: ProjectFile,
  stored: ReadonlyMap<string, StoredAsset>,
): E.Either<readonly Fault[], ProjectDocument> => {
  const faults: Fault[] = [];
  const assets: StoredAsset[] = [];
  for (const [index, asset] of file.assets.entries()) {
    if (!('file' in asset)) {
      assets.push(asset);
      continue;
    }
    const found = stored.get(asset.id);
    if (found === undefined) faults.push({ path: `assets[${index}].file`, message: 'is not stored' });
    else if (found.kind !== asset.kind)
      faults.push({
        path: `assets[${index}].kind`,
        message: `is ${asset.kind}, but its file is stored as ${found.kind}`,
      });
    else assets.push({ ...found, id: asset.id });
  }
  return faults.length === 0 ? E.right({ ...file, assets }) : E.left(faults);
};
