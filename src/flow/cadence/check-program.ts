import { coreContractAddress } from '../core-contracts.ts'
import type { Network } from '../network.ts'
import type { Declaration, ParsedProgram, SyntaxFault } from './syntax-tree.ts'
import type { ProgramOutline } from './program-outline.ts'
import type { Place, SourceText } from './source-text.ts'

interface Finding extends Place {
  readonly message: string
  readonly source: string
  readonly hint: string | null
}

export interface ScriptCheck {
  readonly is_valid: boolean
  readonly errors: readonly Finding[]
  /** Parsed, but rejected by nodes. */
  readonly warnings: readonly Finding[]
  /** `script`, `transaction`, `contract`, several of them, or none. */
  readonly kinds: readonly string[]
  readonly truncated: boolean
  readonly note: string
}

interface CheckedProgram {
  readonly parsed: ParsedProgram
  readonly outline: ProgramOutline
  readonly source: SourceText
  readonly code: string
  readonly network: Network
}

const maxFindings = 20
const maxMessageCharacters = 500

const note =
  'Only the syntax was checked, as of Cadence 1.0. Types, names and members were not checked: ' +
  'run the script to find out.'
const noteOnTemplates = `${note} String templates "\\(…)" were not checked.`

export function checkProgram({ parsed, outline, source, code, network }: CheckedProgram): ScriptCheck {
  const faults = parsed.error?.Errors ?? []
  const errors = distinct(faults.map((fault) => readFault(fault, source)))
  if (errors.length === 0 && typeof parsed.error?.Message === 'string')
    errors.push(readFault({ Message: parsed.error.Message }, source))
  // A truncated program would cause false warnings.
  const warnings = errors.length > 0 ? [] : distinct(warningsOf(outline, source, network))
  return {
    is_valid: errors.length === 0,
    errors: errors.slice(0, maxFindings),
    warnings: warnings.slice(0, maxFindings),
    kinds: kindsOf(outline),
    truncated: errors.length > maxFindings || warnings.length > maxFindings,
    note: /\\\(/.test(code) ? noteOnTemplates : note,
  }
}

function readFault(
  { Message: message, SuggestedFix: fix, Pos: at, StartPos: start }: SyntaxFault,
  source: SourceText,
): Finding {
  const place = source.placeOf(at?.Offset ?? start?.Offset ?? 0)
  const words = message ?? silentFault(source.slice(0, (at?.Offset ?? start?.Offset ?? 0) - 1))
  return {
    message: words.slice(0, maxMessageCharacters),
    ...place,
    source: source.shownLine(place.line),
    hint:
      typeof fix === 'string' && fix !== '' ? `Replace it with ${fix.slice(0, maxMessageCharacters)}.` : hintFor(words),
  }
}

/** The parser reports two faults without a message. @param before source before the fault */
function silentFault(before: string): string {
  return /\w\s*\{$/.test(before)
    ? 'restricted types T{I} were removed in Cadence 1.0'
    : 'nested too deeply for the parser'
}

const hints: ReadonlyArray<readonly [pattern: RegExp, hint: string]> = [
  [
    /`pub\(set\)`/,
    'Use access(all) and add a setter function: since Cadence 1.0 only the containing type can set the field.',
  ],
  [/type restricted by/, 'Since Cadence 1.0, write {I} for @AnyResource{I}, and &{I} for a reference.'],
  [/statements on the same line/, 'Start a new line, or add a semicolon.'],
]

function hintFor(message: string): string | null {
  return hints.find(([pattern]) => pattern.test(message))?.[1] ?? null
}

function kindsOf({ declarations }: ProgramOutline): string[] {
  const found = declarations.flatMap(({ kind, name }) => {
    if (kind === 'function' && name === 'main') return ['script']
    if (kind === 'transaction') return ['transaction']
    return kind.startsWith('contract') ? ['contract'] : []
  })
  return [...new Set(found)]
}

function warningsOf(outline: ProgramOutline, source: SourceText, network: Network): Finding[] {
  const warn = ({ nameStart }: Pick<Declaration, 'nameStart'>, message: string, hint: string): Finding => {
    const place = source.placeOf(nameStart)
    return { message, ...place, source: source.shownLine(place.line), hint }
  }
  const imports = outline.declarations
    .filter(({ kind }) => kind === 'import')
    .flatMap((declaration) => {
      const { name, location = '' } = declaration
      const core = coreContractAddress(name, network)
      if (/^[0-9a-f]{16}$/.test(location)) {
        return core === undefined || core === location
          ? []
          : [warn(declaration, `the core contract ${name} is not at 0x${location} on ${network}`, `Use 0x${core}.`)]
      }
      // Crypto is built in and has no address.
      if (location === 'Crypto') return []
      const remedy =
        core === undefined
          ? 'Import it from the address of its account: import Name from 0x…'
          : `Write import ${name} from 0x${core}`
      return [warn(declaration, 'nodes do not resolve imports without an address', `${remedy}.`)]
    })
  const withoutAccess = outline.declarations
    .flatMap(withMembers)
    .filter(needsAccess)
    .map((declaration) =>
      warn(
        declaration,
        `${declaration.kind} ${declaration.name} has no access modifier, which Cadence 1.0 requires`,
        `Add access(all) or a narrower modifier.`,
      ),
    )
  const isEmpty = kindsOf(outline).length === 0
  const nothing = {
    message: 'the source declares nothing to run',
    ...source.placeOf(0),
    source: source.shownLine(1),
    hint: 'Add access(all) fun main() to run it as a script.',
  }
  return [...imports, ...withoutAccess, ...(isEmpty ? [nothing] : [])]
}

function withMembers(declaration: Declaration): Declaration[] {
  return [declaration, ...declaration.members.flatMap(withMembers)]
}

const withoutModifier: ReadonlySet<string> = new Set([
  'import',
  'transaction',
  'special function',
  'parameter',
  'case',
  'entitlement',
  'entitlement mapping',
])

function needsAccess({ kind, access, container }: Declaration): boolean {
  if (withoutModifier.has(kind) || access !== undefined) return false
  // Transaction fields are private.
  return container?.kind !== 'transaction'
}

function distinct(findings: readonly Finding[]): Finding[] {
  const seen = new Map(findings.map((finding) => [`${finding.line}:${finding.column}:${finding.message}`, finding]))
  return [...seen.values()]
}
