import { LIMITS } from '../../../domain/composition/limits.ts';
import type { Parameter, Reference, Response } from '../openapi.ts';
import {
  Asset,
  AssetList,
  DOCUMENT_EXAMPLE,
  Document,
  OUTDATED_CONTENT,
  PROJECT_SOURCE,
  ProjectVersion,
  ProjectVersionPage,
  RenameRequest,
  VERSION_EXAMPLE,
  VersionRequest,
  VersionWithDocument,
} from '../public/project-changes.ts';
import { CheckRequest, ProjectCheck, VALID_CHECK } from '../public/project-check.ts';
import { STARTER_EXAMPLE, STARTER_SCHEMAS, StarterList } from '../public/starters.ts';
import { STILL_CONTENT, STILL_EXAMPLE, STILL_SCHEMAS, StillRequest } from '../public/stills.ts';
import { PageQuery } from '../query.ts';
import { definitionsOf, integer, optional, resource } from '../shapes.ts';
import { AssetKind } from '../words.ts';
import { NAME } from './keys.ts';
import { contract, exampleBody, examplePage, IDEMPOTENCY_KEY, jsonResponse } from './operation.ts';
import { PROJECT, Project } from './renders.ts';
import { CHANGE_RESPONSES, CREATION_RESPONSES, headers, RATE_HEADERS, refusal, WRITE_RESPONSES } from './responses.ts';

export const TeamProjectRequest = resource(
  'TeamProjectRequest',
  'A project to create, from a `document` or from a `starter`.',
  { name: optional(NAME, 'Its name, instead of the one in the document.'), ...PROJECT_SOURCE },
);

export const TeamProjectCopyRequest = resource('TeamProjectCopyRequest', 'How to copy a project.', {
  name: optional(NAME, `The name of the copy, 1 to ${LIMITS.name} characters. By default that of the project.`),
  version: optional(integer('', { minimum: 1 }), 'The version to copy. By default the newest.'),
});

export const PROJECT_SCHEMAS = {
  ...definitionsOf([
    ...[Document, TeamProjectRequest, TeamProjectCopyRequest, VersionRequest, RenameRequest, CheckRequest],
    ...[ProjectCheck, ProjectVersion, ProjectVersionPage, VersionWithDocument, AssetKind, Asset, AssetList],
  ]),
  ...STILL_SCHEMAS,
  ...STARTER_SCHEMAS,
};

export const VersionListQuery = PageQuery;

const IF_MATCH: Parameter = {
  ...{ name: 'If-Match', in: 'header', required: true },
  description:
    'The version that the document was made from: its number in quotes. If the project has a newer one, the answer is 412. `*` adds the version on top of any.',
  schema: { type: 'string', pattern: '^(\\*|"[0-9]{1,9}")$' },
};

const OUTDATED: Response = {
  description: 'The project has a newer version than the one in `If-Match`.',
  headers: headers(...RATE_HEADERS),
  content: OUTDATED_CONTENT,
};

const OF_VERSIONS: Readonly<Record<string, Reference | Response>> = {
  ...CHANGE_RESPONSES,
  412: OUTDATED,
  428: refusal(
    'The header `If-Match` is missing.',
    'precondition_required',
    'If-Match: is required: the number of the version that the document was made from, in quotes, or * for any version',
  ),
};

const FOR_MEMBERS = 'For members of the team.';

const tag = 'Renders';

export const PROJECTS = contract({
  'GET /manage/v1/teams/{team_id}/starters': {
    ...{ guard: 'team_member', id: 'listTeamStarters', tag, summary: 'List the starters' },
    description: `Finished projects, from which the team can create its own. ${FOR_MEMBERS}`,
    answers: { 200: jsonResponse('All of them.', StarterList, { data: [STARTER_EXAMPLE] }) },
  },
  'POST /manage/v1/teams/{team_id}/projects': {
    ...{ guard: 'team_member', id: 'createTeamProject', tag, summary: 'Create a project' },
    description: `Creates a project with its first version. ${FOR_MEMBERS}`,
    parameters: [IDEMPOTENCY_KEY],
    body: exampleBody(TeamProjectRequest, { document: DOCUMENT_EXAMPLE }),
    answers: {
      201: jsonResponse(
        'The new project, or the one of an earlier request with the same key and body.',
        Project,
        PROJECT,
      ),
    },
    refusals: CREATION_RESPONSES,
  },
  'POST /manage/v1/teams/{team_id}/projects/check': {
    ...{ guard: 'team_member', id: 'checkTeamProject', tag, summary: 'Check a document or a project' },
    description: `Says whether a render would be accepted, with all faults at once, and what it would cost. It changes nothing. ${FOR_MEMBERS}`,
    body: exampleBody(CheckRequest, { document: DOCUMENT_EXAMPLE }),
    answers: { 200: jsonResponse('The result, also with faults.', ProjectCheck, VALID_CHECK) },
    refusals: WRITE_RESPONSES,
  },
  'POST /manage/v1/teams/{team_id}/stills': {
    ...{ guard: 'team_member', id: 'drawTeamStill', tag, summary: 'Draw one frame' },
    description: `The picture that a render would show at this time. It costs no credits, and stores nothing. The stills of an account are limited. ${FOR_MEMBERS}`,
    body: exampleBody(StillRequest, STILL_EXAMPLE),
    answers: {
      200: {
        description: 'The picture.',
        headers: headers(...RATE_HEADERS),
        content: STILL_CONTENT,
      },
    },
    refusals: WRITE_RESPONSES,
  },
  'GET /manage/v1/teams/{team_id}/projects/{project_id}/versions': {
    ...{ guard: 'team_member', id: 'listProjectVersions', tag, summary: 'List the versions of a project' },
    description: FOR_MEMBERS,
    parameters: VersionListQuery.parameters,
    answers: { 200: jsonResponse('A page.', ProjectVersionPage, examplePage(VERSION_EXAMPLE)) },
  },
  'POST /manage/v1/teams/{team_id}/projects/{project_id}/versions': {
    ...{ guard: 'team_member', id: 'addProjectVersion', tag, summary: 'Add a version to a project' },
    description: `Replaces the document of the project; earlier versions stay. If the document is already that of the newest version, or of the version after the one in \`If-Match\`, nothing changes and the answer is 200. ${FOR_MEMBERS}`,
    parameters: [IF_MATCH],
    body: exampleBody(VersionRequest, { document: DOCUMENT_EXAMPLE }),
    answers: {
      201: jsonResponse('The new version.', ProjectVersion, VERSION_EXAMPLE),
      200: jsonResponse('The version that already has the document.', ProjectVersion, VERSION_EXAMPLE),
    },
    refusals: OF_VERSIONS,
  },
  'GET /manage/v1/teams/{team_id}/projects/{project_id}/versions/{version}': {
    ...{ guard: 'team_member', id: 'getProjectVersion', tag, summary: 'Read a version of a project' },
    description: `The version with its document, as it can be sent again. ${FOR_MEMBERS}`,
    answers: {
      200: jsonResponse('The version.', VersionWithDocument, { ...VERSION_EXAMPLE, document: DOCUMENT_EXAMPLE }),
    },
  },
  'GET /manage/v1/teams/{team_id}/projects/{project_id}/assets': {
    ...{ guard: 'team_member', id: 'listProjectAssets', tag, summary: 'List the assets of a project' },
    description: `The files of its newest version. ${FOR_MEMBERS}`,
    answers: { 200: jsonResponse('All of them.', AssetList, { data: [] }) },
  },
  'POST /manage/v1/teams/{team_id}/projects/{project_id}/rename': {
    ...{ guard: 'team_member', id: 'renameTeamProject', tag, summary: 'Rename a project' },
    description: `Adds a version with another name. A repeat changes nothing. ${FOR_MEMBERS}`,
    body: exampleBody(RenameRequest, { name: 'Winter sale' }),
    answers: { 200: jsonResponse('The project.', Project, PROJECT) },
  },
  'POST /manage/v1/teams/{team_id}/projects/{project_id}/copy': {
    ...{ guard: 'team_member', id: 'copyTeamProject', tag, summary: 'Copy a project' },
    description: `Creates a project of the team from a version of this one, with its assets. ${FOR_MEMBERS}`,
    parameters: [IDEMPOTENCY_KEY],
    body: exampleBody(TeamProjectCopyRequest, { name: 'Winter sale' }),
    answers: { 201: jsonResponse('The copy.', Project, PROJECT) },
    refusals: CREATION_RESPONSES,
  },
});
