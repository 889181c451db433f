/**
 * `node test/browser/chat-screenshots.ts <folder> [names]`: screenshots of the chat page for manual
 * review, from mocked responses.
 */
import { join } from 'node:path'
import { pino } from 'pino'
import type { Page } from 'playwright-core'
import { createDashboardPages } from '../../src/platform/pages/dashboard-pages.ts'
import { createRootPage } from '../../src/platform/pages/serve-page.ts'
import { startBrowser } from '../support/browser.ts'
import { startFakeChat } from '../support/fake-chat.ts'
import type { ChatWorld } from '../support/fake-chat.ts'
import {
  answer,
  calls,
  charts,
  chatWorld,
  dayRows,
  daysSql,
  endless,
  replyWith,
  textChunks,
  settings,
  reasoningChunks,
  uses,
} from '../support/chat-worlds.ts'
import { hostileAnswer, longAnswer } from '../support/chat-texts.ts'

interface Shot {
  readonly name: string
  readonly size?: 'wide' | 'phone'
  readonly theme?: 'light' | 'dark'
  readonly world?: Partial<ChatWorld>
  readonly act?: (page: Page) => Promise<void>
}

const ask = async (
  page: Page,
  question = 'How many transactions were there on each of the last 14 days?',
): Promise<void> => {
  await page.getByRole('textbox', { name: 'Question' }).fill(question)
  await page.keyboard.press('Enter')
}
const askAndWait = async (page: Page, question?: string): Promise<void> => {
  await ask(page, question)
  await page.locator('.answer-foot').last().waitFor()
}
const start = (page: Page): Promise<void> =>
  page.getByRole('region', { name: 'Conversation' }).evaluate((place: { scrollTop: number }) => {
    place.scrollTop = 0
  })
const openTool = async (page: Page): Promise<void> => {
  await askAndWait(page)
  await page
    .getByRole('button', { name: /^Ran SQL/ })
    .first()
    .click()
  await start(page)
}
const chartWorld = (...kinds: readonly (keyof typeof charts)[]): Partial<ChatWorld> => ({
  reply: () => replyWith(...kinds.flatMap((kind) => uses('createChart', charts[kind]))),
})
const manyThreads = async (page: Page): Promise<void> => {
  for (const question of [
    'Which accounts sent the most FLOW this week?',
    '最近七天每天有多少笔交易？',
    'What is stFLOW, and who holds the most of it at the moment?',
  ]) {
    await askAndWait(page, question)
    await page.getByRole('button', { name: 'New chat' }).first().click()
    await page.getByRole('heading', { name: 'What do you want to know about Flow?' }).waitFor()
  }
  await askAndWait(page)
}
const tooOften = {
  status: 429,
  body: {
    status: 429,
    code: 'rate-limited',
    detail: 'This is the 21st answer in a minute; 20 are given. Try again in 12 seconds.',
  },
  headers: { 'retry-after': '12' },
}

const shots: readonly Shot[] = [
  { name: 'start' },
  { name: 'start-dark', theme: 'dark' },
  { name: 'start-phone', size: 'phone' },
  { name: 'answer', act: askAndWait },
  {
    name: 'answer-top',
    act: async (page) => {
      await askAndWait(page)
      await start(page)
    },
  },
  {
    name: 'answer-dark',
    theme: 'dark',
    act: async (page) => {
      await manyThreads(page)
      await start(page)
    },
  },
  { name: 'answer-phone', size: 'phone', act: askAndWait },
  {
    name: 'answer-phone-top-dark',
    size: 'phone',
    theme: 'dark',
    act: async (page) => {
      await askAndWait(page)
      await start(page)
    },
  },
  { name: 'tool', act: openTool },
  { name: 'tool-phone', size: 'phone', act: openTool },
  { name: 'threads', act: manyThreads },
  {
    name: 'threads-phone',
    size: 'phone',
    act: async (page) => {
      await manyThreads(page)
      await page.getByRole('button', { name: 'Chats' }).click()
    },
  },
  {
    name: 'charts-line',
    world: chartWorld('line', 'pie'),
    act: async (page) => {
      await askAndWait(page)
      await start(page)
    },
  },
  {
    name: 'charts-line-dark',
    theme: 'dark',
    world: chartWorld('line', 'pie'),
    act: async (page) => {
      await askAndWait(page)
      await start(page)
    },
  },
  {
    name: 'charts-across',
    world: chartWorld('horizontalBar', 'doughnut'),
    act: async (page) => {
      await askAndWait(page)
      await start(page)
    },
  },
  { name: 'charts-phone', size: 'phone', world: chartWorld('line', 'doughnut', 'horizontalBar'), act: askAndWait },
  {
    name: 'charts-phone-top',
    size: 'phone',
    world: chartWorld('line', 'doughnut', 'horizontalBar'),
    act: async (page) => {
      await askAndWait(page)
      await start(page)
    },
  },
  {
    name: 'running',
    world: {
      reply: () => ({
        chunks: endless([
          ...reasoningChunks('The user asks for days.'),
          ...calls('run_indexer_sql', { sql: daysSql }, dayRows),
          ...textChunks('Now I write.'),
        ]),
      }),
    },
    act: async (page) => {
      await ask(page)
      await page.getByText('more more').first().waitFor()
    },
  },
  {
    name: 'waiting',
    world: {
      reply: () => ({
        chunks: endless(
          [
            {
              type: 'tool-input-available',
              toolCallId: 'x',
              toolName: 'run_indexer_sql',
              input: { sql: daysSql },
              dynamic: true,
            },
          ],
          '\n',
        ),
      }),
    },
    act: async (page) => {
      await ask(page)
      await page.getByText('Running SQL').waitFor()
    },
  },
  {
    name: 'failed-tools',
    world: {
      reply: () =>
        replyWith(
          {
            type: 'data-notice',
            data: {
              code: 'tools-missing',
              text: 'The answer continues without the server for the EVM: it does not respond.',
            },
          },
          ...reasoningChunks('I should look at **blocks**.'),
          ...calls(
            'run_indexer_sql',
            { sql: 'SELECT hieght FROM raw.blocks' },
            { error: 'column "hieght" does not exist', error_hint: 'Perhaps you meant "blocks.height".' },
            true,
          ),
          ...calls('run_indexer_sql', { sql: daysSql }, dayRows),
          ...uses('loadSkill', { name: 'staking-questions' }, { content: '# Staking' }),
          ...uses(
            'fetch_api',
            { url: 'https://api.coingecko.com/api/v3/simple/price?ids=flow', method: 'GET' },
            { status: 200, body: { flow: { usd: 0.41 } } },
          ),
          ...uses('search_docs', { query: 'epoch length' }, { results: [] }),
          ...textChunks('An epoch takes a week.'),
        ),
    },
    act: async (page) => {
      await askAndWait(page)
      await start(page)
    },
  },
  {
    name: 'broken',
    world: {
      reply: () => ({
        chunks: [
          { type: 'start' },
          { type: 'start-step' },
          ...textChunks('The busiest day was'),
          {
            type: 'error',
            errorText: 'The provider ended the stream before its end. Nothing was lost of what is above.',
          },
        ],
      }),
    },
    act: async (page) => {
      await ask(page)
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'too-often-phone',
    size: 'phone',
    world: { reply: () => tooOften },
    act: async (page) => {
      await ask(page)
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'long',
    world: { reply: () => ({ chunks: answer(textChunks(longAnswer, 400)) }) },
    act: async (page) => {
      await askAndWait(page)
      await start(page)
    },
  },
  {
    name: 'long-dark-phone',
    size: 'phone',
    theme: 'dark',
    world: { reply: () => ({ chunks: answer(textChunks(longAnswer, 400)) }) },
    act: async (page) => {
      await askAndWait(page)
      await start(page)
    },
  },
  {
    name: 'hostile',
    world: { reply: () => ({ chunks: answer(textChunks(hostileAnswer, 400)) }) },
    act: async (page) => {
      await askAndWait(page)
      await start(page)
    },
  },
  {
    name: 'no-model',
    world: {
      settings: {
        ...settings,
        modes: [],
        examples: [],
        remedy: 'Set LLM_API_KEY to the key of a model, or LLM_BASE_URL and LLM_MODEL to one of your own.',
      },
    },
  },
  {
    name: 'scripted',
    world: { settings: { ...settings, modes: [{ mode: 'balanced', model: 'scripted/demo' }], is_scripted: true } },
  },
  {
    name: 'locked',
    world: { token: 'secret' },
    act: async (page) => {
      await ask(page)
      await page.getByRole('dialog').waitFor()
    },
  },
  ...(['wide', 'phone'] as const).map((size): Shot => {
    const input = {
      name: 'The newest block is above 200 million',
      sql: 'SELECT max(height) AS height\nFROM raw.blocks',
      condition: { kind: 'compare', operator: '>', number: '200000000' },
      interval_seconds: 300,
    }
    const output = { status: 'unconfirmed', action: 'create_alert', ...input }
    return {
      name: `alert-${size}`,
      size,
      theme: size === 'wide' ? 'light' : 'dark',
      world: { reply: () => replyWith(...uses('create_alert', input, output), ...textChunks('Please confirm it.')) },
      act: (page) => askAndWait(page, 'Tell me when the newest block is above 200 million'),
    }
  }),
  ...(['wide', 'phone'] as const).map((size): Shot => ({
    name: `rating-${size}`,
    size,
    theme: size === 'wide' ? 'light' : 'dark',
    act: async (page) => {
      await askAndWait(page)
      await page.getByRole('button', { name: 'Bad answer' }).click()
    },
  })),
]

const sizes = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }
const [folder, ...only] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name the folder for the pictures.')
const pages = createDashboardPages({ page: 'chat', log: pino({ level: 'warn' }) })
await pages.file('')
const started = await startBrowser()
for (const { name, size = 'wide', theme = 'light', world, act } of shots.filter(
  (shot) => only.length === 0 || only.some((word) => shot.name.startsWith(word)),
)) {
  const server = await startFakeChat({ ...chatWorld(), ...world }, createRootPage(pages, ['share']))
  const context = await started.browser.newContext({
    viewport: sizes[size],
    colorScheme: theme,
    deviceScaleFactor: size === 'phone' ? 2 : 1,
    reducedMotion: 'reduce',
    hasTouch: size === 'phone',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  page.on('console', (message) => {
    if (message.type() === 'error') process.stderr.write(`${name}: ${message.text()}\n`)
  })
  page.on('pageerror', (error) => process.stderr.write(`${name}: ${error.stack ?? error.message}\n`))
  await page.goto(server.url)
  await page.getByRole('textbox', { name: 'Question' }).waitFor()
  await page.waitForLoadState('networkidle')
  try {
    await act?.(page)
  } catch (error) {
    process.stderr.write(`${name}: ${String(error)}\n`)
  }
  const path = join(folder, `${name}.png`)
  await page.screenshot({ path })
  process.stdout.write(`${path}\n`)
  await context.close()
  await server.stop()
}
await started.close()
pages.stop()
