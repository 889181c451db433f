import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import { CadenceParser } from '@onflow/cadence-parser'
import { SourceReader } from './source-reader.ts'
import type { SourceAnswers, SourceQuestion } from './source-reader.ts'
import type { ParsedProgram } from '../../flow/cadence/syntax-tree.ts'
import { asError } from '../../platform/errors.ts'

/**
 * Posts `ready`, then answers one question at a time. The parser is Go in WebAssembly and cannot be
 * interrupted from its own thread.
 */

export type ReaderWord =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly answer: SourceAnswers[keyof SourceAnswers] }
  | { readonly kind: 'too-deep' }
  | { readonly kind: 'failed'; readonly message: string }

const port = parentPort
if (port === null) throw new Error('not started as a thread')
const say = (word: ReaderWord): void => port.postMessage(word)

const binary = fileURLToPath(new URL('../cadence-parser.wasm', import.meta.resolve('@onflow/cadence-parser')))
const parser = await CadenceParser.create(await readFile(binary))
const reader = new SourceReader((code) => parser.parse(code) as ParsedProgram)

port.on('message', (question: SourceQuestion) => {
  try {
    say({ kind: 'answer', answer: reader.answer(question) })
  } catch (error) {
    say(error instanceof RangeError ? { kind: 'too-deep' } : { kind: 'failed', message: asError(error).message })
  }
})
say({ kind: 'ready' })
