import { expect } from 'chai'
import { pause } from '../../../../src/platform/retry.ts'
import { createTestDatabase } from '../../../support/database.ts'
import { readChunks, runChat, answerTextOf } from '../support/running-chat.ts'
import { startStreamingProvider } from '../support/streaming-provider.ts'

const slowSql = 'SELECT count(*) AS crowding FROM generate_series(1, 100000000000) AS n'
const runningSql =
  "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%AS crowding%' AND pid <> pg_backend_pid()"

describe('chat statement slots per client', () => {
  it('run a statement of a second client while a first client has several slow ones', async () => {
    const database = await createTestDatabase()
    try {
      const running = async (): Promise<number> => (await database.pool.query(runningSql)).rowCount ?? 0
      await using provider = await startStreamingProvider(({ question, step, messages }) => {
        if (step > 0) return [messages.flatMap(({ toolResults }) => toolResults).at(-1)?.text ?? 'no result']
        return [{ tool: 'run_indexer_sql', input: { sql: question === 'slow' ? slowSql : 'SELECT 42 AS answer' } }]
      })
      await using chat = await runChat({
        database,
        hasMcp: true,
        variables: { LLM_BASE_URL: provider.url, LLM_MODEL: 'm', ASK_CONCURRENCY: '2', CHAT_CLIENT_CONCURRENCY: '4' },
      })
      const disconnect = new AbortController()
      const crowd = Array.from({ length: 4 }, async (_, index) => {
        const response = await chat.ask('slow', { 'X-Forwarded-For': `2001:db8:1:2::${index + 1}` }, disconnect.signal)
        return await response.text()
      })
      const settled = Promise.allSettled(crowd)
      while ((await running()) === 0) await pause(10)
      for (const client of ['203.0.113.7', '2001:db8:1:3::1']) {
        const chunks = await readChunks(await chat.ask('fast', { 'X-Forwarded-For': client }))
        expect(answerTextOf(chunks), client).to.include('"answer":42')
      }
      // The first client has all slots but one.
      expect(await running()).to.equal(1)
      disconnect.abort()
      expect((await settled).every(({ status }) => status === 'rejected')).to.equal(true)
      while ((await running()) > 0) await pause(10)
    } finally {
      await database.drop()
    }
  })
})
