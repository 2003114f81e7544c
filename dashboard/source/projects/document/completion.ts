import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import { nameOf, type Step } from './place-of-path.ts';
import { type JsonSchema, propertiesAt, schemasAt, valuesAt } from './schema-walk.ts';

type Node = ReturnType<typeof syntaxTree>['topNode'];

/** The path to a node, from the top of the document. */
const stepsTo = (node: Node, text: string): readonly Step[] => {
  const steps: Step[] = [];
  for (let child = node, parent = child.parent; parent !== null; child = parent, parent = child.parent) {
    if (parent.name === 'Property') steps.unshift(nameOf(parent, text));
    if (parent.name !== 'Array') continue;
    let index = 0;
    for (let before = child.prevSibling; before !== null; before = before.prevSibling)
      if (!['[', ','].includes(before.name)) index += 1;
    steps.unshift(index);
  }
  return steps;
};

/** The start of a value, so that the editor writes what a property needs next. */
const opening = ({ type }: JsonSchema): string => {
  const wanted = Array.isArray(type) ? type[0] : type;
  if (wanted === 'string') return '""';
  if (wanted === 'object') return '{}';
  return wanted === 'array' ? '[]' : '';
};

const lenientValue = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The members of an object that are complete, also while the text around them is not JSON. */
const jsonOf = (node: Node, text: string): unknown => {
  if (node.name === 'Object')
    return Object.fromEntries(
      node.getChildren('Property').map((property) => {
        const value = property.lastChild;
        return [nameOf(property, text), value === null ? undefined : jsonOf(value, text)];
      }),
    );
  if (node.name !== 'Array') return lenientValue(text.slice(node.from, node.to));
  const values: unknown[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (!['[', ']', ','].includes(child.name)) values.push(jsonOf(child, text));
  return values;
};

const propertyResult = (schema: JsonSchema, object: Node, top: Node, text: string, from: number): CompletionResult => {
  const present = object.getChildren('Property').map((property) => nameOf(property, text));
  const schemas = schemasAt(schema, jsonOf(top, text), stepsTo(object, text));
  const options = propertiesAt(schemas, present).map(
    ({ label, detail, info, schema: of_property }): Completion => ({
      ...{ label: `"${label}"`, displayLabel: label, detail, type: 'property' },
      ...(info !== undefined && { info }),
      apply: `"${label}": ${opening(of_property)}`,
    }),
  );
  return { from, options, validFor: /^"?\w*$/ };
};

/** Completes names and values of a project document. */
export const completeDocument =
  (schema: JsonSchema) =>
  (context: CompletionContext): CompletionResult | null => {
    const { state, pos } = context;
    const text = state.doc.toString();
    const node: Node = syntaxTree(state).resolveInner(pos, -1);
    const word = context.matchBefore(/"?\w*/);
    const from = word?.from ?? pos;
    const top = syntaxTree(state).topNode.firstChild;
    if (top === null || (word?.text === '' && !context.explicit)) return null;
    const holder = node.name === 'PropertyName' ? (node.parent?.parent ?? null) : node.name === 'Object' ? node : null;
    if (holder?.name === 'Object') {
      const before = text.slice(0, from).trimEnd().at(-1);
      if (before === '{' || before === ',') return propertyResult(schema, holder, top, text, from);
    }
    const values = valuesAt(schemasAt(schema, jsonOf(top, text), stepsTo(node, text)));
    const is_value = ['String', 'Property', 'True', 'False', 'Number', 'Null', '⚠'].includes(node.name);
    if (values.length === 0 || !is_value) return null;
    const start = node.name === 'String' ? node.from : from;
    const end = node.name === 'String' ? node.to : pos;
    const options = values.map(
      (value): Completion => ({ label: value, displayLabel: value.replaceAll('"', ''), type: 'enum' }),
    );
    return { from: start, to: end, options, filter: node.name !== 'String' };
  };
