import { createHash } from 'node:crypto';
import { mintApiKey } from '../../domain/access/api-key.ts';
import type { CatalogueEvent } from '../../domain/catalogue/events.ts';
import { PAYLOAD_RULES_VERSION } from '../../domain/catalogue/rules.ts';
import { subjectOf } from '../../domain/catalogue/subject.ts';
import { canonicalJson } from '../../domain/composition/canonical-json.ts';
import type { PayloadRef } from '../../domain/event/payload.ts';
import { EVENT_KINDS } from '../../domain/webhooks/event-kinds.ts';
import { sha256Hex } from '../../platform/access/sha256.ts';
import { emailPath, projectDocumentPath, projectNamePath } from '../../schemas/blobs/paths.ts';
import { projectNameBytes } from '../../schemas/blobs/payloads.ts';
import { saltedHash } from '../../schemas/blobs/salted-hash.ts';
import { type BlobServer, store } from './blobs.ts';
import type { Brokers } from './log/brokers.ts';
import { encoded } from './log/event-log.ts';
import { DEADLY_S, FAULTY_S, FINE_S, SLOW_S } from './machine/engine.ts';
import { BEGIN_MS } from './world/process-globals.ts';

/** The outcome of the renders of a project. */
export type ProjectKind = 'fine' | 'faulty' | 'deadly' | 'slow' | 'doomed';

const LENGTHS_S: Readonly<Record<ProjectKind, number>> = {
  fine: FINE_S,
  faulty: FAULTY_S,
  deadly: DEADLY_S,
  slow: SLOW_S,
  doomed: FINE_S,
};
/** The credits of a customer with few credits: enough for this many renders. */
export const FEW_CREDITS = 3;

const KINDS = ['fine', 'faulty', 'deadly', 'slow', 'doomed'] as const;

export type Customer = {
  readonly account_id: string;
  /** The credits that the customer may spend; null without a limit. */
  readonly credits: number | null;
  readonly team_id: string;
  readonly key: string;
  /** Another key of the team, without orders. */
  readonly spare: { readonly key_id: string; readonly key: string };
  readonly endpoint_ids: readonly string[];
  readonly projects: Readonly<Record<ProjectKind, string>>;
  /** A member of the team. */
  readonly user: { readonly user_id: string; readonly email: string };
};

const idOf = (kind: string, number: number): string => `${kind}_01JD${String(number).padStart(22, '0')}`;

export const TEMPLATE_ID = 'tpl_colour';
export const COLOUR_KEY = 'colour';
export const DEFAULT_COLOUR = '#FFFFFF';
const BAR = { id: 'bar', type: 'shape', color: DEFAULT_COLOUR, x: 0, y: 0, width: 320, height: 20 };
const COLOUR = {
  ...{ key: COLOUR_KEY, kind: 'color', default_value: DEFAULT_COLOUR, target: { layer: 'bar', property: 'color' } },
};

const documentOf = (duration: number): string =>
  canonicalJson({
    name: 'A picture',
    main_composition_id: 'comp_main',
    compositions: [{ id: 'comp_main', width: 320, height: 180, fps: 30, duration, layers: [BAR] }],
    assets: [],
    variants: [],
    templates: [{ id: TEMPLATE_ID, name: 'Colour', target_composition_id: 'comp_main', fields: [COLOUR] }],
  });

export const writeCatalogue = (
  brokers: Brokers,
  blobs: BlobServer,
  customers: number,
  endpoints: number,
  credits: number,
): readonly Customer[] => {
  // Ids below 10 are for the customers.
  let ids = 10;
  const append = (event: CatalogueEvent): void => {
    brokers.write({
      topic: 'catalogue-events',
      partition: 0,
      records: [{ key: subjectOf(event), value: encoded(event), headers: {} }],
    });
  };
  const put = (path: string, bytes: Buffer): PayloadRef => {
    store(blobs, path, bytes, 0);
    return { path, sha256: saltedHash('', bytes) };
  };
  const next = (kind: string): string => {
    ids += 1;
    return idOf(kind, ids);
  };
  const meta = () => ({
    ...{ event_id: next('evt'), occurred_at: BEGIN_MS, actor: 'operator:simulation' },
    ...{ causation_id: null, correlation_id: null },
  });

  return Array.from({ length: customers }, (_, number): Customer => {
    const account_id = idOf('acc', number + 1);
    const team_id = idOf('team', number + 1);
    const key_id = idOf('key', number + 1);
    append({
      type: 'AccountCreated',
      rules: 0,
      meta: meta(),
      account_id,
      name: account_id,
      unlimited_credits: number > 0,
    });
    append({ type: 'CreditsGranted', rules: 0, meta: meta(), account_id, grant_id: next('grant'), credits });
    append({ type: 'TeamCreated', rules: 0, meta: meta(), team_id, account_id, name: team_id });
    const issue = (key_id: string): { readonly key_id: string; readonly key: string } => {
      const minted = mintApiKey(createHash('sha256').update(key_id).digest(), sha256Hex);
      if (minted === null) throw new Error('no key was minted');
      const { key, ...issued } = minted;
      const of_nobody = { user_id: null, expires_at: null, name: key_id, scopes: null };
      const of_team = { key_id, account_id, team_ids: [team_id] };
      append({ type: 'ApiKeyIssued', rules: 0, meta: meta(), ...of_team, ...of_nobody, ...issued });
      return { key_id, key };
    };
    const { key } = issue(key_id);
    const spare = issue(next('key'));
    const projects = Object.fromEntries(
      KINDS.map((kind) => {
        const project_id = next('proj');
        const document = documentOf(LENGTHS_S[kind]);
        const created = { type: 'ProjectCreated', meta: meta(), project_id, team_id, created_by: null } as const;
        const version = { type: 'ProjectVersionAdded', meta: meta(), project_id, version: 1, base_version: 0 } as const;
        // The projects of the first customer are from before payloads: their events contain the document itself.
        if (number === 0) {
          append({ ...created, rules: 0, name: kind, payload: null });
          const document_sha256 = sha256Hex(document);
          append({ ...version, rules: 0, name: kind, document, document_sha256, payload: null });
        } else {
          const name = put(projectNamePath(project_id), projectNameBytes(kind));
          const payload = put(projectDocumentPath(project_id, 1), Buffer.from(document, 'utf8'));
          append({ ...created, rules: PAYLOAD_RULES_VERSION, name: '', payload: name });
          append({ ...version, rules: PAYLOAD_RULES_VERSION, name: '', document: '', document_sha256: '', payload });
        }
        return [kind, project_id];
      }),
    ) as Record<ProjectKind, string>;
    const endpoint_ids = Array.from({ length: endpoints }, () => {
      const endpoint_id = next('whe');
      const url = `https://hooks.invalid/${endpoint_id}`;
      append({
        ...{ type: 'WebhookEndpointCreated', rules: 0, meta: meta(), endpoint_id, team_id, url },
        ...{ events: [...EVENT_KINDS], secret: 'sealed' },
      });
      return endpoint_id;
    });
    const user = { user_id: idOf('user', number + 1), email: `person-${number + 1}@example.com` };
    const email = put(emailPath(user.user_id), Buffer.from(JSON.stringify({ email: user.email })));
    append({ type: 'UserRegistered', rules: 0, meta: meta(), user_id: user.user_id, email });
    append({ type: 'MemberAdded', rules: 0, meta: meta(), team_id, user_id: user.user_id, role: 'member' });
    return { account_id, credits: number === 0 ? credits : null, team_id, key, spare, endpoint_ids, projects, user };
  });
};
