import type { QueryService } from '../../../../src/assistant/query/query-service.ts'
import type { SqlAnswer } from '../../../../src/assistant/query/sql/sql-runner.ts'

export const oneRow: SqlAnswer = {
  columns: [
    { name: 'height', type: 'int8' },
    { name: 'height', type: 'int8' },
  ],
  rows: [['9007199254740993', '1']],
  rowCount: 1,
  truncated: false,
  durationMs: 0.5,
}

/** A query service that returns one row without a database, for tests of admission and limits. */
export function scriptedQueries(overrides: Partial<QueryService> = {}): QueryService {
  const refused = (): never => {
    throw new Error('not asked for in this test')
  }
  return {
    targets: ['indexer'],
    model: undefined,
    remedy: 'Set LLM_API_KEY.',
    stuckSessions: 0,
    runSql: () => Promise.resolve(oneRow),
    checkSql: refused,
    exportSql: refused,
    generateSql: refused,
    ask: refused,
    explainSql: refused,
    catalog: () =>
      Promise.resolve([
        {
          schema: 'raw',
          name: 'blocks',
          kind: 'table',
          comment: 'Blocks.',
          columns: [{ name: 'height', type: 'bigint', isNullable: false, comment: null }],
          keys: [],
          indexes: [],
          approximateRows: 1234,
        },
      ]),
    functions: () => [],
    describeSchema: (target) => `create table ${target}_table ();`,
    describeNotes: (target) => `Notes on ${target}.`,
    examples: () => [],
    ...overrides,
  }
}
