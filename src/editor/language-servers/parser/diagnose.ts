import { DiagnosticSeverity } from 'vscode-languageserver-protocol'
import type { Diagnostic } from 'vscode-languageserver-protocol'
import type { SyntaxFault } from '../../../flow/cadence/syntax-tree.ts'
import type { ParsedSource } from './parse-source.ts'

/** What diagnostics name as their source. */
export const diagnosticSource = 'Cadence syntax'

const mostDiagnostics = 200
const longestMessage = 1000

/** What is wrong with a source by the parser, which knows its syntax and no types. */
export function diagnose({ faults, places, code }: ParsedSource): Diagnostic[] {
  const found = new Map<string, Diagnostic>()
  for (const fault of faults.slice(0, mostDiagnostics)) {
    const { start, end } = boundsOf(fault, (byte) => code.slice(0, places.offsetOfByte(byte)))
    const range = places.rangeOfBytes(start, end)
    const message = messageOf(fault, code.slice(0, places.offsetOfByte(start))).slice(0, longestMessage)
    found.set(`${range.start.line}:${range.start.character} ${message}`, {
      range,
      message,
      severity: DiagnosticSeverity.Error,
      source: diagnosticSource,
    })
  }
  return [...found.values()]
}

/** @param before what stands before a byte */
function boundsOf(
  fault: SyntaxFault & { readonly EndPos?: { readonly Offset: number } },
  before: (byte: number) => string,
): { start: number; end: number } {
  const start = (fault.StartPos ?? fault.Pos)?.Offset ?? 0
  // Of some tokens that it does not expect the parser gives the place behind them.
  const mark = fault.StartPos === undefined ? /'([^\s\w]{1,3})'$/.exec(fault.Message ?? '')?.[1] : undefined
  if (mark !== undefined && start >= mark.length) {
    const text = before(start)
    if (text.endsWith(mark) && !before(start + mark.length).endsWith(`${text}${mark}`))
      return { start: start - mark.length, end: start - 1 }
  }
  return { start, end: Math.max(start, fault.EndPos?.Offset ?? start) }
}

/** The parser has no words for two faults. @param before what stands before the fault */
function messageOf({ Message: message, SuggestedFix: fix }: SyntaxFault, before: string): string {
  if (message === undefined)
    return /\w\s*\{$/.test(before)
      ? 'a type restricted by interfaces, T{I}, is no longer there: write {I}'
      : 'this is nested deeper than the parser goes'
  return typeof fix === 'string' && fix !== '' ? `${message}: write ${fix}` : message
}
