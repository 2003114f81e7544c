import { isFinal } from '../../domain/render/render.ts';
import type { Evidence } from './judge-evidence.ts';

const openErasures = ({ renders, erase_requested, erased, ...evidence }: Evidence): readonly string[] => {
  const found: string[] = [];
  for (const render_id of erase_requested) {
    if (renders.has(render_id) && !erased.has(render_id)) found.push(`${render_id} is not erased`);
  }
  for (const { render } of renders.values()) {
    if (erased.has(render.id)) continue;
    if (evidence.erased_accounts.has(render.account_id)) found.push(`${render.id} is not erased, and its account is`);
    else if (evidence.erased_projects.has(render.project_id))
      found.push(`${render.id} is not erased, and its project is`);
  }
  return found;
};

const missingDeliveries = ({ owed, taken, erased }: Evidence): readonly string[] => {
  if (taken.size === owed.size) return [];
  // Deliveries that waited when their render was erased are skipped.
  const missing = [...owed].filter(([id, { render_id }]) => !taken.has(id) && !erased.has(render_id));
  const [, first] = missing[0] ?? [];
  return missing.length === 0
    ? []
    : [`${missing.length} deliveries are missing: of ${first?.render_id}, ${first?.seq}`];
};

/** Unfinished work; empty when everything is done. */
export const openIn = (evidence: Evidence): readonly string[] => {
  const { renders, acknowledged, mirrored, unfinished } = evidence;
  const found: string[] = [];
  for (const render_id of acknowledged) {
    if (!renders.has(render_id)) found.push(`${render_id} was acknowledged and is not in the log`);
  }
  found.push(...openErasures(evidence));
  if (unfinished > 0) {
    for (const { render } of renders.values()) {
      if (!isFinal(render.status)) found.push(`${render.id} is ${render.status}`);
    }
  }
  for (const [partition, { accepted, published }] of mirrored.entries()) {
    if (published < accepted.length)
      found.push(`${published} of ${accepted.length} are published of partition ${partition}`);
  }
  return [...found, ...missingDeliveries(evidence)];
};

/** Work that has waited since `before` (ms), in all partitions but one. */
export const lateSince = (evidence: Evidence, before: number, except: number | null): readonly string[] => {
  const { renders, mirrored, owed, taken } = evidence;
  const found: string[] = [];
  for (const { render, partition, requested_at } of renders.values())
    if (partition !== except && requested_at < before && !isFinal(render.status))
      found.push(`${render.id} is ${render.status}`);
  for (const [partition, { accepted, published }] of mirrored.entries()) {
    const next = accepted[published];
    if (partition !== except && next !== undefined && next.at < before)
      found.push(`the status of ${next.render_id} is not published`);
  }
  for (const [id, { render_id, endpoint_id, at }] of owed) {
    if (renders.get(render_id)?.partition !== except && at < before && !taken.has(id))
      found.push(`${endpoint_id} has no delivery of ${render_id}`);
  }
  return found;
};
