import { jsonLanguage } from '@codemirror/lang-json';

type Tree = ReturnType<typeof jsonLanguage.parser.parse>;
type Node = Tree['topNode'];

export type Step = string | number;

/** The steps of a path like `compositions[0].layers[3].duration`. */
export const stepsOf = (path: string): readonly Step[] =>
  Array.from(path.matchAll(/\[(\d{1,6})\]|([^.[\]]+)/g), ([, index, name = '']) =>
    index === undefined ? name : Number(index),
  );

const VALUES = ['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null'];

const valuesIn = (node: Node): readonly Node[] => {
  const found: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (VALUES.includes(child.name)) found.push(child);
  return found;
};

export const nameOf = (property: Node, text: string): string => {
  const name = property.getChild('PropertyName');
  try {
    return name === null ? '' : String(JSON.parse(text.slice(name.from, name.to)));
  } catch {
    return '';
  }
};

const stepInto = (node: Node, step: Step, text: string): Node | null => {
  if (typeof step === 'number') return valuesIn(node)[step] ?? null;
  return node.getChildren('Property').find((property) => nameOf(property, text) === step) ?? null;
};

export type Place = { readonly from: number; readonly to: number };

/** The first line of a node, because a mark over a whole object hides more than it shows. */
const placeOf = ({ from, to }: Node, text: string): Place => {
  const line_end = text.indexOf('\n', from);
  return { from, to: line_end === -1 ? to : Math.min(to, line_end) };
};

/** Where a path is in the text: its value, or the nearest one around it. */
export const placeOfPath = (text: string, path: string): Place => {
  const { topNode } = jsonLanguage.parser.parse(text);
  let [node] = valuesIn(topNode);
  if (node === undefined) return { from: 0, to: 0 };
  for (const step of stepsOf(path)) {
    const next = stepInto(node, step, text);
    if (next === null) break;
    const [value] = next.name === 'Property' ? valuesIn(next) : [next];
    node = value ?? next;
  }
  return placeOf(node, text);
};

/** The line of a path in the text, from 1. */
export const lineOfPath = (text: string, path: string): number =>
  text.slice(0, placeOfPath(text, path).from).split('\n').length;
