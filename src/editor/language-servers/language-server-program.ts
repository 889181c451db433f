/**
 * A language server as a program that speaks LSP over its standard input and output, framed by `Content-Length`. The channel runs one for each
 * network, whichever kind it is, and starts it again when it ends.
 */
export interface LanguageServerProgram {
  /**
   * `cli`: the checker of Cadence, of a `flow`-style program. `parser`: our own on the parser of Cadence 1.0, which knows syntax and the names of a file, and no
   * types. `pre-1.0`: the checker of Cadence 0.42, for code from before 1.0.
   */
  readonly kind: 'cli' | 'parser' | 'pre-1.0'
  /** What people are told that answers them, such as `Cadence 1.0 parser: syntax only`. */
  readonly label: string
  readonly command: string
  readonly args: readonly string[]
  /** Beside the bare minimum (PATH, HOME, TMPDIR): the variables of this process, secrets among them, are not passed on. */
  readonly env?: Readonly<Record<string, string>>
  /** Of `initialize`. */
  readonly initializationOptions?: unknown
}
