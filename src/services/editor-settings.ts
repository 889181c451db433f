import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { asError, FatalError } from '../platform/errors.ts'
import type { GitHubApp } from '../editor/github/api/github-client.ts'

const samplesForm = z.array(
  z.object({ name: z.string(), title: z.string(), code: z.string(), arguments: z.array(z.unknown()) }),
)

/** What EDITOR_SAMPLES has in it: scripts for people to begin with. */
export type EditorSamples = z.infer<typeof samplesForm>

/** @throws FatalError that names the variable, for a file that is none */
export async function readSamples({ EDITOR_SAMPLES: file }: Config): Promise<EditorSamples> {
  if (file === undefined) return []
  try {
    return samplesForm.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    throw wrong(
      'EDITOR_SAMPLES',
      `${file} is no JSON list of {name, title, code, arguments}: ${asError(error).message}`,
    )
  }
}

/** EDITOR_URL. @throws FatalError for one with a path: the page asks for what it needs at the top of its host */
export function checkEditorUrl({ EDITOR_URL: url }: Pick<Config, 'EDITOR_URL'>): void {
  if (url === undefined) return
  const { origin, href } = new URL(url)
  if (href !== `${origin}/`) throw wrong('EDITOR_URL', `${href} has more than a host: the editor has its page at /`)
}

/** What works otherwise than an operator may think. */
export function editorWarnings({
  EDITOR_URL: url,
  WALLET_URL: walletUrl,
}: Pick<Config, 'EDITOR_URL' | 'WALLET_URL'>): readonly string[] {
  if (url === undefined || walletUrl !== undefined || /^(?:.+\.)?localhost$/.test(new URL(url).hostname)) return []
  return ['nobody can sign in at the editor: EDITOR_URL is set, and WALLET_URL, where its page sends people, is not']
}

const appVariables = [
  'GITHUB_APP_ID',
  'GITHUB_APP_PRIVATE_KEY',
  'GITHUB_APP_SLUG',
  'GITHUB_APP_CLIENT_ID',
  'GITHUB_APP_CLIENT_SECRET',
] as const

/** The GitHub App; undefined where none is set. @throws FatalError that names what is missing where some of it is */
export function readGitHubApp(config: Config): GitHubApp | undefined {
  const missing = appVariables.filter((name) => config[name] === undefined)
  if (missing.length === appVariables.length && config.GITHUB_APP_WEBHOOK_SECRET === undefined) return undefined
  const [first] = missing
  if (first !== undefined)
    throw wrong(
      first,
      `not set, but other variables of the GitHub App are. Set ${missing.join(', ')}, or none of GITHUB_APP_*`,
    )
  return {
    appId: config.GITHUB_APP_ID ?? '',
    privateKey: config.GITHUB_APP_PRIVATE_KEY ?? '',
    slug: config.GITHUB_APP_SLUG ?? '',
    clientId: config.GITHUB_APP_CLIENT_ID ?? '',
    clientSecret: config.GITHUB_APP_CLIENT_SECRET ?? '',
    webhookSecret: config.GITHUB_APP_WEBHOOK_SECRET,
    url: config.GITHUB_URL ?? 'https://github.com',
    apiUrl: config.GITHUB_API_URL ?? 'https://api.github.com',
  }
}

function wrong(variable: string, problem: string): FatalError {
  return new FatalError('bad-editor-settings', `${variable}: ${problem}.`, { details: { variable } })
}
