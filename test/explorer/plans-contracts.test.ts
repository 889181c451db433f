import { expect } from 'chai'
import { listContractEventTypes } from '../../src/explorer/contracts/uses.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { createTestDatabase } from '../support/database.ts'
import { queryPlans } from '../support/query-plans.ts'

const contract = 'A.0000000000000001.Busy'
/** Contract with ten event types, each in many blocks. */
const blocks = 20_000

describe('query plans of contracts', () => {
  it('count events and find the last ones without scanning history', async () => {
    const database = await createTestDatabase()
    await ensurePartitions(database.pool, 'app.block_event_types', 5000, { from: 0, to: blocks })
    await database.pool.query(`
      insert into app.block_event_types
      select h, array(select '${contract}.E' || n from generate_series(0, 9) as n), array_fill(3, array[10]) from generate_series(0, ${blocks - 1}) as h;
      insert into app.event_type_pieces
      select '${contract}.E' || n, piece, 100 from generate_series(0, 9) as n, generate_series(0, ${blocks / 100 - 1}) as piece;
      insert into app.event_types select '${contract}.E' || n, ${blocks * 3} from generate_series(0, 9) as n;
      insert into app.event_types select '${contract}' || n || '.E', 1 from generate_series(1, 5000) as n;
      analyze`)
    const plans = await queryPlans(database)
    const { rowsTouched, partitions } = await plans.of(async (pool) => {
      const types = await listContractEventTypes(pool, contract, 100)
      expect(types.map(({ type, count, last_height: height }) => [type, count, height])).to.deep.equal(
        Array.from({ length: 10 }, (_, n) => [`${contract}.E${n}`, blocks * 3, blocks - 1]),
      )
    })
    await plans.end()
    await database.drop()
    expect(partitions.length).to.be.at.most(2)
    expect(rowsTouched).to.be.lessThan(2500)
  })
})
