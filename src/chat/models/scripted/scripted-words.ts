import { markdownTable } from './markdown-table.ts'
import type { ResultTable } from './result-table.ts'

/** What the scripted model says, in the language in which it is asked. */
export interface ScriptedWords {
  readonly isEnglish: boolean
  intro(): string
  /** The answer, below its chart. */
  closing(sql: string, table: ResultTable): string
  /** To any question that is not one of the examples. */
  unknown(examples: readonly string[]): string
  /** Where the statement cannot be run. */
  withoutTool(sql: string): string
  failed(sql: string, reason: string): string
}

const mostRows = 10
const mostReasonCharacters = 600

const english: ScriptedWords = {
  isEnglish: true,
  intro: () => 'I look that up in the indexed chain.\n\n',
  closing: (sql, table) =>
    [
      ...(table.rows.length === 0
        ? ['The statement ran and found **no rows**: the chain that is indexed has nothing of that yet.']
        : [
            `The statement gave **${count(table, 'row', 'rows')}**${table.isCut ? ' and was cut there' : ''}${table.rows.length > mostRows ? `; these are the first ${mostRows}` : ''}:`,
            markdownTable(table, mostRows),
          ]),
      'The SQL that was run:',
      sqlBlock(sql),
      '*There is no model here: a script answers the example questions, with statements that are really run.*',
    ].join('\n\n'),
  unknown: (examples) =>
    [
      '**There is no model here, only a script that knows these questions:**',
      examples.map((question) => `- ${question}`).join('\n'),
      'To ask anything else, give the chat a model: set `LLM_API_KEY`, and `LLM_PROVIDER` to whose it is; or `LLM_BASE_URL` and `LLM_MODEL` for any server of the OpenAI interface, such as one on this machine. Then start it again.',
    ].join('\n\n'),
  withoutTool: (sql) =>
    [
      'The tool that runs SQL is not there at the moment, so there are no numbers. This is the statement that I would run:',
      sqlBlock(sql),
    ].join('\n\n'),
  failed: (sql, reason) =>
    ['The statement could not be run. The tool says:', quoted(reason), 'The SQL:', sqlBlock(sql)].join('\n\n'),
}

const chinese: ScriptedWords = {
  isEnglish: false,
  intro: () => '我在已索引的链上数据中查询。\n\n',
  closing: (sql, table) =>
    [
      ...(table.rows.length === 0
        ? ['语句已执行，但**没有结果**：已索引的链上还没有这类数据。']
        : [
            `语句返回了 **${table.rows.length} 行**${table.isCut ? '（结果已截断）' : ''}${table.rows.length > mostRows ? `，以下是前 ${mostRows} 行` : ''}：`,
            markdownTable(table, mostRows),
          ]),
      '执行的 SQL：',
      sqlBlock(sql),
      '*这里没有模型：示例问题由脚本回答，但其中的语句是真实执行的。*',
    ].join('\n\n'),
  unknown: (examples) =>
    [
      '**这里没有模型，只有一个脚本，它只认识这些问题：**',
      examples.map((question) => `- ${question}`).join('\n'),
      '要问别的问题，请设置一个模型：`LLM_API_KEY` 和 `LLM_PROVIDER`；或者用 `LLM_BASE_URL` 和 `LLM_MODEL` 指向任何兼容 OpenAI 接口的服务。然后重新启动。',
    ].join('\n\n'),
  withoutTool: (sql) => ['目前没有可以执行 SQL 的工具，所以没有数据。我会执行的语句是：', sqlBlock(sql)].join('\n\n'),
  failed: (sql, reason) => ['语句无法执行。工具的说明：', quoted(reason), 'SQL：', sqlBlock(sql)].join('\n\n'),
}

export function wordsFor(question: string): ScriptedWords {
  return /\p{Script=Han}/u.test(question) ? chinese : english
}

function count({ rows }: ResultTable, one: string, many: string): string {
  return `${rows.length} ${rows.length === 1 ? one : many}`
}

function sqlBlock(sql: string): string {
  return `\`\`\`sql\n${sql}\n\`\`\``
}

/** As code, so that nothing in it means anything in Markdown. */
function quoted(text: string): string {
  return text
    .slice(0, mostReasonCharacters)
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
}
