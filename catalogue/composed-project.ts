import * as E from 'fp-ts/lib/Either.js';
import {
  type CompositionFault,
  compose,
  type FinalComposition,
  snapToFrame,
} from '../domain/composition/final-composition.ts';
import { framesOf, isBeforeEnd, lengthSeconds } from '../domain/composition/frame-rate.ts';
import type { ShownTimes } from '../domain/composition/layer-times.ts';
import type { ProjectDocument } from '../domain/composition/project-shape.ts';
import { secondsText } from '../domain/composition/source-end-rules.ts';
import type { Values } from '../domain/composition/values.ts';
import { didYouMean } from '../domain/near-name.ts';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import type { ProjectView } from './answers.ts';
import type { CatalogueFault } from './fault.ts';
import { requireDocument } from './project-assets.ts';
import { showProject } from './projects.ts';
import { teamById } from './teams.ts';

export type CompositionRequest = {
  readonly project_id: string;
  readonly template_id: string | null;
  readonly values: Values;
  readonly at_s?: number;
};

export type ComposedProject = {
  readonly project: ProjectView;
  readonly account_id: string;
  readonly final: FinalComposition;
  readonly times: readonly ShownTimes[];
  readonly at_s: number;
  /**
   * One message for each value whose key is no field of the template, with a similar key if there is one. A render
   * ignores such values too.
   */
  readonly left_out: readonly string[];
};

export type CompositionRefusal = { readonly tag: 'refused'; readonly reason: string; readonly message: string };

const REMOTE = /is a URL/;

const refused = (
  fault: CompositionFault,
  document: ProjectDocument,
  { template_id }: CompositionRequest,
): CompositionRefusal => {
  const { code } = fault;
  const message = fault.to_requester ?? fault.message;
  const ids = document.templates.map(({ id }) => id);
  const list = ids.length === 0 ? '' : `; it has ${ids.join(', ')}`;
  if (code === 'unknown_template')
    return { tag: 'refused', reason: code, message: `${message}${didYouMean(template_id ?? '', ids) || list}` };
  const hint = REMOTE.test(message) ? '; this command fetches no files: use the id of an asset' : '';
  return { tag: 'refused', reason: code, message: `${message}${hint}` };
};

const pastEnd = (at_s: number | undefined, { composition }: FinalComposition): CompositionRefusal | null => {
  const { duration, fps } = composition;
  const length_s = lengthSeconds(composition);
  if (at_s === undefined || isBeforeEnd(at_s, length_s)) return null;
  const last = (((framesOf(duration, fps) - 1) * fps.den) / fps.num).toFixed(3);
  const message = `--at ${at_s} is past the end: the video is ${secondsText(length_s)} long, and its last frame is at ${last}`;
  return { tag: 'refused', reason: 'past_end', message };
};

const leftOut = (document: ProjectDocument, { template_id, values }: CompositionRequest): readonly string[] => {
  const keys = document.templates.find(({ id }) => id === template_id)?.fields.map(({ key }) => key) ?? [];
  return Object.keys(values)
    .filter((key) => !keys.includes(key))
    .map((key) => `values.${key}: the template has no such field${didYouMean(key, keys)}`);
};

export const composeProject = async (
  read_model: CatalogueReadModel,
  wanted: CompositionRequest,
): Promise<E.Either<CompositionRefusal | CatalogueFault, ComposedProject>> => {
  const shown = await showProject(read_model, wanted.project_id);
  if (E.isLeft(shown)) return shown;
  const found = requireDocument(shown.right);
  if (E.isLeft(found)) return found;
  const { project, document } = found.right;
  const team = await teamById(read_model, project.team_id);
  if (E.isLeft(team)) return team;
  const composed = compose(document, wanted.template_id, wanted.values);
  if (E.isLeft(composed)) return E.left(refused(composed.left, document, wanted));
  const { final, times } = composed.right;
  const past_end = pastEnd(wanted.at_s, final);
  if (past_end !== null) return E.left(past_end);
  const { account_id } = team.right;
  const at_s = snapToFrame(document, wanted.at_s ?? 0, final.composition.fps);
  return E.right({ project, account_id, final, times, at_s, left_out: leftOut(document, wanted) });
};
