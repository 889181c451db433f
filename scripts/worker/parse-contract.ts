import { serveParser } from '../../src/flow/cadence/serve-parser.ts'
import { contractEvents } from './contract-events.ts'
import type { ContractQuestion } from './contract-events.ts'

await serveParser((parse) => (question: ContractQuestion) => contractEvents(question, parse))
