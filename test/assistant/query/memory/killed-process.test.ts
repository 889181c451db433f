import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { pino } from 'pino'
import { AgentMemory } from '../../../../src/assistant/query/agent-memory.ts'
import { PairFolder } from '../../../../src/assistant/query/pair-folder.ts'

const program = join(import.meta.dirname, 'store-examples.ts')

interface Writer {
  readonly child: ChildProcess
  /** Printed ids. */
  readonly ids: string[]
  /** Resolves when this many ids were printed. */
  printed(count: number): Promise<void>
}

function startWriter(folder: string, name: string): Writer {
  const child = spawn(process.execPath, [program, folder, name], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  const ids: string[] = []
  lines.on('line', (line) => ids.push(line))
  return {
    child,
    ids,
    printed: async (count) => {
      while (ids.length < count) await once(lines, 'line')
    },
  }
}

describe('memory of two killed processes', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-memory-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('contains every example that either process confirmed, intact, and accepts more', async () => {
    const writers = [startWriter(folder, 'Question'), startWriter(folder, 'Frage')]
    await Promise.all(writers.map((writer) => writer.printed(20)))
    await Promise.all(
      writers.map(async ({ child }) => {
        child.kill('SIGKILL')
        await once(child, 'close')
      }),
    )
    const warned: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => warned.push(line) })
    const memory = new AgentMemory({ folder: new PairFolder(folder, log) })
    const pairs = await memory.list()
    expect(pairs.map(({ id }) => id)).to.include.members(writers.flatMap(({ ids }) => ids))
    expect(pairs.every(({ sql }) => sql.endsWith("x'"))).to.equal(true)
    expect(warned).to.deep.equal([])
    await memory.add({ target: 'indexer', question: 'Another?', sql: 'SELECT 1' })
    expect(await memory.list()).to.have.length(pairs.length + 1)
  })
})
