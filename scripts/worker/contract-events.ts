import { SourceText } from '../../src/flow/cadence/source-text.ts'
import { hideNewerSyntax } from '../../src/flow/cadence/newer-syntax.ts'
import { isName, nodeIn, nodesIn } from '../../src/flow/cadence/syntax-tree.ts'
import type { ParsedProgram, SyntaxNode } from '../../src/flow/cadence/syntax-tree.ts'
import { typeReader } from './event-types.ts'
import type { DeclaredKind, FieldType } from './event-types.ts'

export interface EventField extends FieldType {
  readonly name: string
}

export interface ContractEvent {
  /** `MomentPurchased`, `Listing.ResourceDestroyed` */
  readonly name: string
  readonly doc: string
  readonly fields: readonly EventField[]
}

export interface ContractStruct {
  readonly name: string
  readonly fields: readonly EventField[]
}

export interface ContractEvents {
  readonly isFound: boolean
  readonly events: readonly ContractEvent[]
  readonly structs: readonly ContractStruct[]
  /** First syntax error, with its line. Then it has 0 events. */
  readonly fault: string | undefined
}

export interface ContractQuestion {
  readonly code: string
  /** 16 hex digits. */
  readonly address: string
  readonly name: string
}

/** @throws RangeError if the source is nested too deeply */
export function contractEvents(
  { code, address, name }: ContractQuestion,
  parse: (code: string) => ParsedProgram,
): ContractEvents {
  const source = new SourceText(code)
  const parsed = parse(hideNewerSyntax(code))
  const declarations = parsed.program?.Declarations ?? []
  const contract = declarations.find(
    (node) => node['CompositeKind'] === 'CompositeKindContract' && nameOf(node) === name,
  )
  const members = membersOf(contract)
  const typeOf = typeReader({
    contract: { id: `A.${address}.${name}`, name },
    declared: new Map(members.map((node) => [nameOf(node), kindOf(node)])),
    imported: importedContracts(declarations, source),
  })
  const fieldsOf = (nodes: readonly SyntaxNode[]): readonly EventField[] => [
    ...new Map(nodes.map((node) => [nameOf(node), { name: nameOf(node), ...typeOf(annotatedType(node)) }])).values(),
  ]
  const eventOf = (node: SyntaxNode, owner = ''): ContractEvent => ({
    name: `${owner}${nameOf(node)}`,
    doc: docOf(node),
    fields: fieldsOf(parametersOf(node)),
  })
  const events = members.flatMap((node) =>
    isEvent(node)
      ? [eventOf(node)]
      : membersOf(node)
          .filter(isEvent)
          .map((inner) => eventOf(inner, `${nameOf(node)}.`)),
  )
  return {
    isFound: contract !== undefined,
    events: [...new Map(events.map((event) => [event.name, event])).values()],
    structs: members
      .filter((node) => kindOf(node).kind === 'struct')
      .map((node) => ({
        name: nameOf(node),
        fields: fieldsOf(membersOf(node).filter(({ Type }) => Type === 'FieldDeclaration')),
      })),
    fault: faultOf(parsed, source),
  }
}

function kindOf(node: SyntaxNode): DeclaredKind {
  if (node.Type === 'InterfaceDeclaration') return { kind: 'interface' }
  if (node['CompositeKind'] === 'CompositeKindStructure') return { kind: 'struct' }
  if (node['CompositeKind'] === 'CompositeKindEnum') return { kind: 'enum', raw: nodesIn(node, 'Conformances')[0] }
  return { kind: 'other' }
}

function importedContracts(declarations: readonly SyntaxNode[], source: SourceText): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const node of declarations) {
    const location = node['Location'] as Readonly<Record<string, unknown>> | undefined
    const address = location?.['Address']
    if (node.Type !== 'ImportDeclaration' || typeof address !== 'string') continue
    // The parser does not know aliases, which are hidden from it.
    const text = source.slice(node.StartPos.Offset, node.EndPos.Offset)
    const aliases = new Map([...text.matchAll(/(\w+)\s+as\s+(\w+)/g)].map(([, name, alias]) => [alias, name]))
    for (const { Identifier: name } of nodesIn(node, 'Identifiers').filter(isName)) {
      found.set(name, `A.${address.replace(/^0x/, '').padStart(16, '0')}.${aliases.get(name) ?? name}`)
    }
  }
  return found
}

function membersOf(node: SyntaxNode | undefined): readonly SyntaxNode[] {
  return nodesIn(node?.['Members'] as SyntaxNode | undefined, 'Declarations')
}

function isEvent(node: SyntaxNode): boolean {
  return node['CompositeKind'] === 'CompositeKindEvent'
}

function parametersOf(event: SyntaxNode): readonly SyntaxNode[] {
  return membersOf(event).flatMap((member) => {
    const initializer = nodeIn(member, 'FunctionDeclaration')
    return nodesIn(initializer?.['ParameterList'] as SyntaxNode | undefined, 'Parameters')
  })
}

function annotatedType(node: SyntaxNode): SyntaxNode | undefined {
  return (node['TypeAnnotation'] as Readonly<Record<string, SyntaxNode>> | undefined)?.['AnnotatedType']
}

function nameOf(node: SyntaxNode): string {
  const name = node['Identifier']
  return isName(name) ? name.Identifier : ''
}

const maxDocCharacters = 80

/** First sentence. */
function docOf(node: SyntaxNode): string {
  const text = typeof node['DocString'] === 'string' ? node['DocString'] : ''
  const line = text.replaceAll(/[\s*]+/g, ' ').trim()
  const sentence = /^.*?[.!?](?= |$)/.exec(line)?.[0] ?? line
  return sentence.length > maxDocCharacters
    ? `${sentence
        .slice(0, maxDocCharacters - 1)
        .toWellFormed()
        .trimEnd()}…`
    : sentence
}

function faultOf({ error }: ParsedProgram, source: SourceText): string | undefined {
  const fault = error?.Errors?.[0]
  if (fault === undefined) return error?.Message
  const { line } = source.placeOf(fault.Pos?.Offset ?? fault.StartPos?.Offset ?? 0)
  return `line ${line}: ${(fault.Message ?? 'nested too deeply').slice(0, 300)}`
}
