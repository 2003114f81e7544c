import type { Document } from 'mongodb';
import { canonicalJson } from '../../domain/composition/canonical-json.ts';
import type { Render } from '../../domain/render/render.ts';
import type { Customer } from './catalogue.ts';
import type { Evidence } from './judge-evidence.ts';
import type { Versions } from './store/versions.ts';

const JSONS = new WeakMap<object, string>();

/** Neither renders nor stored documents change, so each is serialized once. */
export const jsonOf = (value: object | null): string => {
  if (value === null) return 'null';
  const known = JSONS.get(value) ?? canonicalJson(value);
  JSONS.set(value, known);
  return known;
};

/** Renders requested and completed, and credits charged, in all hours of an account. */
const countedIn = (statistics: readonly Document[], account_id: string): readonly number[] => {
  const hours = statistics
    .filter((one) => one.account_id === account_id && one.team_id === null)
    .flatMap(({ hours = {} }): readonly Document[] => Object.values(hours));
  return ['requested', 'completed', 'charged_credits'].map((name) =>
    hours.reduce((all, hour) => all + (hour[name] ?? 0), 0),
  );
};

/** Text that the document of an erased render should not have; null without any. */
export const textsIn = ({ name, name_salt, search, by_project, position }: Document): string | null => {
  if (name !== null || name_salt !== null) return `the name ${name}`;
  if (search.length > 0) return `the tokens ${search}`;
  return by_project === null && position === null ? null : `a place in lists: ${by_project}`;
};

const servingGeneration = (versions: Versions): unknown =>
  versions
    .all('generations', versions.now())
    .filter((one) => one.read_model === 'renders' && one.serving === true)
    .at(-1)?.generation;

/** The name that a client gave the render. */
const postedName = ({ posted, accepted_as }: Evidence, render_id: string): string | undefined =>
  posted.get(accepted_as.get(render_id) ?? '')?.body.name;

type LackingDependencies = {
  readonly versions: Versions;
  /** Whether a restored backup lacks the name of the render, or its key. */
  readonly isTextLost: (render: Render) => boolean;
};

const lackingRenders = (
  evidence: Evidence,
  { versions, isTextLost }: LackingDependencies,
  generation: unknown,
): readonly string[] => {
  const { renders, erased } = evidence;
  const found: string[] = [];
  const documents = new Map(versions.all(`renders_g${generation}`, versions.now()).map((one) => [one._id, one]));
  for (const { render } of renders.values()) {
    const document = documents.get(render.id);
    if (jsonOf(document?.render ?? null) !== jsonOf(render))
      found.push(`the read model has ${render.id} as ${document?.render?.status}, and it is ${render.status}`);
    const left = document === undefined ? null : textsIn(document);
    if (erased.has(render.id) && left !== null) found.push(`${render.id} was erased, and its document has ${left}`);
    if (erased.has(render.id) || document === undefined) continue;
    const is_named = document.name === postedName(evidence, render.id);
    if (!is_named && !(document.name === '' && isTextLost(render)))
      found.push(`${render.id} is called ${document.name}`);
  }
  return found;
};

/** Names, bodies and answers of erased renders that other collections still have. */
const leftOfErased = ({ erased }: Evidence, versions: Versions): readonly string[] => {
  const found: string[] = [];
  const now = versions.now();
  for (const { _id, name } of versions.all('fresh_names', now))
    if (erased.has(String(_id))) found.push(`${_id} was erased, and ${name} is noted`);
  for (const { render_id, body, attempts = [] } of versions.all('webhook_deliveries', now)) {
    const answers = attempts.filter(({ response }: Document) => response !== null);
    if (erased.has(render_id) && (body !== null || answers.length > 0))
      found.push(`${render_id} was erased, and a delivery of it has ${body === null ? 'an answer' : 'its body'}`);
  }
  return found;
};

/** Differences between an account's renders and its ledger and statistics. */
const lackingOf = (
  { renders }: Evidence,
  account_id: string,
  versions: Versions,
  generation: unknown,
): readonly string[] => {
  const found: string[] = [];
  const now = versions.now();
  const own = [...renders.values()].flatMap(({ render }) => (render.account_id === account_id ? [render] : []));
  const charged = own.reduce((sum, { charged_credits }) => sum + charged_credits, 0);
  const shares = versions.all(`credit_ledger_g${generation}`, now).filter((one) => one.account_id === account_id);
  const sum = shares.reduce((all, one) => all + one.charged_credits, 0);
  const reserved = shares.reduce((all, one) => all + one.reserved_credits, 0);
  if (sum !== charged) found.push(`${account_id} is charged ${sum} instead of ${charged}`);
  if (reserved !== 0) found.push(`${account_id} still has ${reserved} credits held back`);
  const counted = countedIn(versions.all(`render_statistics_g${generation}`, now), account_id);
  const wanted = [own.length, own.filter(({ status }) => status === 'complete').length, sum];
  if (String(counted) !== String(wanted)) found.push(`${account_id} has statistics ${counted} for ${wanted}`);
  return found;
};

/** Entries of the log that the read model and the ledger lack. */
export const lackingIn = (
  evidence: Evidence,
  customers: readonly Customer[],
  deps: LackingDependencies,
): readonly string[] => {
  const { versions } = deps;
  const generation = servingGeneration(versions);
  return [
    ...lackingRenders(evidence, deps, generation),
    ...leftOfErased(evidence, versions),
    ...customers.flatMap(({ account_id }) => lackingOf(evidence, account_id, versions, generation)),
  ];
};
