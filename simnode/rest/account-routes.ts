import { z } from 'zod'
import type { AccountKey } from '../../src/access/gen/flow/entities/account_pb.ts'
import { hashingAlgorithms, signingAlgorithms } from '../../src/flow/accounts/account-key-events.ts'
import { Refusal } from '../node/node-view.ts'
import { accessCalls } from './rest-calls.ts'
import type { RestRequest, RestRoute } from './rest-calls.ts'
import {
  base64,
  hex,
  readAddress,
  readExpand,
  readHeight,
  readUint32,
  badRequest,
  readBase64,
  readId,
} from './rest-values.ts'
import type { WantedHeight } from './rest-values.ts'

function wanted({ params, query }: RestRequest): { readonly address: Buffer; readonly height: WantedHeight } {
  return { address: readAddress(params['address'] ?? ''), height: readHeight(query.get('block_height')) ?? 'latest' }
}

function keyJson(key: AccountKey): unknown {
  return {
    index: String(key.index),
    public_key: `0x${hex(key.publicKey)}`,
    signing_algorithm: signingAlgorithms[key.signAlgo] ?? 'UNKNOWN',
    hashing_algorithm: hashingAlgorithms[key.hashAlgo] ?? 'UNKNOWN',
    sequence_number: String(key.sequenceNumber),
    weight: String(key.weight),
    revoked: key.revoked,
  }
}

/** Source: onflow/flow-go `engine/access/rest/http/models/account.go`. */
export const accountRoutes: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/v1/accounts/{address}',
    async answer(calls, request) {
      const { address, height } = wanted(request)
      const { account } =
        height === 'latest'
          ? await calls.ask(accessCalls.getAccountAtLatestBlock, { address })
          : await calls.ask(accessCalls.getAccountAtBlockHeight, { address, blockHeight: height })
      if (account === undefined) throw new Refusal('INTERNAL', 'the answer has no account')
      const expand = readExpand(request.query)
      const [hasKeys, hasContracts] = [expand.has('keys'), expand.has('contracts')]
      const contracts = Object.fromEntries(
        Object.entries(account.contracts).map(([name, code]) => [name, base64(code)]),
      )
      return {
        address: hex(account.address),
        balance: String(account.balance),
        ...(hasKeys ? { keys: account.keys.map(keyJson) } : {}),
        ...(hasContracts ? { contracts } : {}),
        _expandable: { ...(hasKeys ? {} : { keys: 'keys' }), ...(hasContracts ? {} : { contracts: 'contracts' }) },
        _links: { _self: `/v1/accounts/${hex(account.address)}` },
      }
    },
  },
  {
    method: 'GET',
    path: '/v1/accounts/{address}/balance',
    async answer(calls, request) {
      const { address, height } = wanted(request)
      const { balance } =
        height === 'latest'
          ? await calls.ask(accessCalls.getAccountBalanceAtLatestBlock, { address })
          : await calls.ask(accessCalls.getAccountBalanceAtBlockHeight, { address, blockHeight: height })
      return { balance: String(balance) }
    },
  },
  {
    method: 'GET',
    path: '/v1/accounts/{address}/keys',
    async answer(calls, request) {
      const { address, height } = wanted(request)
      const { accountKeys } =
        height === 'latest'
          ? await calls.ask(accessCalls.getAccountKeysAtLatestBlock, { address })
          : await calls.ask(accessCalls.getAccountKeysAtBlockHeight, { address, blockHeight: height })
      return { keys: accountKeys.map(keyJson) }
    },
  },
  {
    method: 'GET',
    path: '/v1/accounts/{address}/keys/{index}',
    async answer(calls, request) {
      const { address, height } = wanted(request)
      const index = readUint32(request.params['index'] ?? '', 'key index')
      const { accountKey } =
        height === 'latest'
          ? await calls.ask(accessCalls.getAccountKeyAtLatestBlock, { address, index })
          : await calls.ask(accessCalls.getAccountKeyAtBlockHeight, { address, index, blockHeight: height })
      if (accountKey === undefined) throw new Refusal('INTERNAL', 'the answer has no key')
      return keyJson(accountKey)
    },
  },
]

/** Source: onflow/flow-go `engine/access/rest/common/parser/arguments.go`. */
const maxArguments = 100
const scriptSchema = z.object({ script: z.string(), arguments: z.array(z.string()).max(maxArguments).nullish() })

/** The response is a JSON string: base64 of a value in JSON-CDC. */
export const scriptRoutes: readonly RestRoute[] = [
  {
    method: 'POST',
    path: '/v1/scripts',
    async answer(calls, { query, body }) {
      const [id, height] = [query.get('block_id'), readHeight(query.get('block_height'), 'block height')]
      if (id !== null && height !== undefined) throw badRequest('can only provide either block ID or block height')
      const parsed = scriptSchema.safeParse(body)
      if (!parsed.success) throw badRequest(`invalid script: ${z.prettifyError(parsed.error)}`)
      const script = readBase64(parsed.data.script, 'script source')
      const args = (parsed.data.arguments ?? []).map((one) => readBase64(one, 'argument'))
      if (id !== null)
        return base64(
          (await calls.ask(accessCalls.executeScriptAtBlockID, { blockId: readId(id), script, arguments: args })).value,
        )
      if (height === undefined || height === 'latest') {
        return base64((await calls.ask(accessCalls.executeScriptAtLatestBlock, { script, arguments: args })).value)
      }
      return base64(
        (await calls.ask(accessCalls.executeScriptAtBlockHeight, { blockHeight: height, script, arguments: args }))
          .value,
      )
    },
  },
]

export const nodeRoutes: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/v1/network/parameters',
    answer: async (calls) => ({ chain_id: (await calls.ask(accessCalls.getNetworkParameters, {})).chainId }),
  },
  {
    method: 'GET',
    path: '/v1/node_version_info',
    async answer(calls) {
      const { info } = await calls.ask(accessCalls.getNodeVersionInfo, {})
      if (info === undefined) throw new Refusal('INTERNAL', 'the answer has no version')
      return {
        semver: info.semver,
        commit: info.commit,
        spork_id: hex(info.sporkId),
        protocol_state_version: String(info.protocolStateVersion),
        spork_root_block_height: String(info.sporkRootBlockHeight),
        node_root_block_height: String(info.nodeRootBlockHeight),
      }
    },
  },
]
