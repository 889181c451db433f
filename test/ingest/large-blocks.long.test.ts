import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { createTestDatabase } from '../support/database.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import { directions } from '../support/faultless-digest.ts'

const MiB = 1024 * 1024

/** Peak memory of a process, in MiB. */
function peakMemory(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

describe('consecutive blocks of 50 MB', () => {
  for (const [direction, variables] of Object.entries(directions)) {
    it(`are stored in bounded memory, ${direction}`, async () => {
      const large = { from: 22, to: 25 }
      await using node = await startRecordedNode('base', { head: 40 })
      node.inject({ kind: 'oversized', bytes: 50 * MiB, by: 'events', heights: large })
      const database = await createTestDatabase()
      const farm = new FlowfarmProcess(['ingest'], {
        DB_URL: database.url,
        CHAIN_ACCESS_NODE: node.endpoint,
        ...variables,
      })
      try {
        await untilStored(database, 0, 40)
        const peak = peakMemory(farm.pid)
        expect(await farm.end('SIGTERM'), farm.output()).to.equal(0)
        const { rows } = await database.pool.query<{ height: number; counted: number; stored: number }>(
          `select b.height::int as height, b.event_count as counted, (select count(*)::int from raw.events e where e.block_height = b.height) as stored
           from raw.blocks b where b.height between 22 and 25 order by 1`,
        )
        expect(rows.map((row) => row.height)).to.deep.equal([22, 23, 24, 25])
        for (const { height, counted, stored } of rows) {
          expect(stored, `events of height ${height}`).to.equal(counted).and.greaterThan(50_000)
        }
        expect(peak).to.be.lessThan(600)
      } finally {
        await farm.end('SIGKILL')
        await database.drop()
      }
    })
  }
})
