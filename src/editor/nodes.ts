import { createChainReader } from '../access/create-chain-reader.ts'
import { createTransactionClient } from '../access/transaction-client.ts'
import { liveEndpoints } from '../access/settings.ts'
import type { EditorConfig } from './settings.ts'
import { editorNetworks, isEditorNetwork } from './editor-network.ts'
import type { EditorNetwork } from './editor-network.ts'
import { coreContractAddresses } from '../flow/core-contracts.ts'
import { asError, FatalError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { retryWhile } from '../platform/retry.ts'
import { chainIdToNetwork } from '../flow/network.ts'
import type { ChainReader } from '../flow/chain-reader.ts'
import type { ServiceContext } from '../platform/service.ts'

export interface EditorNodes {
  /** The followed chain's node is added once its network is known. */
  readonly readers: Readonly<Partial<Record<EditorNetwork, Pick<ChainReader, 'getAccount'>>>>
  readonly networks: () => readonly {
    readonly network: EditorNetwork
    readonly api_url: string
    readonly is_default: boolean
    readonly contracts: Readonly<Record<string, string>>
  }[]
}

const publicNodes = {
  mainnet: 'access.mainnet.nodes.onflow.org:9000',
  testnet: 'access.devnet.nodes.onflow.org:9000',
} as const
const publicApis = {
  mainnet: 'https://rest-mainnet.onflow.org',
  testnet: 'https://rest-testnet.onflow.org',
  emulator: 'http://localhost:8888',
} as const
const apiSettings = {
  mainnet: 'EDITOR_MAINNET_API',
  testnet: 'EDITOR_TESTNET_API',
  emulator: 'EDITOR_EMULATOR_API',
} as const
const nodeSettings = { mainnet: 'EDITOR_MAINNET_NODE', testnet: 'EDITOR_TESTNET_NODE' } as const

/** @throws FatalError for an invalid endpoint or network */
export function openEditorNodes(
  { config, lifecycle }: Pick<ServiceContext<EditorConfig>, 'config' | 'lifecycle'>,
  log: Logger,
): EditorNodes {
  const chosen = readNetworks(config)
  const open = (endpoint: string): Pick<ChainReader, 'getAccount'> => {
    const reader = createChainReader({ liveEndpoints: [endpoint], log })
    lifecycle.onStop('access node of editor imports', () => reader.close())
    return reader
  }
  const readers: { -readonly [Network in keyof EditorNodes['readers']]: EditorNodes['readers'][Network] } = {}
  const [ownEndpoint] = liveEndpoints(config)
  for (const network of ['mainnet', 'testnet'] as const) {
    const endpoint = config[nodeSettings[network]]
    if (endpoint !== undefined) readers[network] = open(endpoint)
    else if (chosen === undefined || chosen.includes(network)) readers[network] = open(publicNodes[network])
  }
  let followed: EditorNetwork | undefined
  if (ownEndpoint !== undefined) {
    const own = createTransactionClient({ endpoint: ownEndpoint, log })
    const reader = open(ownEndpoint)
    lifecycle.onStop('followed access node of the editor', () => own.close())
    retryWhile(() => own.chainId(lifecycle.signal), {
      signal: lifecycle.signal,
      baseMs: 500,
      maxMs: 60_000,
      isRetryable: (error) => !(error instanceof FatalError),
    }).then(
      (chainId) => {
        const network = chainIdToNetwork(chainId)
        if (!isEditorNetwork(network)) return log.warn({ chainId }, 'The editor does not support the followed chain')
        followed = network
        if (network === 'emulator' || config[nodeSettings[network]] === undefined) readers[network] = reader
      },
      (error: unknown) => {
        if (!lifecycle.signal.aborted)
          log.warn({ err: asError(error) }, 'The editor could not identify the followed chain')
      },
    )
  }
  return {
    readers,
    networks: () => {
      const offered = chosen ?? editorNetworks.filter((network) => network !== 'emulator' || followed === 'emulator')
      const first = followed !== undefined && offered.includes(followed) ? followed : offered[0]
      return offered.map((network) => ({
        network,
        api_url: (config[apiSettings[network]] ?? publicApis[network]).replace(/\/+$/, ''),
        is_default: network === first,
        contracts: coreContractAddresses(network),
      }))
    },
  }
}

function readNetworks({ EDITOR_NETWORKS: names }: EditorConfig): readonly EditorNetwork[] | undefined {
  if (names.length === 0) return undefined
  return names.map((name) => {
    if (isEditorNetwork(name)) return name
    throw new FatalError(
      'bad-editor-settings',
      `EDITOR_NETWORKS: unknown network ${name}. Use a comma-separated list of ${editorNetworks.join(', ')}.`,
      { details: { variable: 'EDITOR_NETWORKS' } },
    )
  })
}
