import type { Schema } from '../form.ts';
import { DELIVERY } from './delivery.ts';
import { ERROR } from './error.ts';
import { pageOf, wholeList } from './list.ts';
import { PROJECT } from './project.ts';
import { RENDER, RENDER_REQUEST, VALUES } from './render.ts';
import { MEMBER, TEAM, USER } from './team.ts';
import { TEMPLATE, TEMPLATE_FIELD, TEMPLATE_SUMMARY } from './template.ts';
import { TRANSITION } from './transition.ts';
import { EVENT_KIND, FIELD_KIND, FIELD_WIDGET, ORDER, RENDER_STATUS, RENDER_TYPE, ROLE } from './words.ts';

/** Every schema of the document, under the name that references use. */
export const SCHEMAS: Readonly<Record<string, Schema>> = {
  RenderRequest: RENDER_REQUEST,
  Values: VALUES,
  Render: RENDER,
  RenderStatus: RENDER_STATUS,
  RenderType: RENDER_TYPE,
  RenderPage: pageOf('Render', 'One page of the renders of a project.'),
  Transition: TRANSITION,
  TransitionList: wholeList('Transition', 'What became of a render, in the order in which it happened.'),
  Template: TEMPLATE,
  TemplateSummary: TEMPLATE_SUMMARY,
  TemplateField: TEMPLATE_FIELD,
  FieldKind: FIELD_KIND,
  FieldWidget: FIELD_WIDGET,
  TemplateList: wholeList('TemplateSummary', "The templates of a project, in the project's order."),
  Project: PROJECT,
  ProjectPage: pageOf('Project', 'One page of the projects of a team.'),
  Team: TEAM,
  TeamList: wholeList('Team', 'The teams that a key reaches.'),
  User: USER,
  Member: MEMBER,
  MemberList: wholeList('Member', 'The members of a team.'),
  Role: ROLE,
  Order: ORDER,
  Delivery: DELIVERY,
  EventKind: EVENT_KIND,
  Error: ERROR,
};
