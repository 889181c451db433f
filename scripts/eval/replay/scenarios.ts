import type { QueryTarget } from '../../../src/assistant/query/query-service.ts'
import type { RefusalCode } from '../../../src/assistant/query/sql/sql-errors.ts'
import { knownChain } from '../databases/fill-indexer.ts'
import { mendedScenarios, rightScenarios } from './right-scenarios.ts'
import { fenced, few, known } from './scenario.ts'
import type { Scenario, ScenarioGroup } from './scenario.ts'

/** Trouble that passes: asked again, the provider answers. */
const passingScenarios: ScenarioGroup = {
  title: 'A provider in trouble that passes: it is asked again, and the answer is right',
  scenarios: [
    {
      name: 'busy',
      about: '429 with Retry-After, then the known statement',
      questions: 1,
      expected: 'right',
      turns: (gold) => [{ status: 429, message: 'Slow down', retryAfter: '0' }, known(gold)],
    },
    {
      name: 'broken-once',
      about: 'a connection that ends within the reply, then the known statement',
      questions: 1,
      expected: 'right',
      turns: (gold) => ['broken', known(gold)],
    },
  ],
}

/** No statement comes of these, and whoever asked is told why. */
const failingScenarios: ScenarioGroup = {
  title: 'No statement at all: whoever asked is told why',
  scenarios: [
    {
      name: 'refusing',
      about: 'a model that will not',
      questions: few,
      expected: 'failed: model-without-sql',
      turns: () => [{ text: 'I am sorry, but I cannot help with that.' }],
    },
    {
      name: 'down',
      about: '503 every time',
      questions: 1,
      expected: 'failed: model-failed',
      turns: () => [{ status: 503, message: 'Overloaded', retryAfter: '0' }],
    },
    {
      name: 'no-key',
      about: '401: the key is not taken',
      questions: 1,
      expected: 'failed: model-failed',
      turns: () => [{ status: 401, message: 'No such key' }],
    },
    {
      name: 'silent',
      about: 'no reply in the time that a reply may take',
      questions: 1,
      isSilent: true,
      expected: 'failed: model-failed',
      turns: () => ['silence'],
    },
  ],
}

/** Of the known databases. */
const blockCounts: Readonly<Record<QueryTarget, number>> = { indexer: knownChain.head + 1, evm: 297 }

/** Statements that work, and answer something else. */
const wrongScenarios: ScenarioGroup = {
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
const unsafeScenarios: ScenarioGroup = {
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

/** Every way in which a model may answer, well or badly, by what has to come of it. */
export const scenarioGroups: readonly ScenarioGroup[] = [
  rightScenarios,
  mendedScenarios,
  wrongScenarios,
  unsafeScenarios,
  passingScenarios,
  failingScenarios,
]
