import type { ProviderTurn } from '../provider/provider-turn.ts'
import { fenced, few, known } from './scenario.ts'
import type { ScenarioGroup } from './scenario.ts'

const text = (reply: string): ProviderTurn => ({ text: reply })

/** Replies that hold the statement, and what has to be taken off it. */
export const rightScenarios: ScenarioGroup = {
  title: 'The right statement, however the model says it: the answer is right',
  scenarios: [
    { name: 'gold', about: 'the known statement', turns: (gold) => [known(gold)], expected: 'right' },
    {
      name: 'other-wording',
      about: 'another accepted statement, where there is one, in capitals and with a semicolon',
      expected: 'right',
      turns: ({ accepted }) => [
        text(
          `${(accepted[1] ?? accepted[0]).replaceAll(/\b(?:select|from|where|group by|order by|join|with)\b/g, (word) => word.toUpperCase())};`,
        ),
      ],
    },
    {
      name: 'prose',
      about: 'the statement between sentences, with a drafted one before it',
      questions: few,
      expected: 'right',
      turns: ({ question, accepted: [sql] }) => [
        text(
          `You want to know: ${question}\nFirst I thought of \`SELECT 1\`. Better:\n\n\`\`\`sql\n${sql}\n\`\`\`\n\nIt reads the tables once. Let me know!`,
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
      about: 'a call of a tool that nobody offered, beside the statement',
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
      about: 'the statement after a while, within the time that a reply may take',
      questions: 1,
      expected: 'right',
      turns: (gold) => [{ text: `\`\`\`sql\n${gold.accepted[0]}\n\`\`\``, afterMs: 300 }],
    },
  ],
}

/** Replies that are of no use at first: the service says why and asks again. */
export const mendedScenarios: ScenarioGroup = {
  title: 'A statement that has to be mended first: the model is told why, and the answer is right',
  scenarios: [
    {
      name: 'repaired',
      about: 'a column that there is not, then the known statement',
      questions: few,
      expected: 'right',
      turns: (gold) => [fenced(`select no_such_column from (${gold.accepted[0]}) a`), known(gold)],
    },
    {
      name: 'twice-repaired',
      about: 'no statement, a wrong relation, then the known statement',
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
      about: 'a reply that ends in the middle, then the known statement',
      questions: few,
      expected: 'right',
      turns: (gold) => [
        { text: `\`\`\`sql\nselect height, (select ${gold.accepted[0].slice(0, 12)}`, isCutOff: true },
        known(gold),
      ],
    },
    {
      name: 'unsafe-then-gold',
      about: 'a secret table, then the known statement',
      questions: few,
      expected: 'right',
      turns: (gold) => [fenced('select key_hash from app.developer_keys'), known(gold)],
    },
  ],
}
