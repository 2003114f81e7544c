import * as E from 'fp-ts/lib/Either.js';
import { pathOfSource } from '../../catalogue/documents/asset-source.ts';
import type { FinalAsset } from '../../domain/composition/final-asset.ts';
import {
  type CompositionFault,
  composeFinal,
  type FinalComposition,
  snapToFrame,
  type ValueLengths,
} from '../../domain/composition/final-composition.ts';
import { isBeforeEnd, lengthSeconds } from '../../domain/composition/frame-rate.ts';
import { remoteAssetId, remoteMediaOf } from '../../domain/composition/remote-media.ts';
import { secondsText } from '../../domain/composition/source-end-rules.ts';
import { accountRateFault } from '../../platform/access/account-rate.ts';
import type { RateLimits } from '../../platform/access/rate-limits.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import type { ApiRequest } from '../../platform/http-server/route.ts';
import { decodeStill, type StillRequest } from '../../schemas/http/public/stills.ts';
import { trialOf } from '../requesting/decide-render.ts';
import {
  type DocumentDependencies,
  type DocumentReader,
  type FoundDocument,
  sentDocument,
  storedDocument,
} from '../requesting/find-document.ts';
import { ignoredValues } from '../requesting/ignored-values.ts';
import { findUploadValues, lengthsOf, type UploadValues } from '../requesting/upload-values.ts';
import type { LostAsset, StillsService } from './stills-service.ts';

export type StillDependencies = DocumentDependencies & {
  readonly stillsService: StillsService;
  /** Stills, counted for each account over all its keys and sessions. */
  readonly stills: RateLimits;
};

export type DrawnStill = {
  readonly bytes: Buffer;
  readonly format: 'jpeg' | 'webp';
  /** The value of the header for ignored values; null without any. */
  readonly ignored: string | null;
};

const invalid = (param: string, fault: string): E.Either<ApiError, never> =>
  E.left(invalidInput({ code: 'invalid_field', param, message: `${param}: ${fault}` }));

const ofRefusal = ({ field, message }: CompositionFault): ApiError =>
  field === undefined
    ? invalidInput({ code: 'invalid_field', param: 'values', message: `values: ${message}` })
    : invalidInput({ code: 'invalid_field', param: field, message });

type Composed = { readonly final: FinalComposition; readonly at_s: number };

const timeOf = (
  { time_s }: StillRequest,
  { document }: FoundDocument,
  { composition, poster_frame }: FinalComposition,
): E.Either<ApiError, number> => {
  const { fps } = composition;
  if (time_s === null) return E.right((poster_frame * fps.den) / fps.num);
  const length_s = lengthSeconds(composition);
  return isBeforeEnd(time_s, length_s)
    ? E.right(snapToFrame(document, time_s, fps))
    : invalid('time_s', `must be less than ${secondsText(length_s)}, the length of the video`);
};

type ValueFiles = {
  readonly of_field: ReadonlyMap<string, FinalAsset>;
  readonly paths: ReadonlyMap<string, string>;
  readonly lengths: ValueLengths;
};

/** The files of values that name uploads, as assets of the still. */
const valueFiles = ({ assets }: FoundDocument['document'], sources: UploadValues['sources']): ValueFiles => {
  const taken = new Set(assets.map(({ id }) => id));
  const of_field = new Map<string, FinalAsset>();
  const paths = new Map<string, string>();
  for (const [field, source] of sources) {
    const id = remoteAssetId(field, taken);
    taken.add(id);
    const { kind, sha256, content_type } = source.asset;
    of_field.set(field, { id, kind, sha256, content_type, font_family: null, of_render: true });
    paths.set(sha256, pathOfSource(source));
  }
  return { of_field, paths, lengths: lengthsOf({ sources }) };
};

const composed = (
  wanted: StillRequest,
  found: FoundDocument,
  { of_field, lengths }: ValueFiles,
): E.Either<ApiError, Composed> => {
  const { document } = found;
  const { template_id, values } = wanted;
  // The same faults as those of a render.
  const trial = trialOf({ template_id, values, draft: false }, document, lengths);
  if (E.isLeft(trial)) return trial;
  const remote = remoteMediaOf(document, template_id, values).find(({ field }) => !of_field.has(field));
  if (remote !== undefined)
    return invalid(`values.${remote.field}`, 'is a URL, which a still does not fetch: upload the file, and use its id');
  const final = composeFinal(document, template_id, values, of_field, lengths);
  // Lengths that a former release did not store are unknown here.
  if (E.isLeft(final)) return E.left(ofRefusal(final.left));
  return E.map((at_s: number) => ({ final: final.right, at_s }))(timeOf(wanted, found, final.right));
};

const formatOf = ({ format }: StillRequest, { headers }: Pick<ApiRequest, 'headers'>): 'jpeg' | 'webp' =>
  format ?? (headers.accept?.includes('image/webp') === true ? 'webp' : 'jpeg');

const ignoredOf = ({ template_id, values }: StillRequest, { document }: FoundDocument): string | null => {
  const fields = document.templates.find(({ id }) => id === template_id)?.fields ?? [];
  return ignoredValues(
    fields.map(({ key }) => key),
    values,
  );
};

const lostError = (
  { project_id }: StillRequest,
  { document }: FoundDocument,
  { of_field }: ValueFiles,
  { asset_id }: LostAsset,
): ApiError => {
  const conflict = (param: string, message: string): ApiError => ({
    ...{ tag: 'conflict', code: 'asset_lost', param, message: `${param}: ${message}` },
  });
  const field = Array.from(of_field).find(([, { id }]) => id === asset_id)?.[0];
  if (field !== undefined) return conflict(`values.${field}`, 'the file of the upload is lost; upload it again');
  const param = project_id === null ? 'project' : 'project_id';
  const name = document.assets.find(({ id }) => id === asset_id)?.file_name ?? asset_id;
  return conflict(
    param,
    `the file of the asset "${asset_id}" (${name}) is lost; upload it again, and add a version with it`,
  );
};

/** Draws one frame as a render would. It stores nothing, and appends no event. */
export const drawStill = async (
  parts: StillDependencies,
  reader: DocumentReader,
  request: Pick<ApiRequest, 'headers' | 'gone'>,
  body: unknown,
): Promise<E.Either<ApiError, DrawnStill>> => {
  const { account_id } = reader;
  const too_many = await accountRateFault(parts.stills, account_id, 'stills');
  if (too_many !== null) return E.left(too_many);
  const wanted = decodeStill(body);
  if (E.isLeft(wanted)) return E.left(invalidInput(wanted.left));
  const { project, project_id, width } = wanted.right;
  const found =
    project_id === null
      ? await sentDocument(reader, project, 'project')
      : await storedDocument(parts, reader, project_id);
  if (E.isLeft(found)) return found;
  const { document } = found.right;
  const { findUploads, team_ids } = reader.writer;
  const uploads = await findUploadValues(findUploads, team_ids, document, wanted.right);
  const [fault] = uploads.faults;
  if (fault !== undefined) return invalid(fault.path, fault.message);
  const files = valueFiles(document, uploads.sources);
  const still = composed(wanted.right, found.right, files);
  if (E.isLeft(still)) return still;
  const { final, at_s } = still.right;
  const format = formatOf(wanted.right, request);
  const paths = Object.fromEntries(
    final.assets.map(({ sha256 }) => [sha256, files.paths.get(sha256) ?? found.right.paths.get(sha256) ?? '']),
  );
  const drawn = await parts.stillsService({ account_id, final, paths, at_s, width, format }, request.gone());
  if (E.isLeft(drawn)) {
    const fault = drawn.left;
    return E.left(fault.tag === 'asset_lost' ? lostError(wanted.right, found.right, files, fault) : fault);
  }
  return E.right({ bytes: drawn.right, format, ignored: ignoredOf(wanted.right, found.right) });
};
