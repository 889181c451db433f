import type { modelSettings } from '../../src/platform/llm/settings.ts'
import type { PageBuild } from '../../src/platform/pages/page-build.ts'
import type { DemoChain } from './demo-chain.ts'

/** Addresses have no trailing slash. */
export interface Greeting {
  readonly chain: DemoChain
  readonly chat: string
  readonly page: string
  readonly askPage: string
  readonly mcp: string
  readonly wallet: string
  readonly editor: string
  readonly mailFolder: string | undefined
  readonly model: ReturnType<typeof modelSettings>
  readonly folder: string
  readonly pageProblem: string | undefined
  readonly key: string
}

export function greetingText(greeting: Greeting): string {
  const { chain, chat, page, askPage, mcp, wallet, editor, mailFolder, folder, key, pageProblem } = greeting
  return [
    '',
    `  Explorer    ${page}/`,
    `  Operator    ${page}/operator`,
    `  API         ${page}/docs`,
    `  Chat        ${chat}/`,
    `  Query       ${askPage}/`,
    `  Wallet      ${wallet}/`,
    `  Editor      ${editor}/`,
    `  MCP server  ${mcp}`,
    '',
    ...(pageProblem === undefined
      ? []
      : [`  Pages are not built yet: ${pageProblem.trim().split('\n', 1)[0]} Run npm run build for details.`]),
    `  ${chain.introduction}`,
    `  ${modelText(greeting.model)}`,
    ...(mailFolder === undefined ? [] : [`  E-mails are files: ${mailFolder}`]),
    `  Webhooks: see docs/webhooks.md. Developer key: ${key}`,
    `  Progress: DATA_FOLDER=${folder} npm run farm -- status`,
    '  Ctrl+C stops the demo and deletes its database.',
    '',
    '',
  ].join('\n')
}

function modelText(model: ReturnType<typeof modelSettings>): string {
  if (model === 'scripted')
    return 'No model is set: only the example questions have answers. Set LLM_API_KEY, or LLM_BASE_URL and LLM_MODEL.'
  return 'remedy' in model
    ? `Only SQL has answers. ${model.remedy}`
    : `Questions are answered by ${model.settings.provider}.`
}

/** Retries a failed build. @returns why the last one failed */
export async function waitForPages(
  build: Pick<PageBuild, 'folder' | 'progress' | 'changed'>,
  write: (text: string) => unknown,
): Promise<string | undefined> {
  const state = { hasEnded: false }
  const end = (): void => {
    state.hasEnded = true
  }
  const ended = build.folder().then(end, end)
  // Lets an earlier build resolve first.
  await Promise.race([ended, Promise.resolve()])
  for (let last = ''; !state.hasEnded && build.progress.failure === undefined;) {
    const { built, total, seconds } = build.progress
    const line = total === 0 ? 'Building pages…' : `Building pages: ${built} of ${total} (${seconds} s)…`
    if (line !== last) write(`${line}\n`)
    last = line
    await Promise.race([ended, build.changed()])
  }
  return build.progress.failure
}
