import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { workers } from '../../jobs/index.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { derivedDigest } from '../support/derived-tables.ts'
import { untilDerived } from '../support/farm.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { rawDigest, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import { directions } from '../support/faultless-digest.ts'

const workerNames = workers.map(({ name }) => name)
const MiB = 1024 * 1024
const lastHeight = 40
const bombs = { from: 22, to: 25 }

/** Peak memory of a process, in bytes. */
function peakMemory(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}

describe('blocks whose events are 1,000 times larger as text than encoded', function () {
  this.timeout(240_000)

  it('are stored and derived within 1 GiB of memory, with the same result after kills', async () => {
    await using node = await startRecordedNode('base', { head: lastHeight })
    node.inject({ kind: 'oversized', bytes: 8 * MiB, by: 'expanding-events', heights: bombs })
    const start = (database: TestDatabase): FlowfarmProcess =>
      new FlowfarmProcess(['ingest', 'farm'], {
        DB_URL: database.url,
        CHAIN_ACCESS_NODE: node.endpoint,
        NODE_OPTIONS: '--max-old-space-size=512',
        ...directions.forward,
      })
    const digests: Record<string, string>[] = []
    for (const isKilled of [false, true]) {
      const database = await createTestDatabase()
      let program = start(database)
      try {
        if (isKilled) {
          await untilStored(database, 0, bombs.from)
          await program.end('SIGKILL')
          program = start(database)
        }
        await untilStored(database, 0, lastHeight)
        await untilDerived(database, workerNames, [{ from: 0, to: lastHeight + 1 }])
        expect(peakMemory(program.pid)).to.be.below(1024 * MiB)
        expect(await program.end('SIGTERM'), program.output()).to.equal(0)
        const { rows } = await database.pool.query<{ height: number; lost: number }>(
          `select block_height::int4 as height, count(*)::int4 as lost from raw.indexing_errors
           where code = 'payload-too-large' and raw_data is not null group by 1 order by 1`,
        )
        expect(rows.map((row) => row.height)).to.deep.equal([22, 23, 24, 25])
        expect(rows.every((row) => row.lost % 4 === 0)).to.equal(true)
        digests.push({ ...(await rawDigest(database.pool)), ...(await derivedDigest(database.pool)) })
      } finally {
        await program.end('SIGKILL')
        await database.drop()
      }
    }
    expect(digests[1]).to.deep.equal(digests[0])
  })
})
