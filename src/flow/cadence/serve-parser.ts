import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import { CadenceParser } from '@onflow/cadence-parser'
import { asError } from '../../platform/errors.ts'
import type { ParsedProgram } from './syntax-tree.ts'

export type ParserReply<Answer> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** Nested too deeply for the parser or the tree walk. */
  | { readonly kind: 'too-deep' }
  | { readonly kind: 'failed'; readonly message: string }

/**
 * Runs in the thread of a `ParserThread`: posts `ready`, then answers one question at a time. The
 * parser is Go in WebAssembly and can only be interrupted by ending the thread.
 */
export async function serveParser(
  open: (parse: (code: string) => ParsedProgram) => (question: never) => unknown,
): Promise<void> {
  const port = parentPort
  if (port === null) throw new Error('not started as a thread')
  const reply = (message: ParserReply<unknown>): void => port.postMessage(message)
  const binary = fileURLToPath(new URL('../cadence-parser.wasm', import.meta.resolve('@onflow/cadence-parser')))
  const parser = await CadenceParser.create(await readFile(binary))
  const answer = open((code) => parser.parse(code) as ParsedProgram)
  port.on('message', (question: unknown) => {
    try {
      reply({ kind: 'answer', answer: answer(question as never) })
    } catch (error) {
      reply(error instanceof RangeError ? { kind: 'too-deep' } : { kind: 'failed', message: asError(error).message })
    }
  })
  reply({ kind: 'ready' })
}
