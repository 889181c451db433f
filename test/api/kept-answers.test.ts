import { expect } from 'chai'
import type { List } from '../../src/api/paging/envelope.ts'
import { KeptAnswers } from '../../src/api/kept/kept-answers.ts'
import type { Block } from '../../src/api/presenters/block.ts'
import { storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

describe('answers that are given again', () => {
  let database: TestDatabase
  let api: RunningApi
  const kept = new KeptAnswers({ maxAgeMs: 3_600_000 })

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 100, 120)
    api = await runApi(database.url, { server: { kept } })
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  it('are the same in body and headers, but for what is of the request', async () => {
    const responses = [await api.get('/flow/block?limit=3'), await api.get('/flow/block?limit=3')]
    const [first, second] = await Promise.all(responses.map(async (response) => {
      const { 'x-request-id': id, date, ...headers } = Object.fromEntries(response.headers)
      return { id, date, headers, body: await response.text() }
    }))
    expect(second?.headers).to.deep.equal(first?.headers)
    expect(second?.body).to.equal(first?.body)
    expect(second?.id).to.not.equal(first?.id)
    const tag = first?.headers['etag'] ?? ''
    expect((await api.get('/flow/block?limit=3', { headers: { 'If-None-Match': tag } })).status).to.equal(304)
  })

  it('end with the next commit that is heard of', async () => {
    const newest = async (): Promise<number | undefined> => (await api.json<List<Block>>('/flow/block?limit=1')).data[0]?.height
    expect(await newest()).to.equal(120)
    await storeBlocks(database.pool, 121, 121)
    expect(await newest()).to.equal(120)
    kept.forget()
    expect(await newest()).to.equal(121)
  })

  it('are never errors, nor what is about this very moment', async () => {
    for (const path of ['/flow/block/9999', '/flow/block?limit=x', '/status']) await (await api.get(path)).text()
    for (const path of ['/flow/block/9999', '/flow/block?limit=x', '/status']) expect(kept.find(path), path).to.equal(undefined)
  })
})
