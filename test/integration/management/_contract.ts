import { MANAGEMENT_OPENAPI } from '../../../schemas/http/management/document.ts';
import { routePatternAt } from '../../../schemas/http/routes.ts';
import { openApiOf } from '../../helpers/openapi.ts';

const { faultsUnder, resolved, membersOf } = openApiOf(MANAGEMENT_OPENAPI, [
  'InvitationToken',
  'Nothing',
  'ProjectDocument',
]);

export type Answered = { readonly status: number; readonly headers: Headers; readonly body: unknown };

const headerFaults = (place: readonly string[], headers: Headers): readonly string[] =>
  membersOf([...place, 'headers']).flatMap((name) => {
    const header = resolved([...place, 'headers', name]);
    const sent = headers.get(name);
    if (sent === null) return Object(header.value).required === true ? [`lacks the header ${name}`] : [];
    const schema = [...header.place, 'schema'];
    const parsed = Object(resolved(schema).value).type === 'integer' ? Number(sent) : sent;
    return faultsUnder(schema, parsed).map((fault) => `header ${name}: ${fault}`);
  });

/** Throws if status, headers or body of an answer violate the document of the management interface. */
export const holdAgainstDocument = (method: string, url: string, { status, headers, body }: Answered): void => {
  const { pathname } = new URL(url);
  const path = routePatternAt(pathname);
  if (path === null || path === '/manage/v1/openapi.json' || status === 405) return;
  const { place, value } = resolved(['paths', path, method.toLowerCase(), 'responses', String(status)]);
  const media = headers.get('content-type')?.split(';')[0] ?? 'none';
  const documented = membersOf([...place, 'content']);
  const faults = [
    ...(value === undefined ? ['the document has no such status'] : headerFaults(place, headers)),
    ...(documented.length === 0 || documented.includes(media) ? [] : [`Content-Type ${media}`]),
    ...(media === 'application/json' ? faultsUnder([...place, 'content', media, 'schema'], body) : []),
  ];
  if (faults.length > 0)
    throw new Error(
      `${method} ${pathname}: ${status} is not as documented: ${faults.join('; ')} ${JSON.stringify(body)}`,
    );
};
