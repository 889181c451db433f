import { fileURLToPath } from 'node:url'
import type { LanguageServerProgram } from '../language-server-program.ts'
import { parserServerName } from '../parser/parser-server.ts'

/** Our own language server on the parser of Cadence 1.0, as a program. */
export function parserProgram(): LanguageServerProgram {
  return {
    kind: 'parser',
    label: parserServerName,
    command: process.execPath,
    args: [fileURLToPath(new URL('../parser/main.ts', import.meta.url))],
  }
}

/** The checker of Cadence 0.42, as a program. */
export function oldProgram(): LanguageServerProgram {
  return {
    kind: 'pre-1.0',
    label: 'Cadence 0.42 (before 1.0)',
    command: process.execPath,
    args: [fileURLToPath(new URL('../pre-1.0/main.ts', import.meta.url))],
  }
}
