import { choice, integer, list, optionalText, optionalUrl, text } from '../platform/setting.ts'
import type { Setting } from '../platform/setting.ts'

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
