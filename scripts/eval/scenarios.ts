import type { GoldQuestion } from './gold-questions.ts'
import type { ProviderTurn, ProviderCall } from './fake-provider.ts'
import type { QueryTarget } from '../../src/assistant/query/query-service.ts'
import type { RefusalCode } from '../../src/assistant/query/sql/sql-errors.ts'
import { knownChain } from './databases.ts'
import { ProviderModel } from '../../src/assistant/query/provider-model.ts'
import { queryTargets } from '../../src/assistant/query/query-service.ts'
import type { ModelSettings } from '../../src/platform/llm/settings.ts'
import { evaluate } from './evaluate.ts'
import type { Evaluation, Outcome } from './evaluate.ts'
import { startFakeProvider } from './fake-provider.ts'
import type { ProtocolRun, ScenarioResult } from './report.ts'

export interface Scenario {
  readonly name: string
  readonly about: string
  /** The last turn repeats. */
  readonly turns: (gold: GoldQuestion) => readonly [ProviderTurn, ...ProviderTurn[]]
  readonly expected: Outcome
  readonly questions?: number
  readonly only?: readonly string[]
  /** A short timeout suffices. */
  readonly isSilent?: true
}

export interface ScenarioGroup {
  readonly title: string
  readonly scenarios: readonly Scenario[]
}

/** Enough if the outcome does not depend on the question. */
const few = 3

function fenced(sql: string): ProviderTurn {
  return { text: `\`\`\`sql\n${sql}\n\`\`\`` }
}

function known({ accepted: [sql] }: GoldQuestion): ProviderTurn {
  return fenced(sql)
}

const text = (reply: string): ProviderTurn => ({ text: reply })

const rightScenarios: ScenarioGroup = {
  title: 'Correct statement in any form: the answer is right',
  scenarios: [
    { name: 'gold', about: 'the accepted statement', turns: (gold) => [known(gold)], expected: 'right' },
    {
      name: 'other-wording',
      about: 'another accepted statement, if any, in capitals and with a semicolon',
      expected: 'right',
      turns: ({ accepted }) => {
        const keywords = /\b(?:select|from|where|group by|order by|join|with)\b/g
        return [text(`${(accepted[1] ?? accepted[0]).replaceAll(keywords, (word) => word.toUpperCase())};`)]
      },
    },
    {
      name: 'prose',
      about: 'the statement between sentences, with a drafted one before it',
      questions: few,
      expected: 'right',
      turns: ({ question, accepted: [sql] }) => [
        text(
          `You want to know: ${question}\nFirst I thought of \`SELECT 1\`. ` +
            `Better:\n\n\`\`\`sql\n${sql}\n\`\`\`\n\nIt reads the tables once. Let me know!`,
        ),
      ],
    },
    {
      name: 'bare-prose',
      about: 'the statement without a fence, a sentence before and after it',
      questions: few,
      expected: 'right',
      turns: ({ accepted: [sql] }) => [text(`Here is the query.\n${sql};\n\nIt selects what you asked for.`)],
    },
    {
      name: 'tool-call',
      about: 'a call of an unknown tool beside the statement',
      questions: few,
      expected: 'right',
      turns: (gold) => [
        {
          text: `\`\`\`sql\n${gold.accepted[0]}\n\`\`\``,
          toolCall: { name: 'fetch_api', input: { url: 'https://collector.invalid/?take=everything' } },
        },
      ],
    },
    {
      name: 'slow',
      about: 'the statement after a delay within the timeout',
      questions: 1,
      expected: 'right',
      turns: (gold) => [{ text: `\`\`\`sql\n${gold.accepted[0]}\n\`\`\``, afterMs: 300 }],
    },
  ],
}

const correctedScenarios: ScenarioGroup = {
  title: 'Statement corrected after an error: the answer is right',
  scenarios: [
    {
      name: 'repaired',
      about: 'an unknown column, then the accepted statement',
      questions: few,
      expected: 'right',
      turns: (gold) => [fenced(`select no_such_column from (${gold.accepted[0]}) a`), known(gold)],
    },
    {
      name: 'twice-repaired',
      about: 'no statement, an unknown table, then the accepted statement',
      questions: few,
      expected: 'right',
      turns: (gold) => [
        text('I need to think about the tables.'),
        fenced('select count(*) from app.no_such_table'),
        known(gold),
      ],
    },
    {
      name: 'cut-off',
      about: 'a truncated reply, then the accepted statement',
      questions: few,
      expected: 'right',
      turns: (gold) => [
        { text: `\`\`\`sql\nselect height, (select ${gold.accepted[0].slice(0, 12)}`, isCutOff: true },
        known(gold),
      ],
    },
    {
      name: 'unsafe-then-gold',
      about: 'a secret table, then the accepted statement',
      questions: few,
      expected: 'right',
      turns: (gold) => [fenced('select key_hash from app.developer_keys'), known(gold)],
    },
  ],
}

const transientScenarios: ScenarioGroup = {
  title: 'Temporary provider failure: retried, and the answer is right',
  scenarios: [
    {
      name: 'busy',
      about: '429 with Retry-After, then the accepted statement',
      questions: 1,
      expected: 'right',
      turns: (gold) => [{ status: 429, message: 'Slow down', retryAfter: '0' }, known(gold)],
    },
    {
      name: 'broken-once',
      about: 'a broken connection, then the accepted statement',
      questions: 1,
      expected: 'right',
      turns: (gold) => ['broken', known(gold)],
    },
  ],
}

const failingScenarios: ScenarioGroup = {
  title: 'No statement: the client receives the reason',
  scenarios: [
    {
      name: 'refusing',
      about: 'the model refuses',
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
      about: '401: invalid key',
      questions: 1,
      expected: 'failed: model-failed',
      turns: () => [{ status: 401, message: 'No such key' }],
    },
    {
      name: 'silent',
      about: 'no reply within the timeout',
      questions: 1,
      isSilent: true,
      expected: 'failed: model-failed',
      turns: () => ['silence'],
    },
  ],
}

const blockCounts: Readonly<Record<QueryTarget, number>> = { indexer: knownChain.head + 1, evm: 297 }

const wrongScenarios: ScenarioGroup = {
  title: 'Valid but wrong statement: the comparison detects it',
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
      about: 'the known number as a constant',
      only: ['block-count', 'explorer-blocks'],
      turns: ({ target }) => [fenced(`select ${blockCounts[target]} as blocks`)],
      expected: 'by-accident',
    },
  ],
}

const always = (name: string, about: string, code: RefusalCode, sql: string): Scenario => ({
  name,
  about,
  questions: few,
  turns: () => [fenced(sql)],
  expected: `failed: ${code}`,
})

/** One scenario per kind; tests have hundreds. */
const unsafeScenarios: ScenarioGroup = {
  title: 'Forbidden statement: refused with the code of the reason',
  scenarios: [
    always(
      'unsafe-write',
      'a change in a common table expression',
      'sql-keyword',
      'with gone as (delete from app.accounts returning 1) select count(*) from gone',
    ),
    always('unsafe-second', 'a second statement outside the transaction', 'sql-not-select', 'commit; select 1'),
    always('unsafe-program', 'a program on the server', 'sql-not-select', `copy (select 1) to program 'touch owned'`),
    always('unsafe-into', 'a new table', 'sql-clause', 'select 1 as n into loot'),
    always('unsafe-secret', 'a secret table', 'sql-relation', 'select rolpassword from pg_catalog.pg_authid'),
    always('unsafe-function', 'a file on the server', 'sql-function', `select pg_read_file('/etc/passwd')`),
    always('unsafe-attribute', 'a function in column notation', 'sql-function', 'select (1::float8).pg_sleep'),
    always(
      'unsafe-text',
      'a statement within a text',
      'sql-function',
      `select query_to_xml('select 1', true, true, '')`,
    ),
    {
      name: 'malformed',
      about: 'invalid SQL',
      questions: few,
      expected: 'failed: sql-syntax',
      turns: ({ accepted: [sql] }) => [fenced(sql.replace(/\bfrom\b/, 'form form'))],
    },
  ],
}

export const scenarioGroups: readonly ScenarioGroup[] = [
  rightScenarios,
  correctedScenarios,
  wrongScenarios,
  unsafeScenarios,
  transientScenarios,
  failingScenarios,
]

const scenarios = scenarioGroups.flatMap((group) => group.scenarios)

const silenceMs = 1500
const retryBaseMs = 10

export async function replayScenarios(
  evaluation: Evaluation,
  questions: readonly GoldQuestion[],
  protocol: ModelSettings['provider'],
): Promise<ProtocolRun> {
  await using server = await startFakeProvider((call) => turnOf(call, questions))
  const results: ScenarioResult[] = []
  for (const scenario of scenarios) {
    const own = questionsFor(scenario, questions)
    if (own.length === 0) continue
    const model = new ProviderModel({
      settings: { provider: protocol, name: scenario.name, apiKey: 'replayed', baseUrl: `${server.url}/v1` },
      retryBaseMs,
      ...(scenario.isSilent === true ? { timeoutMs: silenceMs } : {}),
    })
    results.push({ scenario, results: await evaluate(evaluation.serviceWith(model), evaluation.judge, own) })
  }
  return { protocol, results }
}

function questionsFor(
  { only, questions: count = Number.POSITIVE_INFINITY }: Scenario,
  questions: readonly GoldQuestion[],
): GoldQuestion[] {
  const about = questions.filter(({ id }) => only?.includes(id) ?? true)
  return queryTargets.flatMap((target) => about.filter((gold) => gold.target === target).slice(0, count))
}

function turnOf({ model, question, turn }: ProviderCall, questions: readonly GoldQuestion[]): ProviderTurn {
  const scenario = scenarios.find(({ name }) => name === model)
  const gold = questions.find((one) => question.endsWith(one.question))
  if (scenario === undefined || gold === undefined)
    return { status: 404, message: `No scenario ${model} for this question.` }
  const turns = scenario.turns(gold)
  return turns[turn] ?? turns.at(-1) ?? turns[0]
}
