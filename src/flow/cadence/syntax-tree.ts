/** A node of what the parser gives: an object with a `Type` and places, whose other fields depend on that. */
export interface SyntaxNode {
  readonly Type?: string
  readonly StartPos: SyntaxPlace
  /** Of the last byte. */
  readonly EndPos: SyntaxPlace
  readonly [field: string]: unknown
}

/** Bytes from the beginning. Lines and columns are there too, and wrong behind comments. */
interface SyntaxPlace {
  readonly Offset: number
}

/** A name in the source. It has no `Type`. */
export interface NameNode extends SyntaxNode {
  readonly Identifier: string
}

/** What is wrong, as the parser says it. What it says nothing of is nested too deep. */
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

/** A field that is a node; undefined where it is none. */
export function nodeIn(node: SyntaxNode, field: string): SyntaxNode | undefined {
  const value = node[field]
  return isNode(value) ? value : undefined
}

/** A field that is a list of nodes; empty where it is none. */
export function nodesIn(
  holder: Readonly<Record<string, unknown>> | SyntaxNode | undefined,
  field: string,
): readonly SyntaxNode[] {
  const value: unknown = holder?.[field]
  return Array.isArray(value) ? value.filter(isNode) : []
}

/** The nodes right below one, in lists and objects without a place too. */
export function nodesBelow(node: SyntaxNode): SyntaxNode[] {
  return Object.values(node).flatMap(nodesOf)
}

function nodesOf(value: unknown): SyntaxNode[] {
  if (isNode(value)) return [value]
  if (Array.isArray(value)) return value.flatMap(nodesOf)
  // Members and conditions are in objects without a place; places are objects of numbers.
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap((inner) => (typeof inner === 'object' ? nodesOf(inner) : []))
    : []
}

/** A name that a source declares. */
export interface Declaration {
  /** In words: `contract`, `resource`, `function`, `field`, `constant`, `parameter`, `import` … */
  readonly kind: string
  readonly name: string
  /** `access(all)`; undefined where the source says nothing. */
  readonly access: string | undefined
  /** Its head as it is written, without its body. */
  readonly signature: string
  /** What its comment says; '' where it has none. */
  readonly doc: string
  /** The type that the source gives it: of a field, a parameter, a constant. */
  readonly type: string | undefined
  /** Bytes, the last one included. */
  readonly start: number
  readonly end: number
  /** Where the name itself stands. */
  readonly nameStart: number
  readonly container: Declaration | undefined
  /** In their order. */
  readonly members: Declaration[]
  /** Of an import: where it leads, as 16 hex digits or a name. */
  readonly location: string | undefined
}
