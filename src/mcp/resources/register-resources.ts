import type { McpServer } from '@modelcontextprotocol/server'
import type { QueryService, QueryTarget } from '../../ask/query-service.ts'
import type { Network } from '../../chain/network.ts'
import { scriptReference } from './script-reference.ts'

interface SchemaResource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
  readonly text: (queries: QueryService, network: Network) => string
}

/** Texts do not change while the process runs. */
const cacheHint = { ttlMs: 300_000, cacheScope: 'public' } as const

/** The resources that the specification names. All four are always there; without an EVM database its two say so. */
const resources: readonly SchemaResource[] = [
  {
    uri: 'schema://indexer-ddl',
    name: 'indexer-ddl',
    title: 'Tables of the indexer database',
    mimeType: 'application/sql',
    description: 'Definitions of the tables that run_indexer_sql reads, with their comments, indexes and sizes.',
    text: (queries) => queries.describeSchema('indexer'),
  },
  {
    uri: 'schema://evm-explorer-ddl',
    name: 'evm-explorer-ddl',
    title: 'Tables of the EVM explorer database',
    mimeType: 'application/sql',
    description: 'Definitions of the tables that run_evm_sql reads.',
    text: (queries) => ifThere(queries, 'evm', '-- ', () => queries.describeSchema('evm')),
  },
  {
    uri: 'schema://docs',
    name: 'docs',
    title: 'How to read the EVM explorer database',
    mimeType: 'text/markdown',
    description: 'What the columns of the EVM explorer database mean, and examples of questions with their SQL.',
    text: (queries) => ifThere(queries, 'evm', '', () => documentation(queries, 'evm')),
  },
  {
    uri: 'schema://script-reference',
    name: 'script-reference',
    title: 'Cadence scripts',
    mimeType: 'text/markdown',
    description:
      'How scripts for run_chain_script are written: arguments, results, addresses of core contracts, examples.',
    text: (_queries, network) => scriptReference(network),
  },
]

/** Adds the four `schema://` resources. @param network whose addresses scripts are told with */
export function registerResources(server: McpServer, queries: QueryService, network: () => Network): void {
  for (const { uri, name, title, description, mimeType, text } of resources) {
    server.registerResource(name, uri, { title, description, mimeType, cacheHint }, () => ({
      contents: [{ uri, mimeType, text: text(queries, network()) }],
    }))
  }
}

function ifThere(queries: QueryService, target: QueryTarget, comment: string, text: () => string): string {
  return queries.targets.includes(target)
    ? text()
    : `${comment}There is no EVM explorer database here: EVM_EXPLORER_DATABASE_URL is not set.\n`
}

function documentation(queries: QueryService, target: QueryTarget): string {
  const examples = queries
    .examples(target)
    .map(({ questions: [question], sql }) => `### ${question}\n\n\`\`\`sql\n${sql.trim()}\n\`\`\`\n`)
  return [queries.describeNotes(target).trim(), '## Examples', ...examples].join('\n\n')
}
