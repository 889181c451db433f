/**
 * A process that keeps examples in the folder that it is given, and says the id of each that is kept, until it is
 * killed.
 */
import { pino } from 'pino'
import { AgentMemory } from '../../../../src/assistant/query/agent-memory.ts'
import { PairFolder } from '../../../../src/assistant/query/pair-folder.ts'

const [folder = '', name = ''] = process.argv.slice(2)
const memory = new AgentMemory({ folder: new PairFolder(folder, pino({ level: 'silent' })) })
for (let n = 0; ; n++) {
  // Every other one takes the place of one that is there.
  const { id } = await memory.keep({
    target: 'indexer',
    question: `${name} ${Math.floor(n / 2)}`,
    sql: `SELECT ${n}, '${'x'.repeat(20_000)}'`,
  })
  process.stdout.write(`${id}\n`)
}
