import type { Diagnostic } from '@codemirror/lint'
import type { Text } from '@codemirror/state'
import type { Diagnostic as ServerDiagnostic, Position } from 'vscode-languageserver-protocol'

/** Lines and columns count from 1. */
export interface Problem {
  readonly path: string
  readonly severity: 'error' | 'warning' | 'info' | 'hint'
  readonly message: string
  readonly line: number
  readonly column: number
}

const severities = ['error', 'error', 'warning', 'info', 'hint'] as const

export function problemsOf(path: string, diagnostics: readonly ServerDiagnostic[]): readonly Problem[] {
  return diagnostics
    .map(({ severity = 1, message, range }) => ({
      path,
      severity: severities[severity] ?? 'error',
      message,
      line: range.start.line + 1,
      column: range.start.character + 1,
    }))
    .sort(
      (one, other) =>
        severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
        one.line - other.line ||
        one.column - other.column,
    )
}

export function marksOf(diagnostics: readonly ServerDiagnostic[], doc: Text): readonly Diagnostic[] {
  return diagnostics.map(({ severity = 1, message, range }) => {
    const from = offsetOf(doc, range.start)
    return { from, to: Math.max(from, offsetOf(doc, range.end)), severity: severities[severity] ?? 'error', message }
  })
}

/** In UTF-16 units; the nearest valid one. */
export function offsetOf(doc: Text, { line, character }: Position): number {
  if (line >= doc.lines) return doc.length
  const { from, length } = doc.line(Math.max(0, line) + 1)
  return from + Math.min(length, Math.max(0, character))
}
