import { serveParser } from '../../flow/cadence/serve-parser.ts'
import { SourceReader } from './source-reader.ts'
import type { SourceQuestion } from './source-reader.ts'

await serveParser((parse) => {
  const reader = new SourceReader(parse)
  return (question: SourceQuestion) => reader.answer(question)
})
