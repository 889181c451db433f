import { boolean, choice, integer, list, optionalText, optionalUrl, text } from '../platform/setting.ts'
import type { Setting, SettingValues } from '../platform/setting.ts'
import type { servingSettings, proxySettings } from '../platform/http/settings.ts'
import type { accessNodeSettings } from '../access/settings.ts'
import { FatalError } from '../platform/errors.ts'
import type { GitHubApp } from './github/api/github-client.ts'
import type { Shared } from '../platform/service.ts'

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
      'free port and logs it.',
  }),
  LSP_PORT: integer({
    group,
    default: 3002,
    min: 0,
    max: 65_535,
    description: 'Port of the language server channel, WebSocket /lsp; 0 picks a free port and logs it.',
  }),
  EDITOR_URL: optionalUrl({
    group,
    schemes: http,
    description: 'Public URL of the editor; its pages may use wallet sign-in. Default: http://localhost and HTTP_PORT.',
  }),
  LSP_URL: optionalUrl({
    group,
    schemes: ['ws', 'wss'],
    description:
      'URL of the channel for browsers, such as wss://lsp.example.com/lsp. Default: /lsp on LSP_PORT at the ' +
      'host of EDITOR_URL.',
  }),
  CHAIN_CLI_COMMAND: text({
    group,
    default: 'flow',
    description: 'The `flow`-style program whose `cadence language-server` checks Cadence: a name on PATH, or a path.',
  }),
  EDITOR_LANGUAGE_SERVER: choice({
    group,
    default: 'auto',
    values: ['auto', 'cli', 'parser'],
    description:
      'The Cadence checker. cli: CHAIN_CLI_COMMAND. parser: built in, syntax only. auto: cli if it works, else parser.',
  }),
  EDITOR_TESTS: boolean({
    group,
    default: false,
    description:
      'Let signed-in users run Cadence tests with CHAIN_CLI_COMMAND, the Flow CLI, in a sandbox of Linux namespaces.',
  }),
  EDITOR_FOLDER: optionalText({
    group,
    description:
      'Folder for language servers: one folder per connection, and contracts of the chain. ' +
      'Default: the temporary folder of the system.',
  }),
  EDITOR_SAMPLES: optionalText({
    group,
    description:
      'File with sample scripts for the page: a JSON list of {name, title, code, arguments}, ' +
      'arguments in JSON-CDC.',
  }),

  EDITOR_NETWORKS: list({
    group: nodes,
    description:
      'Networks of the page: mainnet, testnet, emulator. Default: mainnet, testnet and the network of ' +
      'the followed chain.',
  }),
  EDITOR_MAINNET_API: optionalUrl({
    group: nodes,
    schemes: http,
    description:
      'REST API of a mainnet access node, with which browsers run scripts. Default: ' +
      'https://rest-mainnet.onflow.org.',
  }),
  EDITOR_TESTNET_API: optionalUrl({
    group: nodes,
    schemes: http,
    description: 'REST API of a testnet access node. Default: https://rest-testnet.onflow.org.',
  }),
  EDITOR_EMULATOR_API: optionalUrl({
    group: nodes,
    schemes: http,
    description: 'REST API of an emulator. Default: http://localhost:8888.',
  }),
  EDITOR_MAINNET_NODE: optionalText({
    group: nodes,
    description:
      'Access node for imported mainnet contracts, in the form of CHAIN_ACCESS_NODE. Default: ' +
      'the followed node, if it serves mainnet, or access.mainnet.nodes.onflow.org:9000.',
  }),
  EDITOR_TESTNET_NODE: optionalText({
    group: nodes,
    description:
      'Access node for imported testnet contracts. Default: the followed node, or access.devnet.nodes.onflow.org:9000.',
  }),

  GITHUB_APP_ID: optionalText({
    group: github,
    description: 'Id of the GitHub App for repositories. Default: repositories are off.',
  }),
  GITHUB_APP_PRIVATE_KEY: optionalText({
    group: github,
    secret: true,
    description: 'Private key of the App (PEM); line breaks may be escaped as \\n.',
  }),
  GITHUB_APP_SLUG: optionalText({ group: github, description: 'Name of the App in https://github.com/apps/<name>.' }),
  GITHUB_APP_CLIENT_ID: optionalText({
    group: github,
    description: 'Client id of the App, for user authorization.',
  }),
  GITHUB_APP_CLIENT_SECRET: optionalText({ group: github, secret: true, description: 'Client secret of the App.' }),
  GITHUB_APP_WEBHOOK_SECRET: optionalText({
    group: github,
    secret: true,
    description: 'Secret of its webhooks. Default: webhooks are rejected.',
  }),
  GITHUB_URL: optionalUrl({
    group: github,
    schemes: http,
    description: 'URL of a GitHub Enterprise server. Default: https://github.com.',
  }),
  GITHUB_API_URL: optionalUrl({
    group: github,
    schemes: http,
    description: 'URL of its API. Default: https://api.github.com.',
  }),

  PROJECTS_PER_USER: integer({
    group: projects,
    default: 200,
    min: 1,
    max: 100_000,
    unit: 'projects',
    description: 'Maximum projects per user.',
  }),
  PROJECT_FILES: integer({
    group: projects,
    default: 500,
    min: 1,
    max: 10_000,
    unit: 'files',
    description: 'Maximum files per project.',
  }),
  PROJECT_FILE_BYTES: integer({
    group: projects,
    default: 1_000_000,
    min: 1000,
    max: 10_000_000,
    unit: 'bytes',
    description: 'Maximum size of a file (UTF-8).',
  }),
  PROJECT_BYTES: integer({
    group: projects,
    default: 5_000_000,
    min: 1000,
    max: 100_000_000,
    unit: 'bytes',
    description: 'Maximum size of all files of a project (UTF-8).',
  }),
} satisfies Record<string, Setting<unknown>>

/** @throws FatalError for a URL with a path: the page uses root-relative URLs */
export function checkEditorUrl({ EDITOR_URL: url }: Pick<EditorConfig, 'EDITOR_URL'>): void {
  if (url === undefined) return
  const { origin, href } = new URL(url)
  if (href !== `${origin}/`) throw wrong('EDITOR_URL', `${href} must not have a path: the editor serves its page at /`)
}

export function editorWarnings({
  EDITOR_URL: url,
  WALLET_URL: walletUrl,
}: Pick<EditorConfig, 'EDITOR_URL' | 'WALLET_URL'>): readonly string[] {
  if (url === undefined || walletUrl !== undefined || /^(?:.+\.)?localhost$/.test(new URL(url).hostname)) return []
  return ['Editor sign-in does not work: EDITOR_URL is set, but WALLET_URL is not']
}

const appVariables = [
  'GITHUB_APP_ID',
  'GITHUB_APP_PRIVATE_KEY',
  'GITHUB_APP_SLUG',
  'GITHUB_APP_CLIENT_ID',
  'GITHUB_APP_CLIENT_SECRET',
] as const

/** Undefined if unset. @throws FatalError that names missing variables */
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

const callbackPath = '/developer/callback'

export function editorUrl(
  config: Pick<EditorConfig, 'EDITOR_URL' | 'HTTP_PORT'>,
  port: number = config.HTTP_PORT,
): string {
  return (config.EDITOR_URL ?? `http://localhost:${port}`).replace(/\/+$/, '')
}

function editorCallback(url: string): string {
  return `${url}${callbackPath}`
}

/**
 * Without EDITOR_URL the editor runs on this machine. Without TLS its sessions could be
 * intercepted.
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

export function signInWarnings({ EDITOR_URL: url }: Pick<EditorConfig, 'EDITOR_URL'>): readonly string[] {
  return url === undefined || isSecure(new URL(url)) ? [] : [`Editor sign-in is off: EDITOR_URL (${url}) must be https`]
}

export function isSecure({ protocol, hostname }: URL): boolean {
  return (
    protocol === 'https:' || (protocol === 'http:' && (hostname === 'localhost' || hostname.endsWith('.localhost')))
  )
}

/**
 * The channel has no secrets, but pages of other sites could use it from their visitors' addresses.
 * Non-browser clients send no origin. @param host without EDITOR_URL, pages of the same host may
 * connect
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

export function channelNames({
  HOST: host,
  EDITOR_URL: page,
  LSP_URL: channel,
}: Pick<EditorConfig, 'HOST' | 'EDITOR_URL' | 'LSP_URL'>): readonly string[] {
  return [host, ...[page, channel].filter((url) => url !== undefined).map((url) => new URL(url).hostname)]
}
