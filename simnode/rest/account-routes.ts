import { z } from 'zod'
import type { AccountKey } from '../../src/access/gen/flow/entities/account_pb.ts'
import { hashingAlgorithms, signingAlgorithms } from '../../src/flow/accounts/account-key-events.ts'
import { Refusal } from '../node/node-view.ts'
import { accessCalls, route } from './rest-calls.ts'
import {
  addressParameter,
  badRequest,
  base64,
  expandParameter,
  heightParameter,
  hex,
  idParameter,
  readBase64,
  readUint32,
  withBody,
} from './rest-values.ts'

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

const account = {
  tag: 'Accounts',
  access: 'client',
  params: z.object({ address: addressParameter }),
  query: z.object({ block_height: heightParameter('height'), expand: expandParameter }),
} as const

/** Source: onflow/flow-go `engine/access/rest/http/models/account.go`. */
export const accountRoutes = [
  route({
    ...account,
    path: '/v1/accounts/{address}',
    operationId: 'getAccount',
    summary: 'An account',
    async handler({ params: { address }, query: { block_height: height, expand }, caller: calls }) {
      const { account } =
        height === undefined || height === 'latest'
          ? await calls.ask(accessCalls.getAccountAtLatestBlock, { address })
          : await calls.ask(accessCalls.getAccountAtBlockHeight, { address, blockHeight: height })
      if (account === undefined) throw new Refusal('INTERNAL', 'the answer has no account')
      const [hasKeys, hasContracts] = [expand.has('keys'), expand.has('contracts')]
      const contracts = Object.fromEntries(
        Object.entries(account.contracts).map(([name, code]) => [name, base64(code)]),
      )
      return {
        body: {
          address: hex(account.address),
          balance: String(account.balance),
          ...(hasKeys ? { keys: account.keys.map(keyJson) } : {}),
          ...(hasContracts ? { contracts } : {}),
          _expandable: { ...(hasKeys ? {} : { keys: 'keys' }), ...(hasContracts ? {} : { contracts: 'contracts' }) },
          _links: { _self: `/v1/accounts/${hex(account.address)}` },
        },
      }
    },
  }),
  route({
    ...account,
    path: '/v1/accounts/{address}/balance',
    operationId: 'getAccountBalance',
    summary: 'The FLOW balance of an account',
    async handler({ params: { address }, query: { block_height: height }, caller: calls }) {
      const { balance } =
        height === undefined || height === 'latest'
          ? await calls.ask(accessCalls.getAccountBalanceAtLatestBlock, { address })
          : await calls.ask(accessCalls.getAccountBalanceAtBlockHeight, { address, blockHeight: height })
      return { body: { balance: String(balance) } }
    },
  }),
  route({
    ...account,
    path: '/v1/accounts/{address}/keys',
    operationId: 'getAccountKeys',
    summary: 'The keys of an account',
    async handler({ params: { address }, query: { block_height: height }, caller: calls }) {
      const { accountKeys } =
        height === undefined || height === 'latest'
          ? await calls.ask(accessCalls.getAccountKeysAtLatestBlock, { address })
          : await calls.ask(accessCalls.getAccountKeysAtBlockHeight, { address, blockHeight: height })
      return { body: { keys: accountKeys.map(keyJson) } }
    },
  }),
  route({
    ...account,
    path: '/v1/accounts/{address}/keys/{index}',
    operationId: 'getAccountKey',
    summary: 'A key of an account',
    params: account.params.extend({ index: z.string().transform((text) => readUint32(text, 'key index')) }),
    async handler({ params: { address, index }, query: { block_height: height }, caller: calls }) {
      const { accountKey } =
        height === undefined || height === 'latest'
          ? await calls.ask(accessCalls.getAccountKeyAtLatestBlock, { address, index })
          : await calls.ask(accessCalls.getAccountKeyAtBlockHeight, { address, index, blockHeight: height })
      if (accountKey === undefined) throw new Refusal('INTERNAL', 'the answer has no key')
      return { body: keyJson(accountKey) }
    },
  }),
]

/** Source: onflow/flow-go `engine/access/rest/common/parser/arguments.go`. */
const maxArguments = 100
const scriptSchema = z.object({ script: z.string(), arguments: z.array(z.string()).max(maxArguments).nullish() })

/** Base64 of a value in JSON-CDC. */
export const scriptRoutes = [
  route({
    ...withBody,
    method: 'POST',
    path: '/v1/scripts',
    operationId: 'executeScript',
    tag: 'Scripts',
    summary: 'Run a script',
    access: 'client',
    query: z.object({ block_id: idParameter.optional(), block_height: heightParameter('block height') }),
    async handler({ query: { block_id: blockId, block_height: blockHeight }, body, caller: calls }) {
      if (blockId !== undefined && blockHeight !== undefined)
        throw badRequest('can only provide either block ID or block height')
      const parsed = scriptSchema.safeParse(body)
      if (!parsed.success) throw badRequest(`invalid script: ${z.prettifyError(parsed.error)}`)
      const script = readBase64(parsed.data.script, 'script source')
      const args = (parsed.data.arguments ?? []).map((one) => readBase64(one, 'argument'))
      const { value } =
        blockId !== undefined
          ? await calls.ask(accessCalls.executeScriptAtBlockID, { blockId, script, arguments: args })
          : blockHeight === undefined || blockHeight === 'latest'
            ? await calls.ask(accessCalls.executeScriptAtLatestBlock, { script, arguments: args })
            : await calls.ask(accessCalls.executeScriptAtBlockHeight, { blockHeight, script, arguments: args })
      return { body: JSON.stringify(base64(value)) }
    },
  }),
]

export const nodeRoutes = [
  route({
    path: '/v1/network/parameters',
    operationId: 'getNetworkParameters',
    tag: 'Node',
    summary: 'The chain',
    access: 'client',
    async handler({ caller: calls }) {
      const { chainId } = await calls.ask(accessCalls.getNetworkParameters, {})
      return { body: { chain_id: chainId } }
    },
  }),
  route({
    path: '/v1/node_version_info',
    operationId: 'getNodeVersionInfo',
    tag: 'Node',
    summary: 'The version of the node',
    access: 'client',
    async handler({ caller: calls }) {
      const { info } = await calls.ask(accessCalls.getNodeVersionInfo, {})
      if (info === undefined) throw new Refusal('INTERNAL', 'the answer has no version')
      return {
        body: {
          semver: info.semver,
          commit: info.commit,
          spork_id: hex(info.sporkId),
          protocol_state_version: String(info.protocolStateVersion),
          spork_root_block_height: String(info.sporkRootBlockHeight),
          node_root_block_height: String(info.nodeRootBlockHeight),
        },
      }
    },
  }),
]
