import { expect } from 'chai'
import { ApiError } from '../../../../platform/errors.ts'
import { refuseWrites } from './refuse-writes.ts'

const refused = (path: string, method: 'GET' | 'POST', body?: unknown): boolean => {
  try {
    refuseWrites(new URL(path, 'https://api.listed.test'), method, body)
    return false
  } catch (error) {
    expect(error).to.be.instanceOf(ApiError).and.include({ code: 'write-refused' })
    return true
  }
}

describe('refuseWrites', () => {
  it('lets through what reads', () => {
    for (const path of [
      '/v1/transactions/0a',
      '/v1/blocks?height=sealed',
      '/api?module=account&action=balance&address=0x1',
      '/api/v2/transactions',
      '/v1/transactions',
      '/api?module=contract&action=getsourcecode',
      '/api/v2/smart-contracts/0x1',
      '/coins/verified',
      '/simple/price?ids=flow&action=sendable%20tokens'.replace('action', 'for'),
    ])
      expect(refused(path, 'GET'), path).to.equal(false)
    for (const method of [
      'eth_call',
      'eth_getLogs',
      'eth_blockNumber',
      'eth_chainId',
      'eth_estimateGas',
      'net_version',
      'web3_clientVersion',
      'debug_traceTransaction',
      'query',
      'address_info',
      'settings',
    ]) {
      expect(refused('/', 'POST', { jsonrpc: '2.0', id: 1, method, params: [] }), method).to.equal(false)
    }
    expect(refused('/v1/scripts', 'POST', { script: 'YQ==', arguments: [] })).to.equal(false)
    expect(refused('/graphql', 'POST', { query: '{ a }', variables: { method: 'eth_sendRawTransaction' } })).to.equal(
      false,
    )
    expect(refused('/', 'POST', { method: 7 })).to.equal(false)
  })

  it('refuses transactions to a node', () => {
    for (const path of [
      '/v1/transactions',
      '/v1/transactions/',
      '//v1//transactions',
      '/v1/Transactions?x',
      '/v1/%74ransactions',
      '/v1/%2574ransactions',
      '/v1%2ftransactions',
      '/v1/a/../transactions',
      '/v1\\transactions',
    ]) {
      expect(refused(path, 'POST', {}), path).to.equal(true)
    }
    for (const method of [
      'eth_sendRawTransaction',
      'ETH_SENDRAWTRANSACTION',
      'eth_sendTransaction',
      'eth_signTransaction',
      'personal_sign',
      'personal_unlockAccount',
      'eth_submitWork',
      'eth_sendUserOperation',
      'send',
      'admin_addPeer',
      'debug_setHead',
      'miner_start',
      'engine_newPayloadV3',
    ]) {
      const call = { jsonrpc: '2.0', id: 1, method, params: ['0x'] }
      expect(refused('/', 'POST', call), method).to.equal(true)
      expect(refused('/api/eth-rpc', 'POST', [{ method: 'eth_call' }, call]), method).to.equal(true)
      expect(refused('/', 'POST', { METHOD: method }), method).to.equal(true)
    }
  })

  it('refuses what an explorer would publish', () => {
    for (const path of [
      '/api/v2/smart-contracts/0x1/verification/via/flattened-code',
      '/api/v2/smart-contracts/0x1/verif%69cation/via/x',
      '/api/v2/smart-contracts/0x1/audit-reports',
      '/api?module=contract&action=verify&contractSourceCode=x',
      '/api?module=contract&Action=verifysourcecode',
      '/api?action=balance&action=verify',
    ]) {
      for (const method of ['GET', 'POST'] as const) expect(refused(path, method), path).to.equal(true)
    }
  })

  it('takes a path with broken percents as it is', () => {
    expect(refused('/v1/%E0%A4%A/transactions', 'POST', {})).to.equal(true)
    expect(refused('/v1/%', 'POST', {})).to.equal(false)
  })
})
