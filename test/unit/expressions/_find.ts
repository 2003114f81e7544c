import { globSync, readFileSync } from 'node:fs';
import ts from '@typescript/typescript6';

/** A regular expression of the source; null if its text is known only at run time. */
export type Found = {
  readonly at: string;
  readonly text: string;
  readonly expression: RegExp | null;
  readonly everywhere: boolean;
};

const SOURCES = '**/*.{ts,tsx,js,mjs}';
const NOT_OURS = ['node_modules', '.local', 'out', 'test', 'bench', 'dashboard/dist', '.git'];

export const sourceFiles = (): readonly string[] =>
  globSync(SOURCES, { exclude: (path) => NOT_OURS.includes(path) }).toSorted();

/** The value of a constant expression; undefined if it is not constant. */
const textOfConstant = (node: ts.Expression, file: ts.SourceFile): string | undefined => {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isNumericLiteral(node)) return String(Number(node.text));
  if (ts.isParenthesizedExpression(node)) return textOfConstant(node.expression, file);
  if (ts.isRegularExpressionLiteral(node)) return node.text;
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText(file) === 'String.raw') {
    const { template } = node;
    return ts.isNoSubstitutionTemplateLiteral(template) ? template.rawText : undefined;
  }
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce<string | undefined>((before, { expression, literal }) => {
      const part = textOfConstant(expression, file);
      return before === undefined || part === undefined ? undefined : before + part + literal.text;
    }, node.head.text);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOfConstant(node.left, file), textOfConstant(node.right, file)];
    return left === undefined || right === undefined ? left : left + right;
  }
  if (ts.isPropertyAccessExpression(node) && node.name.text === 'source') {
    const literal = constantOf(node.expression, file);
    return literal !== undefined && ts.isRegularExpressionLiteral(literal) ? compiled(literal.text).source : undefined;
  }
  const constant = constantOf(node, file);
  return constant === undefined || constant === node ? undefined : textOfConstant(constant, file);
};

const constantOf = (node: ts.Expression, file: ts.SourceFile): ts.Expression | undefined => {
  if (!ts.isIdentifier(node)) return ts.isRegularExpressionLiteral(node) ? node : undefined;
  for (const statement of file.statements)
    if (ts.isVariableStatement(statement) && (statement.declarationList.flags & ts.NodeFlags.Const) !== 0)
      for (const { name, initializer } of statement.declarationList.declarations)
        if (ts.isIdentifier(name) && name.text === node.text) return initializer;
  return undefined;
};

const compiled = (literal: string): RegExp => {
  const end = literal.lastIndexOf('/');
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
};

/** Methods that find every match, whatever the flags. */
const EVERYWHERE = ['split', 'matchAll', 'replaceAll'];
/** Methods that compile a text to an expression. */
const COMPILING = ['match', 'matchAll', 'search'];

const calledMethod = ({ parent }: ts.Node): string | null =>
  ts.isCallExpression(parent) && ts.isPropertyAccessExpression(parent.expression) ? parent.expression.name.text : null;

const isRegExpCall = (node: ts.Node): node is ts.NewExpression | ts.CallExpression =>
  (ts.isNewExpression(node) || ts.isCallExpression(node)) && /^(globalThis\.)?RegExp$/.test(node.expression.getText());

const madeOf = (node: ts.NewExpression | ts.CallExpression, file: ts.SourceFile): RegExp | null => {
  const [pattern, flags] = node.arguments ?? [];
  if (pattern === undefined) return null;
  const literal = constantOf(pattern, file);
  const known = literal !== undefined && ts.isRegularExpressionLiteral(literal) ? compiled(literal.text) : null;
  const source = known?.source ?? textOfConstant(pattern, file);
  const given = flags === undefined ? (known?.flags ?? '') : textOfConstant(flags, file);
  return source === undefined || given === undefined ? null : new RegExp(source, given);
};

/** Every regular expression of a TypeScript text: literals, `RegExp(…)`, and texts that methods compile. */
export const expressionsIn = (path: string, text: string): readonly Found[] => {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Found[] = [];
  const add = (
    node: ts.Node,
    expression: RegExp | null,
    everywhere = EVERYWHERE.includes(calledMethod(node) ?? ''),
  ) => {
    const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
    found.push({ at: `${path}:${line}`, text: node.getText(file), expression, everywhere });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) add(node, compiled(node.text));
    else if (isRegExpCall(node)) add(node, madeOf(node, file));
    else if (ts.isStringLiteralLike(node) && COMPILING.includes(calledMethod(node) ?? ''))
      add(node, new RegExp(node.text));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
};

export const allExpressions = (): readonly Found[] =>
  sourceFiles().flatMap((path) => expressionsIn(path, readFileSync(path, 'utf8')));
