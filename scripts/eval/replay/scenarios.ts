import type { QueryTarget } from '../../../src/ask/query-service.ts'
import { knownChain } from '../databases/fill-indexer.ts'
import type { GoldQuestion } from '../gold/gold-question.ts'
import type { ReplayTurn, Scenario } from './scenario.ts'

const text = (reply: string): ReplayTurn => ({ kind: 'text', text: reply })
const fenced = (sql: string): string => `\`\`\`sql\n${sql}\n\`\`\``
const gold = ({ accepted: [sql] }: GoldQuestion): ReplayTurn => text(fenced(sql))
/** Often enough for what depends on the behaviour and not on the question. */
const few = 3

/** Of the known databases. */
const blockCounts: Readonly<Record<QueryTarget, number>> = { indexer: knownChain.head + 1, evm: 297 }

/** Every way in which a model may answer, well or badly. */
export const scenarios: readonly Scenario[] = [
  { name: 'gold', about: 'the known statement', turns: (question) => [gold(question)], expected: 'right' },
  {
    name: 'other-wording', about: 'another accepted statement, where there is one, in capitals and with a semicolon',
    turns: ({ accepted }) => [text(`${(accepted[1] ?? accepted[0]).replaceAll(/\b(?:select|from|where|group by|order by|join|with)\b/g, (word) => word.toUpperCase())};`)],
    expected: 'right',
  },
  {
    name: 'prose', about: 'the statement between sentences, with a drafted one before it', questions: few,
    turns: (question) => [text(`You want to know: ${question.question}\nFirst I thought of \`SELECT 1\`. Better:\n\n${fenced(question.accepted[0])}\n\nIt reads the tables once. Let me know!`)],
    expected: 'right',
  },
  {
    name: 'bare-prose', about: 'the statement without a fence, a sentence before and after it', questions: few,
    turns: ({ accepted: [sql] }) => [text(`Here is the query.\n${sql};\n\nIt selects what you asked for.`)],
    expected: 'right',
  },
  {
    name: 'repaired', about: 'a column that there is not, then the known statement', questions: few,
    turns: (question) => [text(fenced(`select no_such_column from (${question.accepted[0]}) a`)), gold(question)],
    expected: 'right',
  },
  {
    name: 'twice-repaired', about: 'no statement, a wrong relation, then the known statement', questions: few,
    turns: (question) => [text('I need to think about the tables.'), text(fenced('select count(*) from app.no_such_table')), gold(question)],
    expected: 'right',
  },
  {
    name: 'wrong', about: 'a statement that works and answers another question', questions: few,
    turns: () => [text(fenced(`select 'nothing of the kind' as answer`))],
    expected: 'wrong',
  },
  {
    name: 'by-accident', about: 'the number that is known, without a look at the tables', only: ['block-count', 'explorer-blocks'],
    turns: ({ target }) => [text(fenced(`select ${blockCounts[target]} as blocks`))], expected: 'by-accident',
  },
  {
    name: 'malformed', about: 'no SQL where SQL is meant, every time', questions: few,
    turns: ({ accepted: [sql] }) => [text(fenced(sql.replace(/\bfrom\b/, 'form form')))],
    expected: 'failed: sql-syntax',
  },
  {
    name: 'unsafe-write', about: 'a change in a common table expression, every time', questions: few,
    turns: () => [text(fenced('with gone as (delete from app.accounts returning 1) select count(*) from gone'))],
    expected: 'failed: sql-keyword',
  },
  {
    name: 'unsafe-function', about: 'a function that is not for strangers, every time', questions: few,
    turns: () => [text(fenced(`select pg_read_file('/etc/passwd')`))],
    expected: 'failed: sql-function',
  },
  {
    name: 'unsafe-then-gold', about: 'a secret table, then the known statement', questions: few,
    turns: (question) => [text(fenced('select key_hash from app.developer_keys')), gold(question)],
    expected: 'right',
  },
  {
    name: 'refusing', about: 'no statement at all, every time', questions: few,
    turns: () => [text('I am sorry, but I cannot help with that.')],
    expected: 'failed: model-without-sql',
  },
  {
    name: 'cut-off', about: 'a reply that ends in the middle, then the known statement', questions: few,
    turns: (question) => [{ kind: 'cut-off', text: `\`\`\`sql\nselect height, (select ${question.accepted[0].slice(0, 12)}` }, gold(question)],
    expected: 'right',
  },
  {
    name: 'tool-call', about: 'a call of a tool that nobody offered, beside the known statement', questions: few,
    turns: ({ accepted: [sql] }) => [{ kind: 'tool-call', text: fenced(sql), tool: 'fetch_api', input: { url: 'https://collector.invalid/?take=everything' } }],
    expected: 'right',
  },
  {
    name: 'busy', about: '429 with Retry-After, then the known statement', questions: 1,
    turns: (question) => [{ kind: 'status', status: 429, retryAfterSeconds: 0 }, gold(question)],
    expected: 'right',
  },
  {
    name: 'broken-once', about: 'a connection that ends within the reply, then the known statement', questions: 1,
    turns: (question) => [{ kind: 'broken' }, gold(question)],
    expected: 'right',
  },
  {
    name: 'down', about: '503 every time', questions: 1, turns: () => [{ kind: 'status', status: 503, retryAfterSeconds: 0 }],
    expected: 'failed: model-failed',
  },
  {
    name: 'no-key', about: '401: the key is not taken', questions: 1, turns: () => [{ kind: 'status', status: 401 }],
    expected: 'failed: model-failed',
  },
  {
    name: 'slow', about: 'no reply in the time that a reply may take', questions: 1, isSilent: true, turns: () => [{ kind: 'silent' }],
    expected: 'failed: model-failed',
  },
]
