import type { modelSettings } from '../../src/platform/llm/settings.ts'
import type { DemoChain } from './demo-chain.ts'

/** Signs the webhooks that the greeting has sent; as in docs/webhooks.md. */
const secret = `whsec_${Buffer.from('the secret of the demo, 32 bytes').toString('base64')}`

/** One of the example questions, which the script knows too. */
const exampleQuestion = 'How many transactions were there each day?'

export interface Greeting {
  readonly chain: DemoChain
  /** Where the chat is, and behind it the query service and the MCP server: the proxy, without a slash at the end. */
  readonly chat: string
  /** Where the pages are, without a slash at the end. */
  readonly page: string
  /** Where the query service is, without a slash at the end. */
  readonly askPage: string
  /** Where the MCP server is. */
  readonly mcp: string
  /** Where the wallet is, without a slash at the end. */
  readonly wallet: string
  /** Where the editor is, without a slash at its end. */
  readonly editor: string
  /** Where e-mails are written to. Undefined: they are sent. */
  readonly mailFolder: string | undefined
  /** What questions go to, or what to set so that they go somewhere. */
  readonly model: ReturnType<typeof modelSettings>
  /** DATA_FOLDER of the demo. */
  readonly folder: string
  /** Why the pages cannot be opened yet. Undefined: they can. */
  readonly pageProblem: string | undefined
  /** A developer's key. */
  readonly key: string
}

/** What a ready demo says: what to open, and what to try. */
export function greetingText({
  chain,
  chat,
  page,
  askPage,
  mcp,
  wallet,
  editor,
  mailFolder,
  model,
  folder,
  key,
  pageProblem,
}: Greeting): string {
  const subscription = {
    url: 'http://127.0.0.1:9000/',
    secret,
    event_types: ['ft.transfer'],
    conditions: { addresses: [chain.watched] },
  }
  return [
    '',
    ...chain.introduction.map((line) => `  ${line}`),
    '',
    ...(pageProblem === undefined
      ? []
      : [
          '  The pages below are not built yet. The build is repeated automatically, and they load once it ' +
            'succeeds; all other parts run.',
          ...pageProblem
            .trim()
            .split('\n')
            .slice(0, 5)
            .map((line) => `    ${line}`),
          '  To see the whole output: npm run build',
          '',
        ]),
    `    The chat      ${chat}/`,
    `    The explorer  ${page}/`,
    `    The wallet    ${wallet}/`,
    `    The editor    ${editor}/`,
    `    Ask in SQL    ${askPage}/`,
    `    All routes    ${page}/docs`,
    `    Blocks        ${page}/flow/block`,
    `    Transactions  ${page}/flow/transaction`,
    `    Status        ${page}/status`,
    `    Live feed     ${page.replace('http', 'ws')}/ws`,
    `    The farm      ${page}/operator`,
    `    MCP server    ${mcp}`,
    '',
    ...askingLines(chat, model),
    '',
    ...(mailFolder === undefined
      ? []
      : [
          '  Sign in to the wallet with any e-mail address. The e-mail with the code is a file; the newest one says:',
          '',
          `    cat "$(ls -t ${mailFolder}/*.eml | head -1)"`,
          '',
        ]),
    '  Break a worker and watch it: Fault drill on the page of the farm. Or in another terminal:',
    '',
    `    DATA_FOLDER=${folder} npm run farm -- status`,
    '',
    '  Have signed webhooks sent to your terminal: receive them there, and subscribe here or in a third ' +
      '(docs/webhooks.md).',
    '',
    `    npm run webhook-receiver -- --port 9000 --secret ${secret}`,
    '',
    `    curl ${page}/webhooks/subscriptions -H 'X-API-Key: ${key}' \\`,
    `      -H 'Content-Type: application/json' -d '${JSON.stringify(subscription)}'`,
    '',
    '  Ctrl+C stops it and throws its database away.',
    '',
    '',
  ].join('\n')
}

function askingLines(chat: string, model: ReturnType<typeof modelSettings>): readonly string[] {
  return [
    ...howToAsk(model),
    '',
    `    curl ${chat}/api/v1/ask -H 'Content-Type: application/json' -d '${JSON.stringify({ question: exampleQuestion })}'`,
  ]
}

function howToAsk(model: ReturnType<typeof modelSettings>): readonly string[] {
  if (model === 'scripted') {
    return [
      '  Ask in SQL, or one of the example questions: there is no model, so a script answers those and no others.',
      '  LLM_API_KEY sets one; or LLM_BASE_URL and LLM_MODEL, any server that speaks as OpenAI does (docs/chat.md).',
    ]
  }
  return 'remedy' in model
    ? [`  Ask in SQL. Questions in words want a model: ${model.remedy}`]
    : ['  Ask in your words, or in SQL (docs/chat.md, docs/query-service.md).']
}
