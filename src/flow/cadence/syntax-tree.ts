/** Other fields depend on `Type`. */
export interface SyntaxNode {
  readonly Type?: string
  readonly StartPos: SyntaxPlace
  /** The last byte. */
  readonly EndPos: SyntaxPlace
  readonly [field: string]: unknown
}

/** Byte offset. The parser's lines and columns are wrong after comments. */
interface SyntaxPlace {
  readonly Offset: number
}

/** Has no `Type`. */
export interface NameNode extends SyntaxNode {
  readonly Identifier: string
}

/** Without a message: nested too deeply. */
export interface SyntaxFault {
  readonly Message?: string
  readonly SuggestedFix?: string
  readonly Pos?: SyntaxPlace
  readonly StartPos?: SyntaxPlace
}

export interface ParsedProgram {
  readonly program?: { readonly Declarations?: readonly SyntaxNode[] | null } | null
  readonly error?: { readonly Errors?: readonly SyntaxFault[] | null; readonly Message?: string } | null
}

function isNode(value: unknown): value is SyntaxNode {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && 'StartPos' in value && 'EndPos' in value
  )
}

export function isName(value: unknown): value is NameNode {
  return (
    isNode(value) && value.Type === undefined && typeof value['Identifier'] === 'string' && value['Identifier'] !== ''
  )
}

export function nodeIn(node: SyntaxNode, field: string): SyntaxNode | undefined {
  const value = node[field]
  return isNode(value) ? value : undefined
}

export function nodesIn(
  holder: Readonly<Record<string, unknown>> | SyntaxNode | undefined,
  field: string,
): readonly SyntaxNode[] {
  const value: unknown = holder?.[field]
  return Array.isArray(value) ? value.filter(isNode) : []
}

/** Including those in lists and objects without a position. */
export function nodesBelow(node: SyntaxNode): SyntaxNode[] {
  return Object.values(node).flatMap(nodesOf)
}

function nodesOf(value: unknown): SyntaxNode[] {
  if (isNode(value)) return [value]
  if (Array.isArray(value)) return value.flatMap(nodesOf)
  // Positions are objects of numbers.
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap((inner) => (typeof inner === 'object' ? nodesOf(inner) : []))
    : []
}

export interface Declaration {
  readonly kind: string
  readonly name: string
  /** `access(all)`; undefined if omitted. */
  readonly access: string | undefined
  readonly signature: string
  readonly doc: string
  readonly type: string | undefined
  readonly start: number
  readonly end: number
  readonly nameStart: number
  readonly container: Declaration | undefined
  readonly members: Declaration[]
  /** 16 hex digits or a name. */
  readonly location: string | undefined
}
