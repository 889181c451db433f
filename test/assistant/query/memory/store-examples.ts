/** Stores examples in the given folder and prints the id of each, until it is killed. */
import { pino } from 'pino'
import { AgentMemory } from '../../../../src/assistant/query/agent-memory.ts'
import { PairFolder } from '../../../../src/assistant/query/pair-folder.ts'

const [folder = '', name = ''] = process.argv.slice(2)
const memory = new AgentMemory({ folder: new PairFolder(folder, pino({ level: 'silent' })) })
for (let n = 0; ; n++) {
  // Every other one replaces an existing example.
  const { id } = await memory.add({
    target: 'indexer',
    question: `${name} ${Math.floor(n / 2)}`,
    sql: `SELECT ${n}, '${'x'.repeat(20_000)}'`,
  })
  process.stdout.write(`${id}\n`)
}
