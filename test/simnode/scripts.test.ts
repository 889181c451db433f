import { expect } from 'chai'
import { scriptNames } from '../../jobs/enrichment/enrichment-worker.ts'
import { loadPresentScripts, presentScriptNames } from '../../src/explorer/present-chain.ts'
import { networks } from '../../src/flow/network.ts'
import { loadScripts } from '../../src/farm/enrichment/service.ts'
import { executeScript } from '../../simnode/ledger/scripts/execute-script.ts'
import type { NodeState, ScriptState } from '../../simnode/ledger/scripts/script-state.ts'
import { Refusal } from '../../simnode/node/node-view.ts'
import { bytesOf, contentsOf } from '../../simnode/node/wire.ts'
import { recording } from '../support/replay.ts'

describe('built-in scripts without a virtual machine', () => {
  it('return the exact bytes of a recorded node, from its data', async () => {
    const { versions } = await recording('base')
    const compared = new Set<string>()
    for (const [key, answer] of versions.get('')?.answers ?? []) {
      const [method, request = ''] = key.split(' ')
      if (method !== 'ExecuteScriptAtLatestBlock' || !Buffer.isBuffer(answer)) continue
      const message = Buffer.from(request, 'base64')
      const [source, args, given] = [bytesOf(message, 1), contentsOf(message, 2), bytesOf(answer, 1).toString()]
      expect(executeScript(stateWithAnswer(JSON.parse(given) as Cdc, args), source, args).toString()).to.equal(given)
      compared.add(key)
    }
    expect(compared.size).to.equal(495)
  })

  it('are exactly those that the program sends, on any network', async () => {
    const present = loadPresentScripts()
    const sources = presentScriptNames.map((name) => present(name))
    for (const network of networks) {
      const script = await loadScripts(network)
      sources.push(...scriptNames.map((name) => script(name)))
    }
    // Known scripts are refused here only for missing arguments.
    for (const source of sources)
      expect(refusalOf(source), source).to.satisfy((code: number | undefined) => code !== 12)
    expect(refusalOf('access(all) fun main() {}')).to.equal(12)
    expect(refusalOf(`${sources[0]} access(all) fun more() {}`)).to.equal(12)
    expect(refusalOf(`  ${sources[0]?.trimEnd()}`)).to.not.equal(12)
  })
})

interface Cdc {
  readonly type: string
  readonly value: unknown
}

/** The network state, read only when needed. */
const empty = stateWithAnswer({ type: 'Void', value: undefined }, [])

function refusalOf(source: string): number | undefined {
  try {
    executeScript(empty, Buffer.from(source), [])
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

type Plain = Readonly<Record<string, unknown>>

/** Without types: structs as objects, dictionaries as maps, paths as strings. */
function plain({ type, value }: Cdc): unknown {
  if (value === null || value === undefined) return undefined
  switch (type) {
    case 'Optional':
      return plain(value as Cdc)
    case 'Array':
      return (value as Cdc[]).map(plain)
    case 'Dictionary':
      return new Map((value as { key: Cdc; value: Cdc }[]).map((pair) => [plain(pair.key), plain(pair.value)]))
    case 'Path':
      return `/${(value as Plain)['domain'] as string}/${(value as Plain)['identifier'] as string}`
    case 'Struct':
      return Object.fromEntries(
        (value as { fields: { name: string; value: Cdc }[] }).fields.map((field) => [field.name, plain(field.value)]),
      )
    default:
      return value
  }
}

const things = (paths: unknown): { path: string; type: string }[] =>
  (paths as string[]).map((path) => ({ path, type: '' }))

/** A state with the values of one answer. */
function stateWithAnswer(answer: Cdc, args: readonly Buffer[]): ScriptState {
  const reported = plain(answer)
  const only = (Array.isArray(reported) ? reported[0] : reported) as Plain | undefined
  const numbers = (name: string): Map<number, string> =>
    new Map([...((only?.[name] ?? []) as Iterable<[string, string]>)].map(([role, amount]) => [Number(role), amount]))
  return {
    height: Number(only?.['height']),
    view: Number(only?.['view_']),
    timestamp: Number(only?.['timestamp']),
    account() {
      if (typeof reported === 'string') {
        const { value: identifier } = JSON.parse(args[1]?.toString() ?? '') as Cdc
        return { ...nothing, stored: [{ path: `/storage/${String(identifier)}`, type: reported }] }
      }
      if (reported === undefined) return nothing
      if (Array.isArray(reported)) return { ...nothing, published: things(reported) }
      const account = reported as Plain
      const rest = account['isCut'] === true ? [{ path: '/storage/more', type: '' }] : []
      return {
        balance: account['balance'] as string,
        availableBalance: account['availableBalance'] as string,
        storageUsed: BigInt(account['used'] as string),
        storageCapacity: BigInt(account['capacity'] as string),
        stored: [...things(account['storagePaths']), ...rest],
        published: things(account['publicPaths']),
      }
    },
    token: () => only && ({ ...only, socials: Object.fromEntries(only['socials'] as Map<string, string>) } as never),
    collection: () =>
      only && ({ ...only, socials: Object.fromEntries(only['socials'] as Map<string, string>) } as never),
    evmAddress: () => only as string | undefined,
    coaOf: () => only as string | undefined,
    evmCall: () => undefined,
    evmAccount: () => ({ balance: 0n, nonce: 0, code: Buffer.alloc(0) }),
    collectionsOf: () => 0,
    idsOf: () => [],
    item: () =>
      only &&
      ({
        ...only,
        ...(only['editionNumber'] === undefined
          ? {}
          : { edition: { name: only['editionName'], number: only['editionNumber'], max: only['editionMax'] } }),
        ...(only['rarityScore'] === undefined && only['rarityDescription'] === undefined
          ? {}
          : { rarity: { score: only['rarityScore'], description: only['rarityDescription'] } }),
      } as never),
    get network() {
      return {
        nodeIds: [],
        stakedNodeIds: [],
        ...only,
        flowSupply: only?.['totalSupply'],
        stakedByRole: numbers('stakedByRole'),
        minimumStakeByRole: numbers('minimumStakeByRole'),
      } as never
    },
    node: (id): NodeState | undefined =>
      only && ({ ...only, id, totalStaked: only['totalStakedWithDelegators'] } as never),
  }
}

const nothing = {
  balance: '0.00000000',
  availableBalance: '0.00000000',
  storageUsed: 0,
  storageCapacity: 0,
  stored: [],
  published: [],
}
