import type { Declaration, NameNode, ParsedProgram, SyntaxNode } from './syntax-tree.ts'
import type { SourceText } from './source-text.ts'
import { isName, nodeIn, nodesBelow, nodesIn } from './syntax-tree.ts'

export interface Scope {
  readonly parent: Scope | undefined
  /** Owner of the body; undefined for blocks. */
  readonly owner: Declaration | undefined
  /** In source order: later declarations shadow earlier ones. */
  readonly declared: Declaration[]
}

export interface NameUse {
  readonly name: string
  readonly start: number
  /** Last byte. */
  readonly end: number
  readonly scope: Scope
  readonly declares: Declaration | undefined
  readonly memberOf: SyntaxNode | NameUse | undefined
}

export interface ProgramOutline {
  readonly declarations: readonly Declaration[]
  readonly uses: readonly NameUse[]
  readonly root: Scope
}

const maxSignatureCharacters = 500
const maxDocBytes = 2000

export function outlineOf({ program }: ParsedProgram, source: SourceText): ProgramOutline {
  const root: Scope = { parent: undefined, owner: undefined, declared: [] }
  const uses: NameUse[] = []
  const outline = new Outline(source, uses)
  for (const node of program?.Declarations ?? []) outline.visit(node, root)
  return { declarations: root.declared, uses, root }
}

class Outline {
  readonly #source: SourceText
  readonly #uses: NameUse[]

  constructor(source: SourceText, uses: NameUse[]) {
    this.#source = source
    this.#uses = uses
  }

  visit(node: SyntaxNode, scope: Scope): void {
    switch (node.Type) {
      case 'ImportDeclaration':
        return this.#visitImport(node, scope)
      case 'CompositeDeclaration':
      case 'InterfaceDeclaration':
      case 'AttachmentDeclaration':
      case 'TransactionDeclaration':
        return this.#visitComposite(node, scope)
      case 'FunctionDeclaration':
        return this.#visitFunction(node, node, 'function', scope)
      case 'SpecialFunctionDeclaration':
        return this.#visitSpecialFunction(node, scope)
      case 'FunctionExpression':
        return this.#visitBelow(node, this.#withParameters(node, { parent: scope, owner: undefined, declared: [] }))
      case 'VariableDeclaration':
        return this.#visitVariable(node, scope)
      case 'FieldDeclaration':
        return this.#visitNamed(
          node,
          node['VariableKind'] === 'VariableKindVariable' ? 'variable field' : 'field',
          scope,
        )
      case 'EnumCaseDeclaration':
        return this.#visitNamed(node, 'case', scope)
      case 'EntitlementDeclaration':
        return this.#visitNamed(node, 'entitlement', scope)
      case 'EntitlementMappingDeclaration':
        return this.#visitNamed(node, 'entitlement mapping', scope)
      case 'ForStatement':
        return this.#visitFor(node, scope)
      case 'Block':
      case 'IfStatement':
      case 'SwitchCase':
        return this.#visitBelow(node, { parent: scope, owner: undefined, declared: [] })
      case 'MemberExpression':
        return this.#visitMember(node, scope)
      case 'NominalType':
        return this.#visitType(node, scope)
      case undefined:
      default:
        return this.#visitBelow(node, scope)
    }
  }

  #visitBelow(node: SyntaxNode, scope: Scope): void {
    for (const below of nodesBelow(node)) {
      if (isName(below)) this.#use(below, scope)
      else this.visit(below, scope)
    }
  }

  #visitImport(node: SyntaxNode, scope: Scope): void {
    const place = node['Location'] as Readonly<Record<string, unknown>> | undefined
    const where = [place?.['Address'], place?.['String'], place?.['Identifier']].find(
      (value) => typeof value === 'string',
    )
    const location = typeof where === 'string' ? where.replace(/^0x/, '') : undefined
    const names = nodesIn(node, 'Identifiers').filter(isName)
    for (const name of names) this.#use(name, scope, this.#declare(node, name, 'import', scope, { location }))
    // `import "FlowToken"` and `import Crypto` name the contract by its location.
    if (names.length === 0 && location !== undefined && typeof place?.['Address'] !== 'string') {
      const at = (node['LocationPos'] as { readonly Offset?: number } | undefined)?.Offset ?? node.StartPos.Offset
      const start = typeof place?.['String'] === 'string' ? at + 1 : at
      const name = {
        Identifier: location,
        StartPos: { Offset: start },
        EndPos: { Offset: start + Buffer.byteLength(location) - 1 },
      }
      this.#use(name, scope, this.#declare(node, name, 'import', scope, { location }))
    }
  }

  #visitComposite(node: SyntaxNode, scope: Scope): void {
    const name: unknown = node['Identifier']
    const owner = this.#declare(node, isName(name) ? name : nameFor('transaction', node), kindOf(node), scope)
    if (isName(name)) this.#use(name, scope, owner)
    const inner = this.#withParameters(node, { parent: scope, owner, declared: [] })
    const members = new Set([
      ...nodesIn(node['Members'] as SyntaxNode | undefined, 'Declarations'),
      ...nodesIn(node, 'Fields'),
    ])
    for (const below of nodesBelow(node)) {
      if (!isName(below) && !members.has(below)) this.visit(below, inner)
    }
    for (const member of members) this.visit(member, inner)
  }

  #visitFunction(node: SyntaxNode, whole: SyntaxNode, kind: string, scope: Scope): void {
    const name = node['Identifier']
    const owner = isName(name) ? this.#declare(whole, name, kind, scope) : undefined
    if (isName(name) && owner !== undefined) this.#use(name, scope, owner)
    const inner = this.#withParameters(node, { parent: scope, owner: undefined, declared: [] })
    for (const below of nodesBelow(node)) {
      if (!isName(below)) this.visit(below, inner)
    }
  }

  #visitSpecialFunction(node: SyntaxNode, scope: Scope): void {
    const inner = nodeIn(node, 'FunctionDeclaration')
    if (inner !== undefined) this.#visitFunction(inner, node, 'special function', scope)
  }

  #visitVariable(node: SyntaxNode, scope: Scope): void {
    // An initializer cannot refer to its own variable.
    for (const below of nodesBelow(node)) {
      if (!isName(below)) this.visit(below, scope)
    }
    const name = node['Identifier']
    if (isName(name))
      this.#use(name, scope, this.#declare(node, name, node['IsConstant'] === true ? 'constant' : 'variable', scope))
  }

  #visitNamed(node: SyntaxNode, kind: string, scope: Scope): void {
    const name = node['Identifier']
    if (isName(name)) this.#use(name, scope, this.#declare(node, name, kind, scope))
    for (const below of nodesBelow(node)) {
      if (!isName(below)) this.visit(below, scope)
    }
  }

  #visitFor(node: SyntaxNode, scope: Scope): void {
    const inner: Scope = { parent: scope, owner: undefined, declared: [] }
    for (const field of ['Identifier', 'Index']) {
      const name = node[field]
      if (isName(name))
        this.#use(
          name,
          inner,
          this.#declare({ ...node, EndPos: name.EndPos, StartPos: name.StartPos }, name, 'constant', inner),
        )
    }
    for (const below of nodesBelow(node)) {
      if (!isName(below)) this.visit(below, inner)
    }
  }

  #visitMember(node: SyntaxNode, scope: Scope): void {
    const whole = nodeIn(node, 'Expression')
    if (whole !== undefined) this.visit(whole, scope)
    const name: unknown = node['Identifier']
    if (isName(name)) this.#use(name, scope, undefined, whole)
  }

  #visitType(node: SyntaxNode, scope: Scope): void {
    const first: unknown = node['Identifier']
    if (!isName(first)) return
    let use = this.#use(first, scope)
    for (const name of nodesIn(node, 'NestedIdentifiers').filter(isName)) use = this.#use(name, scope, undefined, use)
  }

  #withParameters(node: SyntaxNode, scope: Scope): Scope {
    for (const parameter of nodesIn(nodeIn(node, 'ParameterList'), 'Parameters')) {
      const name = parameter['Identifier']
      if (isName(name)) this.#use(name, scope, this.#declare(parameter, name, 'parameter', scope, { isLocal: true }))
    }
    return scope
  }

  #use(name: NameNode, scope: Scope, declares?: Declaration, memberOf?: SyntaxNode | NameUse): NameUse {
    const use = {
      name: name.Identifier,
      start: name.StartPos.Offset,
      end: name.EndPos.Offset,
      scope,
      declares,
      memberOf,
    }
    this.#uses.push(use)
    return use
  }

  #declare(
    node: SyntaxNode,
    name: NameNode,
    kind: string,
    scope: Scope,
    { location, isLocal = false }: { location?: string | undefined; isLocal?: boolean } = {},
  ): Declaration {
    const container = isLocal ? undefined : scope.owner
    const signature = this.#signatureOf(node)
    const annotation = nodeIn(node, 'TypeAnnotation')
    const declaration: Declaration = {
      kind,
      name: name.Identifier,
      signature,
      container,
      location,
      members: [],
      access: /^access\s*\([^)]*\)/.exec(signature)?.[0],
      doc: this.#docOf(node),
      type:
        annotation === undefined ? undefined : this.#source.slice(annotation.StartPos.Offset, annotation.EndPos.Offset),
      start: node.StartPos.Offset,
      end: node.EndPos.Offset,
      nameStart: name.StartPos.Offset,
    }
    container?.members.push(declaration)
    // Fields and functions of composites are reached through `self` only.
    if (container === undefined || isType(declaration)) scope.declared.push(declaration)
    return declaration
  }

  /** The parser drops the comments of fields. */
  #docOf(node: SyntaxNode): string {
    const known = typeof node['DocString'] === 'string' ? node['DocString'].trim() : ''
    if (known !== '' || node.Type !== 'FieldDeclaration') return known
    const before = this.#source.slice(node.StartPos.Offset - maxDocBytes, node.StartPos.Offset - 1)
    const [, lines = ''] = /((?:^[ \t]*\/\/\/.*\n)+)[ \t]*$/m.exec(before) ?? []
    return lines.replaceAll(/^[ \t]*\/\/\//gm, '').trim()
  }

  #signatureOf(node: SyntaxNode): string {
    const body = bodyStart(node)
    const end = body === undefined ? node.EndPos.Offset : body - 1
    const text = this.#source.slice(
      node.StartPos.Offset,
      Math.min(end, node.StartPos.Offset + 4 * maxSignatureCharacters),
    )
    const head = body === undefined && hasMembers(node) ? text.replace(/\{[^]*$/, '') : text
    const line = head.replaceAll(/\s+/g, ' ').trim()
    return line.length > maxSignatureCharacters ? `${line.slice(0, maxSignatureCharacters)}…` : line
  }
}

function bodyStart(node: SyntaxNode): number | undefined {
  const holder = nodeIn(node, 'FunctionDeclaration') ?? node
  return nodeIn(holder, 'FunctionBlock')?.StartPos.Offset
}

function hasMembers(node: SyntaxNode): boolean {
  return 'Members' in node || node.Type === 'TransactionDeclaration' || node.Type === 'EntitlementMappingDeclaration'
}

function nameFor(name: string, node: SyntaxNode): NameNode {
  return { Identifier: name, StartPos: node.StartPos, EndPos: { Offset: node.StartPos.Offset + name.length - 1 } }
}

const compositeKinds: Readonly<Record<string, string>> = {
  CompositeKindContract: 'contract',
  CompositeKindResource: 'resource',
  CompositeKindStructure: 'struct',
  CompositeKindEnum: 'enum',
  CompositeKindEvent: 'event',
}

function kindOf(node: SyntaxNode): string {
  if (node.Type === 'TransactionDeclaration') return 'transaction'
  if (node.Type === 'AttachmentDeclaration') return 'attachment'
  const kind = compositeKinds[String(node['CompositeKind'])] ?? 'composite'
  return node.Type === 'InterfaceDeclaration' ? `${kind} interface` : kind
}

const typeKinds: ReadonlySet<string> = new Set([
  ...Object.values(compositeKinds),
  ...Object.values(compositeKinds).map((kind) => `${kind} interface`),
  'attachment',
  'entitlement',
  'entitlement mapping',
])

export function isType({ kind }: Declaration): boolean {
  return typeKinds.has(kind)
}
