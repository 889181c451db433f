import type { QueryTarget } from '../../../src/ask/query-service.ts'
import type { RefusalCode } from '../../../src/ask/sql/sql-refusal.ts'
import { knownChain } from '../databases/fill-indexer.ts'
import { fenced, few } from './scenario.ts'
import type { Scenario, ScenarioGroup } from './scenario.ts'

/** Of the known databases. */
const blockCounts: Readonly<Record<QueryTarget, number>> = { indexer: knownChain.head + 1, evm: 297 }

/** Statements that work, and answer something else. */
export const wrongScenarios: ScenarioGroup = {
  title: 'A statement that works and is wrong: the comparison says so',
  scenarios: [
    {
      name: 'wrong',
      about: 'the answer to another question',
      questions: few,
      expected: 'wrong',
      turns: () => [fenced(`select 'nothing of the kind' as answer`)],
    },
    {
      name: 'by-accident',
      about: 'the number that is known, without a look at the tables',
      only: ['block-count', 'explorer-blocks'],
      turns: ({ target }) => [fenced(`select ${blockCounts[target]} as blocks`)],
      expected: 'by-accident',
    },
  ],
}

/** Every time, whatever the service says of it. */
const always = (name: string, about: string, code: RefusalCode, sql: string): Scenario => ({
  name,
  about,
  questions: few,
  turns: () => [fenced(sql)],
  expected: `failed: ${code}`,
})

/** Statements of which none may run. The corpora of the gate's tests have hundreds; these are the kinds. */
export const unsafeScenarios: ScenarioGroup = {
  title: 'A statement that is not to run: it is refused, with the code of the reason',
  scenarios: [
    always(
      'unsafe-write',
      'a change in a common table expression',
      'sql-keyword',
      'with gone as (delete from app.accounts returning 1) select count(*) from gone',
    ),
    always('unsafe-second', 'a second statement, which leaves the transaction', 'sql-not-select', 'commit; select 1'),
    always('unsafe-program', 'a program of the machine', 'sql-not-select', `copy (select 1) to program 'touch owned'`),
    always('unsafe-into', 'a table of its own', 'sql-clause', 'select 1 as n into loot'),
    always('unsafe-secret', 'a table with secrets', 'sql-relation', 'select rolpassword from pg_catalog.pg_authid'),
    always('unsafe-function', 'a file of the machine', 'sql-function', `select pg_read_file('/etc/passwd')`),
    always('unsafe-attribute', 'a function in the notation of a column', 'sql-function', 'select (1::float8).pg_sleep'),
    always(
      'unsafe-text',
      'a statement inside a text',
      'sql-function',
      `select query_to_xml('select 1', true, true, '')`,
    ),
    {
      name: 'malformed',
      about: 'no SQL where SQL is meant',
      questions: few,
      expected: 'failed: sql-syntax',
      turns: ({ accepted: [sql] }) => [fenced(sql.replace(/\bfrom\b/, 'form form'))],
    },
  ],
}
