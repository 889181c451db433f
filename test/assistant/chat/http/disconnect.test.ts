import { expect } from 'chai'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { runChat } from '../support/running-chat.ts'
import { startStreamingProvider } from '../support/streaming-provider.ts'
import { Stopwatch } from '../../../support/stopwatch.ts'

const endless = 'SELECT sum(a) FROM generate_series(1, 4000000000) AS series(a)'

async function statements(database: TestDatabase): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    "select count(*)::int from pg_stat_activity where state = 'active' and query like '%generate_series(1, 4000000000)%' and pid <> pg_backend_pid()",
  )
  return rows[0]?.count ?? 0
}

describe('a disconnect from the chat', () => {
  it('cancels the SQL statement of a tool and the model call, and releases the slot', async () => {
    const database = await createTestDatabase()
    try {
      await using provider = await startStreamingProvider(({ step }) =>
        step === 0 ? ['Let me count. ', { tool: 'run_indexer_sql', input: { sql: endless } }] : ['Done.'],
      )
      await using chat = await runChat({
        database,
        hasMcp: true,
        variables: { LLM_BASE_URL: provider.url, LLM_MODEL: 'm' },
      })
      const client = new AbortController()
      await chat.ask('Count.', {}, client.signal)
      while ((await statements(database)) === 0);
      client.abort()
      const left = new Stopwatch()
      while ((await statements(database)) > 0);
      await left.expectBelow(5000)
      while (
        !(await chat.metrics.registry.metrics()).includes(
          'flowfarm_chat_answers_total{mode="balanced",end="disconnected"} 1',
        )
      );
      expect(await chat.metrics.registry.metrics()).to.include('flowfarm_chat_running_answers 0')
      expect(provider.running).to.equal(0)
      expect(provider.calls).to.have.length(1)
    } finally {
      await database.drop()
    }
  })
})
