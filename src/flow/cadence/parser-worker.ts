import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import { CadenceParser } from '@onflow/cadence-parser'
import { asError } from '../../platform/errors.ts'
import { readScript } from './read-script.ts'
import type { ScriptAnswer, ScriptRequest } from './read-script.ts'
import type { ParsedProgram } from './syntax-tree.ts'

/**
 * Posts `ready`, then answers one request at a time. The parser is Go in WebAssembly and can only
 * be interrupted by ending the thread.
 */

export type ParserWord =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly answer: ScriptAnswer }
  /** Nested too deeply for the parser or the tree walk. */
  | { readonly kind: 'too-deep' }
  | { readonly kind: 'failed'; readonly message: string }

const port = parentPort
if (port === null) throw new Error('this file must run as a thread of the script parser')
const say = (word: ParserWord): void => port.postMessage(word)

const binary = fileURLToPath(new URL('../cadence-parser.wasm', import.meta.resolve('@onflow/cadence-parser')))
const parser = await CadenceParser.create(await readFile(binary))

port.on('message', (request: ScriptRequest) => {
  try {
    say({ kind: 'answer', answer: readScript(request, (code) => parser.parse(code) as ParsedProgram) })
  } catch (error) {
    say(error instanceof RangeError ? { kind: 'too-deep' } : { kind: 'failed', message: asError(error).message })
  }
})
say({ kind: 'ready' })
