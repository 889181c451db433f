import { choice, integer, list, optionalText, optionalUrl, text } from '../platform/setting.ts'
import type { Setting, SettingValues } from '../platform/setting.ts'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { servingSettings, proxySettings } from '../platform/http/settings.ts'
import type { accessNodeSettings } from '../access/settings.ts'
import { asError, FatalError } from '../platform/errors.ts'
import type { GitHubApp } from './github/api/github-client.ts'
import type { Shared } from '../platform/service.ts'

/** Variables of the editor server and of the projects that it keeps. */

const group = 'Editor'
const nodes = 'Editor: access nodes'
const github = 'Editor: GitHub App'
const projects = 'Projects'
const http = ['http', 'https']

export const editorSettings = {
  HTTP_PORT: integer({
    group,
    default: 3003,
    min: 0,
    max: 65_535,
    description:
      'Port of the editor: its page, projects at /functions/v1/projects, and repositories at /github; 0 picks a ' +
      'free one and logs it.',
  }),
  LSP_PORT: integer({
    group,
    default: 3002,
    min: 0,
    max: 65_535,
    description: 'Port of the language server channel, WebSocket /lsp; 0 picks a free one and logs it.',
  }),
  EDITOR_URL: optionalUrl({
    group,
    schemes: http,
    description:
      'Where people reach the editor; its pages may use the sign-in of the wallet. Without it http://localhost ' +
      'and HTTP_PORT.',
  }),
  LSP_URL: optionalUrl({
    group,
    schemes: ['ws', 'wss'],
    description:
      'Where browsers reach the channel, such as wss://lsp.example.com/lsp. Without it /lsp of LSP_PORT at the ' +
      'host of EDITOR_URL.',
  }),
  CHAIN_CLI_COMMAND: text({
    group,
    default: 'flow',
    description:
      'The `flow`-style program whose `cadence language-server` checks Cadence: a name to be found on PATH, or a path.',
  }),
  EDITOR_LANGUAGE_SERVER: choice({
    group,
    default: 'auto',
    values: ['auto', 'cli', 'parser'],
    description:
      'What checks Cadence. cli: CHAIN_CLI_COMMAND. parser: built in, syntax only. auto: cli if it works, else parser.',
  }),
  EDITOR_FOLDER: optionalText({
    group,
    description:
      'Folder of what the language server reads: a folder for each connection, and contracts of the chain. ' +
      'Without it one of the system for temporary files.',
  }),
  EDITOR_SAMPLES: optionalText({
    group,
    description:
      'File with scripts that the page offers to begin with: a JSON list of {name, title, code, arguments}, ' +
      'arguments in JSON-CDC.',
  }),

  EDITOR_NETWORKS: list({
    group: nodes,
    description:
      'Networks that the page offers, of mainnet, testnet and emulator. Without it mainnet, testnet and that of ' +
      'the chain that is followed.',
  }),
  EDITOR_MAINNET_API: optionalUrl({
    group: nodes,
    schemes: http,
    description:
      'REST API of an access node of mainnet, which browsers ask to run scripts. Without it ' +
      'https://rest-mainnet.onflow.org.',
  }),
  EDITOR_TESTNET_API: optionalUrl({
    group: nodes,
    schemes: http,
    description: 'The same for testnet. Without it https://rest-testnet.onflow.org.',
  }),
  EDITOR_EMULATOR_API: optionalUrl({
    group: nodes,
    schemes: http,
    description: 'The same for an emulator. Without it http://localhost:8888.',
  }),
  EDITOR_MAINNET_NODE: optionalText({
    group: nodes,
    description:
      'Access node that imported contracts of mainnet are fetched from, written like CHAIN_ACCESS_NODE. Without ' +
      'it the one that is followed, if it is of mainnet, or access.mainnet.nodes.onflow.org:9000.',
  }),
  EDITOR_TESTNET_NODE: optionalText({
    group: nodes,
    description: 'The same for testnet. Without it the one that is followed, or access.devnet.nodes.onflow.org:9000.',
  }),

  GITHUB_APP_ID: optionalText({
    group: github,
    description: 'Id of the GitHub App by which projects reach repositories. Without it there are none.',
  }),
  GITHUB_APP_PRIVATE_KEY: optionalText({
    group: github,
    secret: true,
    description: 'Private key of the App (PEM); line breaks may be written \\n.',
  }),
  GITHUB_APP_SLUG: optionalText({ group: github, description: 'Name of the App in https://github.com/apps/<name>.' }),
  GITHUB_APP_CLIENT_ID: optionalText({
    group: github,
    description: 'Client id of the App: who connects a repository shows by it which installations are theirs.',
  }),
  GITHUB_APP_CLIENT_SECRET: optionalText({ group: github, secret: true, description: 'Client secret of the App.' }),
  GITHUB_APP_WEBHOOK_SECRET: optionalText({
    group: github,
    secret: true,
    description: 'Secret of its webhooks. Without it none are taken.',
  }),
  GITHUB_URL: optionalUrl({
    group: github,
    schemes: http,
    description: "A GitHub of one's own. Without it https://github.com.",
  }),
  GITHUB_API_URL: optionalUrl({
    group: github,
    schemes: http,
    description: 'Its API. Without it https://api.github.com.',
  }),

  PROJECTS_PER_USER: integer({
    group: projects,
    default: 200,
    min: 1,
    max: 100_000,
    unit: 'projects',
    description: 'Most projects of one user.',
  }),
  PROJECT_FILES: integer({
    group: projects,
    default: 500,
    min: 1,
    max: 10_000,
    unit: 'files',
    description: 'Most files of one project.',
  }),
  PROJECT_FILE_BYTES: integer({
    group: projects,
    default: 1_000_000,
    min: 1000,
    max: 10_000_000,
    unit: 'bytes',
    description: 'Largest file of a project (UTF-8).',
  }),
  PROJECT_BYTES: integer({
    group: projects,
    default: 5_000_000,
    min: 1000,
    max: 100_000_000,
    unit: 'bytes',
    description: 'Most bytes of all files of one project.',
  }),
} satisfies Record<string, Setting<unknown>>

export const samplesSchema = z.array(
  z.object({ name: z.string(), title: z.string(), code: z.string(), arguments: z.array(z.unknown()).readonly() }),
)

/** What EDITOR_SAMPLES has in it: scripts for people to begin with. */
type EditorSamples = z.infer<typeof samplesSchema>

/** @throws FatalError that names the variable, for a file that is none */
export async function readSamples({ EDITOR_SAMPLES: file }: EditorConfig): Promise<EditorSamples> {
  if (file === undefined) return []
  try {
    return samplesSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    throw wrong(
      'EDITOR_SAMPLES',
      `${file} is no JSON list of {name, title, code, arguments}: ${asError(error).message}`,
    )
  }
}

/** EDITOR_URL. @throws FatalError for one with a path: the page asks for what it needs at the top of its host */
export function checkEditorUrl({ EDITOR_URL: url }: Pick<EditorConfig, 'EDITOR_URL'>): void {
  if (url === undefined) return
  const { origin, href } = new URL(url)
  if (href !== `${origin}/`) throw wrong('EDITOR_URL', `${href} has more than a host: the editor has its page at /`)
}

/** What works otherwise than an operator may think. */
export function editorWarnings({
  EDITOR_URL: url,
  WALLET_URL: walletUrl,
}: Pick<EditorConfig, 'EDITOR_URL' | 'WALLET_URL'>): readonly string[] {
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
export function readGitHubApp(config: EditorConfig): GitHubApp | undefined {
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

export type EditorConfig = SettingValues<
  typeof editorSettings & typeof accessNodeSettings & typeof servingSettings & typeof proxySettings
> & { readonly WALLET_URL: string | undefined }

interface SignInClient {
  readonly id: string
  readonly name: string
  readonly redirectUri: string
}

export const editorClientId = 'editor'

/** The page of the editor that a sign-in comes back to. */
const callbackPath = '/developer/callback'

/** Where people reach the editor, without a slash at its end. */
export function editorUrl(
  config: Pick<EditorConfig, 'EDITOR_URL' | 'HTTP_PORT'>,
  port: number = config.HTTP_PORT,
): string {
  return (config.EDITOR_URL ?? `http://localhost:${port}`).replace(/\/+$/, '')
}

/** @param url `editorUrl` */
function editorCallback(url: string): string {
  return `${url}${callbackPath}`
}

/**
 * The programs that people sign in to by the wallet: the editor. Without EDITOR_URL it is one on this machine, where
 * the port may be one that was picked. Without TLS, whoever is between would have its sessions.
 */
export function signInClients(
  config: Pick<EditorConfig, 'EDITOR_URL' | 'HTTP_PORT'>,
  shared: Pick<Shared, 'editorPort'>,
  { isForTrial }: { readonly isForTrial: boolean },
): readonly SignInClient[] {
  if (config.EDITOR_URL === undefined && !isForTrial) return []
  const url = editorUrl(config, shared.editorPort)
  if (!isSecure(new URL(url))) return []
  return [{ id: editorClientId, name: 'Cadence editor', redirectUri: editorCallback(url) }]
}

/** What the operator of the wallet has to know of the editor. */
export function signInWarnings({ EDITOR_URL: url }: Pick<EditorConfig, 'EDITOR_URL'>): readonly string[] {
  return url === undefined || isSecure(new URL(url))
    ? []
    : [`nobody can sign in at the editor: EDITOR_URL, ${url}, has to be https`]
}

/** As browsers have it: with TLS, or on this machine. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return (
    protocol === 'https:' || (protocol === 'http:' && (hostname === 'localhost' || hostname.endsWith('.localhost')))
  )
}

/**
 * Whether pages of an origin may use the language server channel. There is nothing secret in it, but pages of others
 * would have the browsers of their visitors load it, each from an address of its own; or reach one on the visitor's
 * machine. What is no browser names no origin, and is bounded by its address.
 * @param host header `Host` of the request: without EDITOR_URL, pages of the host that the channel is reached by may
 *   use it, whichever name that is
 */
export function mayUseChannel(
  config: Pick<EditorConfig, 'EDITOR_URL' | 'HTTP_PORT'>,
  origin: string | undefined,
  host: string | undefined,
): boolean {
  if (origin === undefined) return true
  if (config.EDITOR_URL !== undefined) return origin === new URL(editorUrl(config)).origin
  const [page, channel] = [origin, `http://${host ?? ''}`].map((text) =>
    URL.canParse(text) ? new URL(text).hostname : undefined,
  )
  return page !== undefined && page !== '' && page === channel
}

/** Names by which the channel may be called: those that operators have set. */
export function channelNames({
  HOST: host,
  EDITOR_URL: page,
  LSP_URL: channel,
}: Pick<EditorConfig, 'HOST' | 'EDITOR_URL' | 'LSP_URL'>): readonly string[] {
  return [host, ...[page, channel].filter((url) => url !== undefined).map((url) => new URL(url).hostname)]
}
