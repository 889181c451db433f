import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'chai'
import { listDrills } from '../../src/farm/drills.ts'
import { bareEnvironment } from '../support/bare-environment.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'

const script = join(import.meta.dirname, '../../scripts/farm.ts')

describe('npm run farm -- fault', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
  })
  after(() => database.drop())

  const run = (...args: string[]): Promise<{ code: unknown; out: string; err: string }> =>
    new Promise((resolve) => {
      execFile(
        process.execPath,
        [script, 'fault', ...args],
        { env: { ...bareEnvironment(), DB_URL: database.url } },
        (error, out, err) => {
          resolve({ code: error?.code ?? 0, out, err })
        },
      )
    })

  it('sets a fault, lists it and clears it; the last height is included', async () => {
    expect(await run('set', '--worker', 'token_worker', '--from', '300', '--to', '304', '--reason', 'an exercise'))
      .to.include({ code: 0, err: '' })
      .and.have.property('out')
      .that.matches(/^token_worker fails at 300 to 304 until/)
    expect(
      (await listDrills(database.pool)).map(({ worker, from, to, reason }) => ({ worker, from, to, reason })),
    ).to.deep.equal([{ worker: 'token_worker', from: 300, to: 305, reason: 'an exercise' }])
    expect((await run('list')).out).to.match(
      /WORKER +HEIGHTS +SINCE +REASON\ntoken_worker +300 to 304 .* an exercise\n/,
    )
    expect(JSON.parse((await run('list', '--json')).out)).to.have.nested.property('drills[0].to', 305)
    expect((await run('clear', '--worker', 'accounts_worker')).out).to.equal('Nothing to clear.\n')
    expect((await run('clear')).out).to.match(/^1 fault cleared\./)
    expect((await run('list')).out).to.equal('No fault is set.\n')
  })

  it('reports invalid arguments and exits with 1', async () => {
    for (const [args, message] of [
      [['set', '--worker', 'token_worker', '--from', '3'], /--to is missing/],
      [['set', '--worker', 'token_worker', '--from', '3', '--to', '2'], /--to 2 is below --from 3/],
      [['set', '--from', '3', '--to', '4'], /--worker is missing/],
      [['set', '--worker', 'tokens', '--from', '3', '--to', '4'], /not "tokens"/],
      [['set', '--worker', 'token_worker,accounts_worker', '--from', '3', '--to', '4'], /takes one name/],
    ] as const) {
      const { code, err } = await run(...args)
      expect([code, err]).to.satisfy(() => code === 1 && message.test(err), `${args.join(' ')}: ${err}`)
    }
    expect(await listDrills(database.pool)).to.deep.equal([])
  })
})
